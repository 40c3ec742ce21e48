// Colors, canvases, and the small controls that all views share.
import { entropy, radius } from './math.js';

export const $ = (s, in_ = document) => in_.querySelector(s);
export const el = (tag, attrs = {}, ...kids) => {
  const ns = 'svg g circle ellipse path line rect text'.split(' ').includes(tag) ? 'http://www.w3.org/2000/svg' : 0;
  const e = ns ? document.createElementNS(ns, tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) if (v !== undefined && v !== null) e.setAttribute(k, v);
  e.append(...kids);
  return e;
};
// say shows a message above the view; no text hides it.
export function say(text) {
  $('#said').textContent = text;
  $('#said').hidden = !text;
}
export const capital = s => s[0].toUpperCase() + s.slice(1);
export const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
export const still = matchMedia('(prefers-reduced-motion: reduce)');
export const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
export const pct = x => Math.round(100 * x) + '\u202f%';
export const duration = s => {
  if (s === null) return '–';
  return s < 120 ? `${Math.round(s)} s` : s < 7200 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`;
};
export const signed = (x, d = 2) => {
  const s = Math.abs(x).toFixed(d);
  return (x < 0 && +s !== 0 ? '−' : '') + s;
};
export const pair = (v, d = 2) => `(${signed(v[0], d)}, ${signed(v[1], d)})`;

// colors are read from the style sheet, the one place that names them.
export const ink = {};
const probe = document.createElement('i');
export function readColors() {
  document.body.append(probe);
  for (const name of ['paper', 'well', 'line', 'ink', 'soft', 'faint', 'sharp', 'wide', 'still']) {
    probe.style.color = `var(--${name})`;
    ink[name] = getComputedStyle(probe)
      .color.match(/[\d.]+/g)
      .slice(0, 3)
      .map(Number);
  }
  probe.remove();
}
export const rgb = (c, a = 1) => `rgb(${c[0] | 0} ${c[1] | 0} ${c[2] | 0} / ${a})`;
export const mix = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];

// narrower compares two radii: +1 if the second is four times smaller, −1 if it is four times larger. change does so for
// Gaussian heads. The two hues have no other meaning.
export const narrower = (first, now) => clamp(Math.log2(first / now) / 2, -1, 1);
export const change = (first, now) => narrower(radius(first[2]), radius(now[2]));
export const changeColor = t =>
  t >= 0 ? mix(ink.still, ink.sharp, Math.min(1, t * 1.5)) : mix(ink.still, ink.wide, Math.min(1, -t * 1.5));

// record calls draw, and returns for each canvas what was drawn on it: a Pen instead of its context.
let pens = null;
export function record(Pen, draw) {
  const all = (pens = new Map()),
    make = () => new Pen();
  pens.make = make;
  try {
    draw();
  } finally {
    pens = null;
  }
  return all;
}

// resize gives canvases the device pixels of their boxes. To measure one after another has been sized is another layout.
export function resize(...canvases) {
  const k = devicePixelRatio || 1,
    sizes = canvases.map(c => [Math.round((c.clientWidth || 1) * k), Math.round((c.clientHeight || 1) * k)]);
  canvases.forEach((c, i) => {
    if (c.width !== sizes[i][0] || c.height !== sizes[i][1]) [c.width, c.height] = sizes[i];
  });
}

// fit sizes a canvas to its box in device pixels and returns its context in CSS pixels.
export function fit(canvas) {
  const w = canvas.clientWidth || 1,
    h = canvas.clientHeight || 1,
    k = devicePixelRatio || 1;
  if (pens) {
    if (!pens.has(canvas)) pens.set(canvas, pens.make());
    return { g: pens.get(canvas), w, h };
  }
  resize(canvas);
  const g = canvas.getContext('2d');
  g.setTransform(k, 0, 0, k, 0, 0);
  return { g, w, h };
}

// paint shows rows × columns × 3 values through shade(value) → 0 … 255, scaled up without smoothing.
const sheets = new Map();
function sheet(rows, cols) {
  const key = rows + 'x' + cols;
  if (!sheets.has(key)) {
    const c = document.createElement('canvas');
    c.width = cols;
    c.height = rows;
    sheets.set(key, [c, c.getContext('2d'), new ImageData(cols, rows)]);
  }
  return sheets.get(key);
}
export function paint(canvas, x, [rows, cols], shade) {
  const { g, w, h } = fit(canvas),
    [s, sg, data] = sheet(rows, cols);
  for (let i = 0; i < rows * cols; i++) {
    for (let c = 0; c < 3; c++) data.data[4 * i + c] = shade(x[3 * i + c]);
    data.data[4 * i + 3] = 255;
  }
  sg.putImageData(data, 0, 0);
  g.imageSmoothingEnabled = false;
  g.drawImage(s, 0, 0, w, h);
  return { g, w, h };
}

// outline marks a square in black and white, visible on any image.
export function outline(g, x, y, w, h) {
  g.lineWidth = 3;
  g.strokeStyle = 'rgb(0 0 0 / 0.75)';
  g.strokeRect(x, y, w, h);
  g.lineWidth = 1.25;
  g.strokeStyle = '#fff';
  g.strokeRect(x, y, w, h);
}

// lookAt draws an image that is lit where a head looks: lit(i) in 0 … 1 of token i, on a grid of rows × columns, with the
// query outlined. It returns the context, and the sides of a token.
export function lookAt(canvas, im, picture, [R, C], q, lit) {
  const { g, w, h } = im ? paint(canvas, im.bytes, picture, v => v) : fit(canvas),
    U = w / C,
    V = h / R;
  if (!im) {
    g.fillStyle = rgb(ink.soft);
    g.fillRect(0, 0, w, h);
  }
  for (let i = 0; i < R * C; i++) {
    g.fillStyle = `rgb(10 12 15 / ${(0.68 * (1 - lit(i))).toFixed(3)})`;
    g.fillRect((i % C) * U, ((i / C) | 0) * V, U + 0.5, V + 0.5);
  }
  g.strokeStyle = 'rgb(255 255 255 / 0.13)';
  g.lineWidth = 1;
  g.beginPath();
  for (let i = 1; i < C; i++) {
    g.moveTo(i * U, 0);
    g.lineTo(i * U, h);
  }
  for (let i = 1; i < R; i++) {
    g.moveTo(0, i * V);
    g.lineTo(w, i * V);
  }
  g.stroke();
  outline(g, q[1] * U, q[0] * V, U, V);
  return { G: g, U, V };
}

// bar is a labeled bar of length v in 0 … 1, with a mark at another length if there is one.
export function bar(name, v, tick, cls) {
  const i = el('i'),
    em = tick === undefined ? '' : el('em');
  i.style.width = `${100 * clamp(v, 0, 1)}%`;
  if (em) em.style.left = `${100 * clamp(tick, 0, 1)}%`;
  return el(
    'div',
    { class: `bar ${cls ?? ''}` },
    el('span', {}, name),
    el('span', { class: 'lane' }, i, em),
    el('b', {}, pct(v)),
  );
}

// classBars shows the four most likely classes in a box, the true one among them, and returns their numbers. was are
// probabilities to compare with.
export function classBars(box, classes, truth, now, was = []) {
  const order = [...now.keys()].sort((a, b) => now[b] - now[a]).slice(0, 4);
  if (truth >= 0 && !order.includes(truth)) order[3] = truth;
  box.replaceChildren(...order.map(k => bar(classes[k] + (k === truth ? ' ✓' : ''), now[k], was[k], k === truth ? 'main' : '')));
  return order;
}

// choice is a radio group of text buttons: one tab stop, arrow keys inside.
export function choice(box, name, options, pick) {
  box.replaceChildren(
    ...(name ? [el('span', { class: 'name', 'aria-hidden': 'true' }, name)] : []),
    ...options.map(([value, label]) => {
      const b = el('button', { role: 'radio', 'data-value': value }, label);
      b.onclick = () => pick(value);
      return b;
    }),
  );
  return radios(box);
}
function radios(box) {
  const all = [...box.querySelectorAll('[role=radio]')];
  box.onkeydown = e => {
    const d = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key],
      i = all.indexOf(document.activeElement);
    if (!d || i < 0) return;
    e.preventDefault();
    e.stopPropagation();
    const next = all[(i + d + all.length) % all.length];
    next.focus();
    next.click();
  };
  return value => {
    const any = all.some(b => b.dataset.value === String(value));
    all.forEach((b, i) => {
      const on = b.dataset.value === String(value);
      b.setAttribute('aria-checked', on);
      b.tabIndex = on || (!any && i === 0) ? 0 : -1;
    });
  };
}
// thumbs returns what shows a list of images, which may grow, as a radio group, and marks one of them.
export function thumbs(box, [rows, cols], pick) {
  let list = null,
    count = -1,
    mark;
  return (images, chosen) => {
    if (list !== images || count !== images.length) {
      [list, count] = [images, images.length];
      box.replaceChildren(...images.map(thumb));
      mark = radios(box);
    }
    mark(chosen);
  };
  function thumb(im, i) {
    const c = el('canvas', { width: cols, height: rows }),
      g = c.getContext('2d'),
      d = new ImageData(cols, rows);
    for (let p = 0; p < rows * cols; p++) {
      for (let k = 0; k < 3; k++) d.data[4 * p + k] = im.bytes[3 * p + k];
      d.data[4 * p + 3] = 255;
    }
    g.putImageData(d, 0, 0);
    const b = el('button', { role: 'radio', 'aria-label': im.label, 'data-value': i }, c);
    b.onclick = () => pick(i);
    return b;
  }
}

// glide calls step with 0 … 1 over some milliseconds, slower towards the end, until it returns false; with 1 at once if
// motion is unwelcome.
export function glide(ms, step) {
  const t0 = performance.now(),
    tick = now => {
      const t = still.matches ? 1 : clamp((now - t0) / ms, 0, 1);
      if (step(1 - (1 - t) ** 3) !== false && t < 1) requestAnimationFrame(tick);
    };
  requestAnimationFrame(tick);
}

// scrubber is a slider drawn on the curve that it moves along. o: label, min, max, step, value(), set(v), text(v),
// draw(g, w, h, x, v)
const PLAY = 'M5 3.5v13l11-6.5z',
  PAUSE = 'M5 3.5h3.5v13H5zM11.5 3.5H15v13h-3.5z',
  PAD = 12;
export function scrubber(box, o) {
  const icon = el('path', { d: PLAY }),
    play = el(
      'button',
      { class: 'play', 'aria-label': 'Play' },
      el('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, icon),
    );
  const canvas = el('canvas', { 'aria-hidden': 'true' }),
    input = el('input', {
      type: 'range',
      min: o.min,
      max: typeof o.max === 'function' ? o.max() : o.max,
      step: o.step,
      'aria-label': o.label,
    });
  box.replaceChildren(play, el('div', { class: 'rail' }, canvas, input));
  let running = false,
    last = 0;
  const tick = now => {
    if (!running) return;
    const on = o.advance(Math.min(0.05, (now - last) / 1000));
    last = now;
    if (on) requestAnimationFrame(tick);
    else api.pause();
  };
  const api = {
    get running() {
      return running;
    },
    play() {
      if (running) return;
      running = true;
      last = performance.now();
      o.rewind?.();
      icon.setAttribute('d', PAUSE);
      play.setAttribute('aria-label', 'Pause');
      if (still.matches) {
        const step = () => {
          if (!running) return;
          o.step_?.() ? setTimeout(step, 800) : api.pause();
        };
        step();
      } else requestAnimationFrame(tick);
    },
    pause() {
      running = false;
      icon.setAttribute('d', PLAY);
      play.setAttribute('aria-label', 'Play');
      o.paused?.();
    },
    toggle() {
      running ? api.pause() : api.play();
    },
    draw() {
      const v = o.value(),
        { g, w, h } = fit(canvas);
      input.max = typeof o.max === 'function' ? o.max() : o.max;
      input.value = v;
      input.setAttribute('aria-valuetext', o.text(v));
      g.clearRect(0, 0, w, h);
      o.draw(g, w, h, u => PAD + ((u - o.min) / (Math.max(o.min + 1e-9, +input.max) - o.min)) * (w - 2 * PAD), v);
    },
  };
  play.onclick = api.toggle;
  input.oninput = () => {
    if (running) api.pause();
    o.set(+input.value);
  };
  return api;
}

// arrows calls move(rows, columns, event) for arrow keys in a focused picture.
export function arrows(box, move, others = {}) {
  box.addEventListener('keydown', e => {
    const d = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
    if (d) {
      e.preventDefault();
      move(d[0], d[1], e);
    } else if (others[e.key]) {
      e.preventDefault();
      others[e.key](e);
    }
  });
}

// where says a shift in words.
export function where([r, c]) {
  if (!r && !c) return 'the query itself';
  const v = r ? (Math.abs(r) > 1 ? Math.abs(r) + ' ' : '') + (r < 0 ? 'up' : 'down') : '',
    u = c ? (Math.abs(c) > 1 ? Math.abs(c) + ' ' : '') + (c < 0 ? 'left' : 'right') : '';
  if (Math.abs(r) <= 1 && Math.abs(c) <= 1)
    return (
      'the token ' +
      [r < 0 ? 'above' : r > 0 ? 'below' : '', c ? (r ? 'to the ' : 'on the ') + (c < 0 ? 'left' : 'right') : '']
        .filter(Boolean)
        .join(' ')
    );
  return 'the token ' + [v, u].filter(Boolean).join(', ');
}
// attended says where the attention maps[at …] of R × C tokens goes from the query q: the shift of its largest value, that
// value, and both in words. elsewhere is the part that is not on these tokens; the entropy is of the rest.
export function attended(maps, at, [R, C], q, elsewhere = 0) {
  const T = R * C;
  let k = 0;
  for (let i = 1; i < T; i++) if (maps[at + i] > maps[at + k]) k = i;
  const top = maps[at + k],
    shift = [((k / C) | 0) - q[0], (k % C) - q[1]],
    most = top < 2 / T ? 'no token in particular' : `${where(shift)}, ${pct(top)}`,
    possible = Math.log2(T).toFixed(1).replace(/\.0$/, ''),
    rest = Math.max(1 - elsewhere, 1e-9),
    bits = Math.max(0, entropy(maps, at, T) / rest + Math.log2(rest)).toFixed(1),
    off = elsewhere >= 0.005 ? `; ${pct(elsewhere)} elsewhere, not on the grid; entropy of the rest` : '; entropy';
  return { shift, top, words: `most on ${most}${off} ${bits} of ${possible} bits.` };
}
export const decode = s => Uint8Array.from(atob(s), c => c.charCodeAt(0));
// quote writes a word for a shell.
export const quote = s => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", `'\\''`)}'`);
