// Analysis: how convolutional the layers of the run are, as attnconv analyse measures it.
import { $, el, ink, rgb, mix, fit, bar, pct, rem, say, quote } from './draw.js';
import { api, exported } from './api.js';

// The parts of a layer's squared norm, from the smallest convolution on.
const PARTS = [
  ['k1', '1\u200a×\u200a1'],
  ['k3', 'further 3\u200a×\u200a3'],
  ['k5', 'further 5\u200a×\u200a5'],
  ['k7', 'further 7\u200a×\u200a7'],
  ['larger', 'larger'],
  ['place', 'no convolution'],
];
const INK = [1, 0.74, 0.5, 0.34, 0.2, 0]; // of each part's shade

const NEAR = 5; // the largest shift of a profile that is drawn

// ACCURACIES are what the network may have instead of its layers.
const ACCURACIES = [
  ['k3', '3\u200a×\u200a3 convolutions'],
  ['k5', '5\u200a×\u200a5 convolutions'],
  ['uniform', 'heads on all tokens alike'],
  ['constant', 'mean outputs'],
];

const within3 = s => s.k1 + s.k3,
  plural = (n, one, many = one + 's') => `${n} ${n === 1 ? one : many}`,
  spread = b => (b.std === null ? pct(b.mean) : `${Math.round(100 * b.mean)} ± ${pct(b.std)}`),
  // share is never shown as 100 % if it is less
  share = ({ value }) => (value >= 0.99 && value < 1 - 1e-9 ? `${Math.min(99.9, 100 * value).toFixed(1)}\u202f%` : pct(value)),
  date = text => new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function analysis(data, state, changed) {
  const { run } = data,
    what = run.foreign ? 'network' : 'run';
  let found = null, // a Measured document; null: not asked for yet
    asked = false,
    trouble = '',
    stage = null, // of the measurement under way
    stop = null, // cancels it
    drawn = null,
    layers = [];

  async function load() {
    asked = true;
    try {
      found = await api.analysis(run.id);
    } catch (e) {
      trouble = e.message;
    }
    changed({});
  }
  async function measure(extent) {
    stop = new AbortController();
    stage = { stage: 'asking the server', part: 0 };
    say('');
    changed({});
    try {
      found = await api.measure(run.id, extent, stop.signal, line => {
        stage = line;
        changed({});
      });
      trouble = '';
    } catch (e) {
      if (e.name !== 'AbortError') say(`The ${what} cannot be measured: ${e.message}`);
    }
    const focused = document.activeElement === $('#an-cancel');
    stop = stage = null;
    changed({});
    if (focused) requestAnimationFrame(() => $('#an-weights').focus());
  }
  if (run.foreign) {
    $('#an-weights').textContent = 'Measure the layers';
    $('#an-all').textContent = 'Measure everything (takes longer)';
  }
  $('#an-weights').onclick = () => measure('weights');
  $('#an-all').onclick = () => measure('all');
  $('#an-cancel').onclick = () => stop?.abort();
  addEventListener('pagehide', () => stop?.abort());

  // place writes where the numbers are from.
  function place() {
    const { file, time, old, analysis: d } = found,
      other = d.source === run.id ? '' : ` It is of ${d.source}.`;
    if (file) {
      const went = old ? ' The run went on after that: measure it again.' : '';
      return [`From ${file} in the folder of the run, ${date(time)}.${other}${went}`];
    }
    const until = `Measured ${date(time)}. This page has it until its server ends.`;
    if (run.foreign) return [until.replace('.', ` on ${plural(d.images.attention, 'picture')}.`)];
    return [`${until} The command below keeps it.`];
  }

  // command measures the same or, of what only this page has, keeps it.
  function command() {
    if (run.foreign) return `attnconv analyse ${run.ref}`;
    const d = found?.file ? null : found?.analysis,
      keeps = d ? `${d.unchanged ? '' : ' --quick'} --json > ${quote(run.path + '/analysis.json')}` : '';
    return `attnconv analyse ${quote(run.ref)}${keeps}`;
  }

  // accuracies shows what is left of the accuracy with every layer replaced.
  function accuracies(d) {
    const box = $('#an-accuracy');
    box.hidden = !d.unchanged || !d.function_all;
    if (box.hidden) return;
    const whole = d.unchanged.acc,
      rows = ACCURACIES.filter(([key]) => d.function_all[key]).map(([key, name]) => [name, d.function_all[key].acc]);
    $('#an-bars').replaceChildren(
      bar('as it is', whole, whole, 'main'),
      ...rows.map(([name, acc]) => bar(name, acc, whole)),
    );
    $('#an-bars').setAttribute('aria-label', [['as it is', whole], ...rows].map(([n, a]) => `${n} ${pct(a)}`).join('; '));
  }

  const kept = ({ classified, same, images, cosine }) =>
    classified ? `${same} of ${images} keep their class` : `cosine ${cosine.toFixed(2)} of features`;
  const words = (l, baseline) => {
    const s = l.shares;
    if (!s) {
      const r2 = l.spectrum?.r2_k3,
        fresh = l.spectrum?.null?.r2_k3?.mean;
      return [
        'This layer is not one linear map of its tokens.',
        typeof r2 === 'number' && `R² of the best 3\u200a×\u200a3 convolution: ${r2.toFixed(2)}${fresh ? `, untrained ${fresh.toFixed(2)}` : ''}`,
      ].filter(Boolean);
    }
    const fresh = l.null?.within3,
      acc = l.function?.k3?.acc;
    return [
      fresh && `untrained ${spread(fresh)}`,
      l.borders && `any size: zeros ${share(l.borders.zeros.any)}, edges ${share(l.borders.repeated.any)}`,
      l.content && `depends on the image: ${share(l.content.share)}`,
      l.elsewhere && `attention on other tokens: ${share(l.elsewhere)}`,
      acc !== undefined && baseline && `${pct(acc)} right if it is replaced by one`,
      l.answers && kept(l.answers),
    ].filter(Boolean);
  };
  function profileWords(l) {
    const p = l.profiles;
    if (!p) return '';
    const fresh = p.untrained?.count?.mean;
    return plural(p.count, 'profile') + (fresh ? `, untrained ${+fresh.toFixed(1)}` : '');
  }
  // build makes the row of a layer: its shares, what they say, and the profiles of its heads.
  function build(l, d) {
    const shares = el('canvas', { class: 'shares', role: 'img' }),
      groups = l.profiles?.groups ?? [],
      profiles = el('canvas', { class: 'profiles', role: 'img' });
    if (l.shares) {
      const list = s => PARTS.map(([key, name]) => `${name} ${pct(s[key])}`).join(', '),
        fresh = l.null ? `. Untrained: ${list(l.null.shares)}` : '';
      shares.setAttribute('aria-label', `Layer ${l.layer}: ${list(l.shares)}${fresh}`);
    }
    profiles.setAttribute('aria-label', `Profiles of layer ${l.layer}: ${groups.map(g => heads(g.heads)).join('; ')}`);
    const box = el(
      'div',
      { class: 'layer' },
      el('h3', {}, `Layer ${l.layer}`),
      ...(l.shares ? [shares] : []),
      el(
        'div',
        { class: 'words' },
        ...(l.shares ? [el('b', {}, pct(within3(l.shares))), el('span', {}, '3\u200a×\u200a3 convolution')] : []),
        ...words(l, d.unchanged).map(text => el('p', {}, text)),
      ),
      el('div', { class: 'of-heads' }, ...(groups.length ? [profiles, el('p', {}, profileWords(l))] : [])),
    );
    return { l, groups, shares, profiles, box };
  }
  const heads = list => (list.length === 1 ? `head ${list[0]}` : `heads ${list.join(', ')}`);

  const shade = i => mix(ink.well, ink.ink, 0.12 + 0.88 * INK[i]);
  function drawShares({ l, shares }) {
    if (!l.shares) return;
    const { g, w, h } = fit(shares);
    g.clearRect(0, 0, w, h);
    const lane = (s, y, height, alpha) => {
      let x = 0;
      PARTS.forEach(([key], i) => {
        const part = s[key] * w;
        if (key === 'place') {
          g.strokeStyle = rgb(ink.soft, alpha);
          g.lineWidth = 1;
          if (part > 1.5) g.strokeRect(x + 0.5, y + 0.5, Math.min(part, w - x) - 1, height - 1);
        } else {
          g.fillStyle = rgb(shade(i), alpha);
          g.fillRect(x, y, Math.max(0, part - (part > 3 ? 1 : 0)), height);
        }
        x += part;
      });
    };
    lane(l.shares, 0, l.null ? h * 0.62 : h, 1);
    if (l.null) lane(l.null.shares, h * 0.74, h * 0.26, 0.75);
  }

  const off = document.createElement('canvas'),
    og = off.getContext('2d');
  // the profile of each group around the query, with the number of its heads below
  function drawProfiles({ groups, profiles }) {
    if (!groups.length) return;
    const { g, w, h } = fit(profiles),
      gap = 0.375 * rem(),
      line = 1.125 * rem(),
      s = Math.min(h - line, (w - gap * (groups.length - 1)) / groups.length);
    g.clearRect(0, 0, w, h);
    g.font = `${0.75 * rem()}px ${getComputedStyle(document.body).fontFamily}`;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.imageSmoothingEnabled = false;
    groups.forEach(({ profile, heads }, i) => {
      const k = Math.min(NEAR, (profile.length - 1) / 2),
        n = 2 * k + 1,
        from = (profile.length - n) / 2,
        near = profile.slice(from, from + n).map(row => row.slice(from, from + n)),
        most = Math.max(...near.flat()) || 1,
        x = i * (s + gap),
        u = s / n,
        bits = og.createImageData(n, n);
      off.width = off.height = n;
      near.flat().forEach((v, j) => {
        const color = mix(ink.well, ink.sharp, Math.sqrt(Math.max(0, v) / most));
        for (let c = 0; c < 3; c++) bits.data[4 * j + c] = color[c];
        bits.data[4 * j + 3] = 255;
      });
      og.putImageData(bits, 0, 0);
      g.drawImage(off, x, 0, s, s);
      g.strokeStyle = rgb(ink.ink);
      g.lineWidth = 1;
      g.strokeRect(x + k * u - 0.5, k * u - 0.5, u + 1, u + 1);
      g.fillStyle = rgb(ink.soft);
      g.fillText(`${heads.length}×`, x + s / 2, s + line / 2 + 1);
    });
  }

  const before = test => (test?.untrained ? spread(test.untrained) : '–'),
    number = v => (v === null || v === undefined ? '–' : pct(v)),
    COLUMNS = [
      ['layer', l => String(l.layer)],
      ...PARTS.map(([key, name]) => [name, l => number(l.shares?.[key])]),
      ['3\u200a×\u200a3 untrained', l => (l.null?.within3 ? spread(l.null.within3) : '–')],
      ['any size, zeros', l => l.borders ? share(l.borders.zeros.any) : '–'],
      ['untrained', l => before(l.borders?.zeros.any)],
      ['any size, edge repeated', l => l.borders ? share(l.borders.repeated.any) : '–'],
      ['untrained', l => before(l.borders?.repeated.any)],
      ['depends on the image', l => (l.content ? share(l.content.share) : '–')],
      ['untrained', l => before(l.content?.share)],
      ['elsewhere', l => (l.elsewhere ? share(l.elsewhere) : '–')],
      ['untrained', l => before(l.elsewhere)],
      ['R² of 3\u200a×\u200a3', l => l.spectrum?.r2_k3?.toFixed(2) ?? '–'],
      ['untrained', l => l.spectrum?.null?.r2_k3?.mean?.toFixed(2) ?? '–'],
      ['accuracy, replaced', l => number(l.function?.k3?.acc)],
      ['same class', l => (l.answers?.classified ? number(l.answers.same / l.answers.images) : '–')],
      ['cosine', l => l.answers?.cosine.toFixed(2) ?? '–'],
      ['profiles', l => String(l.profiles?.count ?? '–')],
      ['untrained', l => String(l.profiles?.untrained?.count?.mean?.toFixed(1) ?? '–')],
    ];
  function table(d) {
    const columns = COLUMNS.filter(([, of]) => d.layers.some(l => of(l) !== '–'));
    $('#an-table').replaceChildren(
      el('thead', {}, el('tr', {}, ...columns.map(([name]) => el('th', { scope: 'col' }, name)))),
      el(
        'tbody',
        {},
        ...d.layers.map(l => el('tr', {}, ...columns.map(([, of], i) => el(i ? 'td' : 'th', i ? {} : { scope: 'row' }, of(l))))),
      ),
    );
    $('#an-sentences').replaceChildren(
      ...d.layers.flatMap(l => [l.sentence, l.profiles?.sentence].filter(Boolean)).map(s => el('li', {}, s)),
      ...(d.notes ?? []).map(s => el('li', {}, `Note: ${s}`)),
    );
  }

  // write puts what was found into the page.
  function write() {
    const d = found.analysis;
    drawn = found;
    $('#an-verdict').replaceChildren(...(d.verdict ?? []).map(s => el('p', {}, s)));
    $('#an-place').replaceChildren(...place());
    accuracies(d);
    layers = d.layers.map(l => build(l, d));
    for (const [id, key] of [['#an-content', 'content'], ['#an-elsewhere', 'elsewhere'], ['#an-kept', 'answers']])
      $(id).hidden = !d.layers.some(l => l[key]);
    $('#an-layers').replaceChildren(...layers.map(p => p.box));
    table(d);
  }

  return {
    rows: () => [
      ['layer', ...PARTS.map(([key]) => key), 'untrained_3x3', 'untrained_3x3_std', 'zeros_any', 'repeated_any', 'r2_3x3', 'accuracy', 'accuracy_replaced', 'profiles', 'untrained_profiles', 'content', 'elsewhere', 'pictures', 'same_class', 'cosine'],
      ...(found?.analysis?.layers ?? []).map(l => [
        l.layer,
        ...PARTS.map(([key]) => l.shares?.[key]),
        l.null?.within3?.mean,
        l.null?.within3?.std,
        l.borders?.zeros.any.value,
        l.borders?.repeated.any.value,
        l.spectrum?.r2_k3,
        found.analysis.unchanged?.acc,
        l.function?.k3?.acc,
        l.profiles?.count,
        l.profiles?.untrained?.count?.mean,
        l.content?.share.value,
        l.elsewhere?.value,
        l.answers?.images,
        l.answers?.classified ? l.answers.same : undefined,
        l.answers?.cosine,
      ]),
    ],
    command,
    measured: () => found?.analysis ?? null,
    draw() {
      if (!asked) load();
      const none = !found?.analysis;
      $('#an-ask').hidden = exported;
      $('#an-weights').hidden = $('#an-all').hidden = !!stop;
      $('#an-cancel').hidden = $('#an-stage').hidden = !stop;
      $('#an-found').hidden = none;
      $('#an-none').hidden = !none || !!stop || (!found && !trouble);
      $('#an-none').textContent = trouble || `This ${what} has not been measured yet.`;
      if (stop) {
        const { stage: text, part } = stage;
        $('#an-words').textContent = `${text[0].toUpperCase()}${text.slice(1)}${part ? `, ${pct(part)}` : ''} …`;
        if (part) $('#an-bar').value = part;
        else $('#an-bar').removeAttribute('value');
      }
      if (none) {
        $('#an-verdict').replaceChildren();
        return;
      }
      if (drawn !== found) write();
      $('#an-key').hidden = !layers.some(p => p.l.shares);
      layers.forEach(p => {
        drawShares(p);
        drawProfiles(p);
      });
      $('#an-key')
        .querySelectorAll('i')
        .forEach((e, i) => {
          e.style.background = i < 5 ? rgb(shade(i)) : 'none';
        });
    },
  };
}
