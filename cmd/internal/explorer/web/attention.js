// Attention on an image: one query, all heads of all layers. Gaussian heads are computed here; others come from the
// server.
import { $, ink, rgb, rem, fit, lookAt, choice, thumbs, arrows, attended, pair, pct, where, clamp, say } from './draw.js';
import { gaussians, served } from './sources.js';
import { drawPins } from './pins.js';
import { fileOf } from './commands.js';
import { absent } from './data.js';
import { api, exported, PARTS } from './api.js';

const NAMES = PARTS.map(part => [part, part === 'weights' ? 'attention' : part]);

export function attention(data, state, changed) {
  const { run, blocks, counts } = data,
    [R, C] = run.grid,
    T = R * C;
  const source = data.frames.length ? gaussians(data, state) : served(data, state, changed),
    L = counts.length,
    H = Math.max(...counts);
  const maps = new Float32Array(L * H * T),
    tops = new Float32Array(L * H);
  const off = document.createElement('canvas'),
    og = off.getContext('2d');
  off.width = H * C;
  off.height = L * R;
  const setScale = choice(
    $('#at-scale'),
    'Shade',
    [
      ['shared', 'one scale for all'],
      ['own', 'each its own'],
    ],
    v => {
      state.scale = v;
      changed({});
    },
  );
  const setPart = choice($('#at-part'), 'Show', NAMES, v => {
    state.part = v;
    changed({});
  });
  const picture = [run.image[0], run.image[1]];
  const setThumb = thumbs($('#at-thumbs'), picture, i => changed({ image: i }));
  $('#at-frame').style.aspectRatio = `${C} / ${R}`;

  // the user's image: dropped, or chosen as a file
  const drop = $('#at-drop'),
    file = $('#at-file');
  drop.hidden = exported || run.foreign;
  async function take(f) {
    if (!f) return;
    if (f.size > 8 << 20) return say(`${f.name} is too large: want at most 8 MB.`);
    try {
      const im = await api.upload(run.id, f);
      data.images.push(im);
      say('');
      changed({ image: data.images.length - 1 });
    } catch (e) {
      say(`${f.name}: ${e.message}`);
    }
  }
  file.onchange = () => {
    take(file.files[0]);
    file.value = '';
  };
  const frame = $('#at-frame'),
    mapsFrame = $('#at-maps-frame');
  for (const type of ['dragover', 'drop'])
    frame.addEventListener(type, e => {
      e.preventDefault();
      if (type === 'drop' && !drop.hidden) take(e.dataTransfer.files[0]);
    });

  const token = e => {
    const b = frame.getBoundingClientRect();
    return [
      clamp((((e.clientY - b.top) / b.height) * R) | 0, 0, R - 1),
      clamp((((e.clientX - b.left) / b.width) * C) | 0, 0, C - 1),
    ];
  };
  const go = q => {
    if (q[0] !== state.query[0] || q[1] !== state.query[1]) changed({ query: q });
  };
  const pin = q => {
    const i = state.pins.findIndex(p => p[0] === q[0] && p[1] === q[1]);
    if (i >= 0) state.pins.splice(i, 1);
    else {
      state.pins.push(q);
      if (state.pins.length > 5) state.pins.shift();
    }
    changed({});
  };
  frame.onpointermove = e => go(token(e));
  frame.onpointerdown = e => {
    go(token(e));
    pin(token(e));
  };
  arrows(frame, (r, c) => go([clamp(state.query[0] + r, 0, R - 1), clamp(state.query[1] + c, 0, C - 1)]), {
    Enter: () => pin([...state.query]),
    Escape: () => {
      state.pins = [];
      changed({});
    },
  });

  // layout of the maps: a margin for labels, then cells of s × s·R/C, which are not larger than MOST
  const MOST = 14 * rem();
  const layout = w => {
    const left = Math.max(16, w * 0.036),
      gap = Math.max(2, w * 0.008),
      top = 1.75 * rem(),
      s = Math.min(MOST, (w - left - gap * (H - 1) - 2) / H),
      t = (s * R) / C;
    return { left, top, gap, s, t, height: top + t * L + gap * (L - 1) + 2 };
  };
  const headAt = e => {
    const b = mapsFrame.getBoundingClientRect(),
      { left, top, gap, s, t } = layout(b.width),
      l = clamp(Math.floor((e.clientY - b.top - top + gap / 2) / (t + gap)), 0, L - 1);
    return [l, clamp(Math.floor((e.clientX - b.left - left + gap / 2) / (s + gap)), 0, counts[l] - 1)];
  };
  const choose = e => {
    const h = headAt(e);
    if (h.join() !== state.head.join()) changed({ head: h });
  };
  mapsFrame.onpointermove = choose;
  mapsFrame.onpointerdown = choose;
  arrows(mapsFrame, (r, c) => {
    const l = (state.head[0] + r + L) % L,
      n = counts[l];
    changed({ head: [l, (Math.min(state.head[1], n - 1) + c + n) % n] });
  });

  const weights = () => state.part === 'weights' || data.frames.length > 0;
  // shade: a weight by its square root, a score by its place between the head's least and largest
  function shade(l, h, v) {
    if (weights()) return Math.sqrt(Math.max(0, v) * (state.scale === 'own' ? 1 / (tops[l * H + h] || 1) : 1));
    const [least, most] = source.range(l, h);
    return most > least ? (v - least) / (most - least) : 0;
  }

  function drawAll() {
    const q = state.query,
      [sl, sh] = state.head,
      bits = og.createImageData(H * C, L * R),
      d = bits.data;
    for (let l = 0; l < L; l++)
      for (let h = 0; h < counts[l]; h++) {
        const c = source.color(l, h),
          a = (l * H + h) * T;
        tops[l * H + h] = source.map(l, h, q, maps, a);
        for (let r = 0; r < R; r++)
          for (let i = 0; i < C; i++) {
            const t = shade(l, h, maps[a + r * C + i]),
              o = 4 * ((l * R + r) * H * C + h * C + i);
            for (let j = 0; j < 3; j++) d[o + j] = ink.well[j] + (c[j] - ink.well[j]) * t;
            d[o + 3] = 255;
          }
      }
    og.putImageData(bits, 0, 0);
    const { height } = layout(mapsFrame.clientWidth);
    mapsFrame.style.height = `${height}px`;
    const { g, w, h } = fit($('#at-maps')),
      { left, top, gap, s, t } = layout(w),
      u = s / C;
    g.clearRect(0, 0, w, h);
    g.imageSmoothingEnabled = false;
    const size = clamp(s * 0.2, 10, rem() * 0.875);
    g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    for (let i = 0; i < H; i++) {
      g.fillStyle = rgb(i === sh ? ink.ink : ink.soft);
      g.fillText(i ? i + 1 : s > 44 ? 'head 1' : '1', left + i * (s + gap) + s / 2, top / 2 - 2);
    }
    for (let l = 0; l < L; l++) {
      const y = top + l * (t + gap);
      g.fillStyle = rgb(l === sl ? ink.ink : ink.soft);
      if (l === 0 && t > 44) {
        g.save();
        g.translate(left / 2 - 2, y + t / 2);
        g.rotate(-Math.PI / 2);
        g.fillText(`layer ${blocks[0]}`, 0, 0);
        g.restore();
      } else g.fillText(blocks[l], left / 2 - 2, y + t / 2);
      for (let i = 0; i < counts[l]; i++) {
        const x = left + i * (s + gap);
        g.drawImage(off, i * C, l * R, C, R, x, y, s, t);
        g.lineWidth = 1;
        g.strokeStyle = rgb(ink.ink, 0.85);
        g.strokeRect(x + q[1] * u + 0.5, y + q[0] * u + 0.5, Math.max(2, u - 1), Math.max(2, u - 1));
        if (l === sl && i === sh) {
          g.lineWidth = Math.max(2, s / 40);
          g.strokeStyle = rgb(ink.ink);
          g.strokeRect(x - 1.5, y - 1.5, s + 3, t + 3);
        }
      }
    }
  }

  // the chosen head over the image: lit where it looks
  function drawImage() {
    const [sl, sh] = state.head,
      at = (sl * H + sh) * T,
      top = tops[sl * H + sh] || 1,
      lit = i => (weights() ? Math.sqrt(Math.max(0, maps[at + i] / top)) : shade(sl, sh, maps[at + i])),
      { G, U, V } = lookAt($('#at-image'), data.images[state.image], picture, run.grid, state.query, lit);
    state.pins.forEach((p, i) => {
      G.fillStyle = '#fff';
      G.beginPath();
      G.arc((p[1] + 0.5) * U, (p[0] + 0.5) * V, Math.min(11, U * 0.4), 0, 7);
      G.fill();
      G.fillStyle = '#111';
      G.font = `600 ${Math.min(13, U * 0.5)}px ${getComputedStyle(document.body).fontFamily}`;
      G.textAlign = 'center';
      G.textBaseline = 'middle';
      G.fillText(i + 1, (p[1] + 0.5) * U, (p[0] + 0.5) * V + 0.5);
    });
  }

  function drawWords() {
    const q = state.query,
      [sl, sh] = state.head,
      at = (sl * H + sh) * T,
      { shift: delta, top, words } = attended(maps, at, run.grid, q, source.elsewhere(sl, sh, q)),
      p = source.head(sl, sh),
      from = `Layer ${blocks[sl]}, head ${sh + 1}, from token (${q[0]}, ${q[1]})`;
    $('#at-formula').hidden = !p || !!p[3];
    if (p && !p[3]) {
      const d2 = (delta[0] - p[0]) ** 2 + (delta[1] - p[1]) ** 2,
        z = Math.exp(-p[2] * d2) / top;
      const alpha =
        p[2] >= 0.01
          ? p[2].toPrecision(3)
          : p[2]
              .toExponential(1)
              .replace(/e-(\d+)/, '·10⁻$1')
              .replace(/⁻(\d+)/, (_, x) => '⁻' + [...x].map(c => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]).join(''));
      // only numbers and constants of this file go in here, never text of a run
      const frac = (exponent, sum) =>
        `<span class="frac"><span><i>e</i><sup>${exponent}</sup></span><span>${sum}</span></span>`;
      $('#at-formula').innerHTML =
        `<span><i>P</i>(<i>k</i>&hairsp;|&hairsp;<i>q</i>) = ` +
        frac('−<i>α</i>‖<i>δ</i> − Δ‖²', '∑ <i>e</i><sup>−<i>α</i>‖<i>δ</i>′ − Δ‖²</sup>') +
        `</span> <span>= ${frac(`−${alpha} · ‖${pair(delta, 0)} − ${pair(p)}‖²`, z.toFixed(z > 10 ? 1 : 3))}` +
        ` = <b>${top.toFixed(3)}</b></span>`;
    }
    const score = state.part === 'scores' ? 'score' : 'score of ' + state.part;
    const text = weights()
      ? `${from}: ${words}`
      : `${from}: the largest ${score} is at ${where(delta)}, ${top.toFixed(2)}.`;
    if ($('#at-summary').textContent !== text) $('#at-summary').textContent = text;
    const im = data.images[state.image];
    frame.setAttribute(
      'aria-label',
      `${im ? `Image: ${im.label}` : 'No image'}; query at row ${q[0]}, column ${q[1]} of ${R} by ${C} tokens`,
    );
    const says = $('#at-class');
    const save = $('#at-save');
    save.hidden = !im || im.own || run.foreign;
    if (!save.hidden && save.download !== fileOf(im)) {
      save.download = fileOf(im);
      save.textContent = `Save this image as ${fileOf(im)}`;
      save.href = $('#at-thumbs').querySelectorAll('canvas')[state.image].toDataURL();
    }
    says.hidden = !im?.classes;
    if (im?.classes)
      says.textContent = `The network says: ${im.classes
        .slice(0, 3)
        .map(c => `${c.class} ${pct(c.p)}`)
        .join(', ')}.`;
  }

  function drawChoices() {
    setScale(state.scale);
    setPart(state.part);
    $('#at-part').hidden = source.parts.length < 2;
    $('#at-part')
      .querySelectorAll('[role=radio]')
      .forEach(b => {
        b.hidden = !source.parts.includes(b.dataset.value);
      });
  }

  return {
    maps: () => maps,
    rows: () => [
      ['layer', 'head', 'query_row', 'query_column', 'row', 'column', weights() ? 'attention' : state.part],
      ...counts.flatMap((n, l) =>
        Array.from({ length: n * T }, (_, i) => {
          const h = (i / T) | 0,
            k = i % T;
          return [blocks[l], h + 1, ...state.query, (k / C) | 0, k % C, maps[(l * H + h) * T + k]];
        }),
      ),
    ],
    draw() {
      setThumb(data.images, state.image);
      if (!source.ready()) {
        fit($('#at-maps')).g.clearRect(0, 0, 1e4, 1e4);
        drawChoices();
        if (data.images.length) lookAt($('#at-image'), data.images[state.image], picture, run.grid, state.query, () => 1);
        $('#at-summary').textContent = absent(data, data.images[state.image]);
        return;
      }
      if (state.head[0] >= L) state.head[0] = L - 1;
      state.head[1] = Math.min(state.head[1], counts[state.head[0]] - 1);
      source.begin();
      drawAll();
      drawImage();
      drawWords();
      drawPins(data, state, source, weights());
      drawChoices();
    },
  };
}
