// Overview: all heads of all layers around the query, over training.
import { $, el, ink, rgb, fit, resize, arrows, pct, pair, where, capital } from './draw.js';
import { discs } from './discs.js';
import { tiles } from './tiles.js';
import { epochSlider, spark } from './epochs.js';

const TAP = 0.5, // a head is on one token if it has more than this part of its attention there
  YES = 0.8, // the headline counts a layer as a convolution from this share on
  NO = 0.5; // and as none below this one

const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;
const are = ls => (ls.length > 1 ? 'are' : 'is');
function list(ls) {
  const last = ls.at(-1);
  if (ls.length === 1) return `layer ${last}`;
  if (ls.length > 2 && last - ls[0] === ls.length - 1) return `layers ${ls[0]}–${last}`;
  return `layers ${ls.slice(0, -1).join(', ')} and ${last}`;
}

// finding says which layers are convolutions after epoch e of so many. shares are those of one 3 × 3 convolution, or
// null while they are unknown; blocks are the numbers of the layers. fixed: nothing was trained here.
function finding(shares, blocks, e, epochs, fixed) {
  const before = e < 0.5 && !fixed,
    when = e < epochs ? `After ${plural(Math.round(e), 'epoch', 'epochs')}, ` : '';
  if (!shares) {
    if (before) return 'Where the heads look before training.';
    return `Where the heads look ${when ? when.slice(0, -2).toLowerCase() : 'now'}.`;
  }
  const yes = blocks.filter((_, l) => shares[l] >= YES),
    no = blocks.filter((_, l) => shares[l] < NO),
    one = '3\u202f×\u202f3 convolution';
  if (before) return `Before training, ${yes.length ? list(yes) : 'no layer'} ${are(yes)} a ${one}.`;
  if (!yes.length) return when ? `${when}no layer is a ${one} yet.` : `No layer ${fixed ? 'is' : 'became'} a ${one}.`;
  const what = yes.length > 1 ? one + 's' : 'a ' + one,
    now = when || fixed,
    some = capital(`${when}${list(yes)} ${now ? are(yes) : 'became'} ${what}`);
  return no.length ? `${some}; ${list(no)} ${now ? are(no) + ' not' : 'did not'}.` : some + '.';
}

// columns returns how many pictures of layers are in a row: of at most six, with rows as even as possible.
export const columns = n => Math.ceil(n / Math.ceil(n / 6));

// kindOf draws a run's heads: Gaussian ones as discs, others as maps.
export const kindOf = (data, state, changed) => (data.frames.length ? discs : tiles)(data, state, changed);

export function overview(data, state, changed) {
  const { run, blocks } = data,
    fixed = run.foreign, // there are no epochs
    kind = kindOf(data, state, changed),
    { counts } = kind;
  const stage = $('#ov-stage');
  stage.dataset.layers = Math.min(4, counts.length);
  stage.style.setProperty('--columns', columns(counts.length));
  const parts = kind.pictures.map(({ box: picture }, l) => {
    const share = el('b'),
      curve = el('canvas', { 'aria-hidden': 'true' }),
      words = el('p'),
      of = el('div', { class: 'share' }, share, el('span', {}, '3\u200a×\u200a3 convolution'));
    const box = el('div', { class: 'panel' }, el('h2', {}, `Layer ${blocks[l]}`), picture, of, ...(fixed ? [] : [curve]), words);
    return { picture, share, curve, words, box };
  });
  const box = $('#ov-layers');
  box.append(...parts.map(p => p.box));
  arrows(
    box,
    (dr, dc) => {
      const [l, h] = state.head,
        to = (l + dc + counts.length) % counts.length;
      changed({ head: [to, (Math.min(h, counts[to] - 1) + dr + counts[to]) % counts[to]] });
    },
    { Enter: () => changed({ view: 'attention' }) },
  );
  $('#ov-what').textContent = kind.what;
  $('#ov-change').hidden = $('#ov-scrub').hidden = fixed;

  const scrub = epochSlider($('#ov-scrub'), data, state, changed, kind);
  const set = (e, text) => {
    if (e.textContent !== text) e.textContent = text;
  };

  function legend() {
    const n = data.untrained?.n,
      fresh = n ? `; gray: ${n} untrained networks, mean ± 2 standard deviations` : '',
      images = fixed ? `first ${plural(kind.measuredOn, 'picture', 'pictures')}` : `${kind.measuredOn} test images`,
      on = kind.measuredOn ? ` Attention is averaged over the ${images} of this page.` : '',
      from = kind.first ? ` Colors compare with epoch ${kind.first}, the first whose weights are known.` : '';
    return (
      `Percent${fixed ? '' : ' and curves'}: how much of the layer’s squared norm one 3\u202f×\u202f3 convolution has${fresh}. The ` +
      'headline counts a layer as a convolution from 80\u202f%, and as none below 50\u202f%. On one token: more than ' +
      `half of a head’s attention.${on}${from}`
    );
  }

  const within = half => (half > 20 ? 'everywhere' : half.toFixed(2)),
    table = $('#ov-table'),
    trained = list => (fixed ? [] : list), // what compares with the start
    titles = ['layer', 'head', 'center (row, col)', ...trained(['moved']), 'half within', ...trained(['was']), 'most on', 'weight'];
  let tableFor = '';
  function drawTable(heads, e) {
    const key = `${Math.round(e)} ${kind.measured().length}`;
    if (tableFor !== key) {
      tableFor = key;
      const rows = heads.flatMap((hs, l) =>
        hs.map((_, h) => {
          const { center, half, tap, color } = kind.facts(heads, l, h),
            was = kind.start(l, h),
            dot = el('i');
          dot.style.background = rgb(color);
          const tr = el(
            'tr',
            { 'data-key': `${l}.${h}` },
            el('td', {}, String(blocks[l])),
            el('td', {}, dot, String(h + 1)),
            ...[
              pair(center),
              ...trained([Math.hypot(center[0] - was.center[0], center[1] - was.center[1]).toFixed(2)]),
              within(half),
              ...trained([within(was.half)]),
              pair(tap.shift, 0),
              pct(tap.weight),
            ].map(s => el('td', {}, s)),
          );
          tr.onpointerenter = () => changed({ head: [l, h] });
          return tr;
        }),
      );
      table.replaceChildren(
        el('thead', {}, el('tr', {}, ...titles.map(t => el('th', { scope: 'col' }, t)))),
        el('tbody', {}, ...rows),
      );
    }
    table.querySelectorAll('tr').forEach(r => r.classList.toggle('on', r.dataset.key === state.head.join('.')));
  }
  $('details.table').addEventListener('toggle', () => changed({}));

  // drawLayer returns what draws the small curve.
  function drawLayer(p, l, now, e, known) {
    const [L, H] = state.head;
    p.box.classList.toggle('hot', l === L);
    kind.draw(l, now, e, l === L ? H : -1);
    let taps = 0,
      all = 0;
    now.heads[l].forEach((_, h) => {
      const f = kind.facts(now.heads, l, h);
      if (f.tap.weight > TAP) taps++;
      else if (f.all) all++;
    });
    const share = now.shares?.[l],
      words = [taps && `${plural(taps, 'head', 'heads')} on one token`, all && (fixed ? `${all} on no shift in particular` : plural(all, 'sees', 'see') + ' everything')];
    set(p.share, now.shares ? pct(share) : '…');
    set(p.words, words.filter(Boolean).join(', ') || 'all heads between');
    const band = data.untrained?.layers[l],
      fresh = band ? `, untrained ${pct(band.mean)}` : '',
      convolution = now.shares ? `${pct(share)} of its squared norm is one 3 × 3 convolution${fresh}; ` : '';
    p.picture.setAttribute(
      'aria-label',
      `Layer ${blocks[l]}${fixed ? '' : ` at epoch ${Math.round(e)}`}: ${convolution}${taps} of ${now.heads[l].length} heads ` +
        'have more than half of their attention on one token.',
    );
    if (!fixed) return () => spark(p.curve, { l, e, now: share, last: Math.max(1, kind.end()), known, band });
  }

  function drawDetail(heads) {
    const [L, H] = state.head,
      { center, half, tap, all } = kind.facts(heads, L, H),
      was = kind.start(L, H),
      now = all
        ? kind.everywhere
        : `Half of its attention is within ${half.toFixed(2)} tokens of ${pair(center.slice(0, 2))}`,
      most = tap.weight > TAP ? ` ${pct(tap.weight)} of it is on ${where(tap.shift)}.` : '',
      began = fixed ? '' : `; it began with ${within(was.half)} around ${pair(was.center.slice(0, 2))}`,
      text = `${now}${began}.${most}`,
      b = el('b', {}, `Layer ${blocks[L]}, head ${H + 1}. `);
    if ($('#ov-text').textContent !== b.textContent + text) $('#ov-text').replaceChildren(b, text);
  }
  function drawMap(heads) {
    const [L, H] = state.head,
      { color } = kind.facts(heads, L, H),
      { g, w, h } = fit($('#ov-map')),
      k = 11,
      map = new Float64Array(k * k);
    kind.near(heads, L, H, map);
    g.clearRect(0, 0, w, h);
    for (let i = 0; i < k * k; i++) {
      if (Number.isNaN(map[i])) continue;
      for (const style of [rgb(ink.well), rgb(color, Math.sqrt(map[i]))]) {
        g.fillStyle = style;
        g.fillRect(((i % k) * w) / k, (((i / k) | 0) * h) / k, w / k - 0.6, h / k - 0.6);
      }
    }
    g.strokeStyle = rgb(ink.ink);
    g.lineWidth = 1.25;
    g.strokeRect((5 * w) / k, (5 * h) / k, w / k, h / k);
  }

  return {
    scrub: fixed ? undefined : scrub,
    rows() {
      const now = kind.at(state.epoch);
      return [
        ['epoch', 'layer', 'head', 'center_row', 'center_column', 'half_within', 'most_on_row', 'most_on_column', 'weight', 'share_3x3'],
        ...(now?.heads ?? []).flatMap((hs, l) =>
          hs.map((_, h) => {
            const { center, half, tap } = kind.facts(now.heads, l, h);
            return [state.epoch, blocks[l], h + 1, center[0], center[1], half, ...tap.shift, tap.weight, now.shares?.[l]];
          }),
        ),
      ];
    },
    step: d => kind.rest(Math.min(kind.end(), Math.max(0, Math.round(state.epoch) + d)), state.epoch),
    draw() {
      const e = state.epoch,
        now = kind.at(e);
      stage.hidden = !now;
      if (!now) {
        data.ask?.();
        set($('#ov-finding'), data.failed ? 'The attention of this run cannot be measured here.' : fixed ? 'Measuring the heads on the first pictures …' : 'Reading the weights …');
        return;
      }
      const known = kind.measured();
      set($('#ov-finding'), finding(now.shares, blocks, e, run.epochs, fixed));
      set($('#ov-legend'), legend());
      const sparks = parts.map((p, l) => drawLayer(p, l, now, e, known)); // words first: they move the rest
      drawDetail(now.heads);
      if ($('details.table').open) drawTable(now.heads, e);
      resize(...stage.querySelectorAll('canvas'));
      drawMap(now.heads);
      if (fixed) return;
      for (const draw of sparks) draw();
      scrub.draw();
    },
  };
}
