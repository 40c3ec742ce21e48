// The tour: ten steps from a dot product to the theorem, and to what training finds, on the reader's own image.
import { $, el, ink, mix, paint, outline, thumbs, arrows, clamp, pct, signed, say } from './draw.js';
import { convolve, attend, maxDifference, PRESETS } from './exact.js';
import { axes, entropy, headMap } from './math.js';
import { byColor, byPlace, dots, soft } from './lessons.js';
import { absent } from './data.js';
import { columns, kindOf } from './overview.js';
import { flow } from './flow.js';
import { ownImage, scaled } from './own.js';

const N = 32,
  T = N * N,
  PIXEL = i => [(i / N) | 0, i % N];

// STEPS: title and text; slider: what it is called and its range; left and right draw the two pictures and return what
// is below them; epoch is that of the heads which a step shows instead. s is the state, see tour.
const STEPS = [
  {
    title: 'An image is a set of tokens.',
    text:
      'In these steps a token is one pixel, three numbers and a place; in the picture above it is a square of pixels. ' +
      'Attention asks, for one token at a time, which others matter to it. Point at a pixel, or move with the arrow ' +
      'keys; it is the query. Choose your own image below.',
    formula: 'x<sub>q</sub> = (red, green, blue)',
    left: s => s.picture(),
    right: s => s.enlarged(),
  },
  {
    title: 'A dot product says how alike two tokens are.',
    text:
      'Multiply their numbers one by one, and add up. Measured from gray, like colors give a large sum (blue), and ' +
      'opposite ones a negative sum (orange). This is the score of every token, seen from the query.',
    formula: 's<sub>qk</sub> = (2x<sub>q</sub> − 1) · (2x<sub>k</sub> − 1)',
    left: s => s.picture(),
    right: s => s.signed(dots(s.x, N, s.q, s.scores), 'scores'),
  },
  {
    title: 'The softmax turns scores into weights.',
    text:
      'The weights of one query are positive and add up to 1. A larger factor β makes the choice stricter: at 0 all ' +
      'tokens count alike, and at 40 almost only those with the color of the query.',
    formula: 'p<sub>qk</sub> = e<sup>βs<sub>qk</sub></sup> / Σ<sub>j</sub> e<sup>βs<sub>qj</sub></sup>',
    slider: { name: 'β', key: 'beta', min: 0, max: 40, step: 0.5 },
    left: s => s.lit(soft(dots(s.x, N, s.q, s.scores), s.at.beta, s.weights)),
    right: s => s.heat(s.weights),
  },
  {
    title: 'Attention answers with a mean.',
    text:
      'Each token is replaced by the mean of all tokens, with its weights. Here that pulls every color towards those ' +
      'like it, wherever they are: the place of a token plays no part.',
    formula: 'y<sub>q</sub> = Σ<sub>k</sub> p<sub>qk</sub> x<sub>k</sub>',
    slider: { name: 'β', key: 'beta', min: 0, max: 40, step: 0.5 },
    left: s => s.lit(soft(dots(s.x, N, s.q, s.scores), s.at.beta, s.weights)),
    right: s => s.image(s.right, s.once(`color ${s.at.beta}`, out => byColor(s.x, N, s.at.beta, out)), 'the mean for every query'),
  },
  {
    title: 'A score may also be a matter of place.',
    text:
      'Heads with the encoding quadratic look only at where tokens are, and not at colors. The score falls with the ' +
      'squared distance from a center, so that the weights are a Gaussian. The same pattern follows the query, and the ' +
      'answer is a blurred image.',
    formula: 's<sub>qk</sub> = −α ‖k − q‖²',
    slider: { name: 'α', key: 'width', min: 0.02, max: 2, step: 0.02 },
    left: s => s.lit(s.gaussian([0, 0, s.at.width])),
    right: s => s.placed([0, 0, s.at.width], 'a blur'),
  },
  {
    title: 'The center may be elsewhere.',
    text:
      'The center Δ is learned. A head whose center is some tokens to the right takes every token’s neighbor there, ' +
      'and the image moves to the left.',
    formula: 's<sub>qk</sub> = −α ‖(k − q) − Δ‖²',
    slider: { name: 'Δ, to the right', key: 'shift', min: -5, max: 5, step: 0.25 },
    left: s => s.lit(s.gaussian([0, s.at.shift, 0.5])),
    right: s => s.placed([0, s.at.shift, 0.5], 'moved, and blurred'),
  },
  {
    title: 'A sharp head copies one neighbor.',
    text:
      'As α grows, the Gaussian closes in on a single pixel. From about α = 17 on, all other weights are lost in the ' +
      'rounding of a 32-bit number, and the head is exactly a shift by one pixel.',
    formula: 'α → ∞:   p<sub>qk</sub> = 1 if k = q + Δ, else 0',
    slider: { name: 'α', key: 'sharp', min: 0.5, max: 20, step: 0.5 },
    left: s => s.lit(s.gaussian([0, 1, s.at.sharp])),
    right: s => s.placed([0, 1, s.at.sharp], 'the neighbor on the right of every pixel'),
  },
  {
    title: 'Nine such heads are a convolution.',
    text:
      'One head for each of the nine pixels of a 3 × 3 neighborhood, each times the number that a kernel has there, ' +
      'and added up: that is what a convolution computes. This is Theorem 1 of the paper.',
    formula: 'Σ<sub>h</sub> softmax(A<sub>h</sub>) X W<sub>h</sub> = X ∗ K',
    slider: { name: 'α', key: 'alpha', min: 1, max: 46, step: 0.5 },
    left: s => s.image(s.left, s.once('conv', out => convolve(s.x, N, 3, PRESETS.emboss, 'replicate', out)), 'the convolution'),
    right: s => s.theorem(),
  },
  {
    title: 'Before training, heads look anywhere.',
    text:
      'Theorem 1 says what attention can be, not what training makes of it. These are the heads of this run before ' +
      'its first step.',
    formula: '',
    epoch: () => 0,
  },
  {
    title: 'What does training find?',
    text:
      'Move through the epochs. Blue heads have become narrower, orange ones wider. A layer is nearly a convolution if ' +
      'its heads with large matrices look at single neighbors. Wide heads matter little where their matrices are ' +
      'small: switch one off in What if.',
    formula: '',
    slider: { name: 'epoch', key: 'epoch', min: 0, max: s => s.last(), step: 1 },
    epoch: s => s.at.epoch,
  },
];

export function tour(data, state, changed) {
  const left = $('#to-left'),
    right = $('#to-right'),
    slide = $('#to-slide'),
    input = $('#to-slide input'),
    kept = new Map(), // results for the image that is shown
    gallery = () => (data.images.length ? data.images : data.samples),
    size = () => (data.images.length ? data.run.image.slice(0, 2) : [N, N]);
  let shown = null,
    setThumb,
    path = null,
    heads = null;

  const s = lesson(data, state, left, right, kept);
  const go = step => changed({ step: clamp(step, 0, STEPS.length - 1) });
  $('#to-back').onclick = () => go(state.step - 1);
  $('#to-next').onclick = () => go(state.step + 1);
  input.oninput = () => {
    s.at[STEPS[state.step].slider.key] = +input.value;
    changed({});
  };
  const pick = q => {
    s.q = q;
    changed({});
  };
  for (const canvas of [left, right]) {
    const move = e => {
      const b = canvas.getBoundingClientRect();
      pick([
        clamp((((e.clientY - b.top) / b.height) * N) | 0, 0, N - 1),
        clamp((((e.clientX - b.left) / b.width) * N) | 0, 0, N - 1),
      ]);
    };
    canvas.onpointermove = move;
    canvas.onpointerdown = move;
  }
  arrows($('#to-frame'), (r, c) => pick([clamp(s.q[0] + r, 0, N - 1), clamp(s.q[1] + c, 0, N - 1)]));
  $('#to-file').onchange = async () => {
    const [file] = $('#to-file').files;
    $('#to-file').value = '';
    if (!file) return;
    try {
      const images = gallery();
      images.push(await ownImage(file, size()));
      say('');
      changed({ image: images.length - 1 });
    } catch (e) {
      say(`${file.name}: ${e.message}.`);
    }
  };

  function write(step) {
    if ($('#to-title').textContent === step.title) return;
    $('#to-title').textContent = step.title;
    $('#to-text').textContent = step.text + (heads && step.epoch && !step.slider ? ' ' + heads.what : '');
    $('#to-formula').innerHTML = step.formula; // of STEPS, never of data
    $('#to-back').disabled = state.step === 0;
    $('#to-next').disabled = state.step === STEPS.length - 1;
  }
  function drawSlider(step) {
    slide.hidden = !step.slider || (step.epoch && (data.run?.foreign || !s.last()));
    if (slide.hidden) return;
    const { name, key, min, max, step: by } = step.slider;
    input.min = min;
    input.max = typeof max === 'function' ? max(s) : max;
    input.step = by;
    input.value = s.at[key];
    $('#to-slide span').textContent = `${name} = ${signed(s.at[key], 2).replace(/\.?0+$/, '')}`;
  }
  // open builds what the tour alone needs, when it is shown for the first time.
  function open() {
    path = flow(data, state, changed, $('#to-steps'), $('#to-lit'), go);
    path.marks.forEach((b, i) => b.setAttribute('aria-label', `Step ${i + 1}: ${STEPS[i].title}`));
    if (!data.counts.length) return;
    heads = kindOf(data, state, changed);
    $('#to-heads').style.setProperty('--columns', columns(data.counts.length));
    $('#to-heads').append(
      ...heads.pictures.map(({ box }, l) => el('div', { class: 'panel' }, el('h2', {}, `Layer ${data.blocks[l]}`), box, el('p'))),
    );
  }
  // drawHeads draws the heads of all layers after an epoch; it returns whether they are known.
  function drawHeads(e) {
    const now = !data.run?.foreign && heads?.at(e);
    $('#to-heads').hidden = !now;
    $('#to-none').hidden = !!now;
    $('#to-text').hidden = !now;
    if (!now) return;
    heads.pictures.forEach(({ box }, l) => {
      const share = now.shares ? `${pct(now.shares[l])} of its squared norm is one 3\u202f×\u202f3 convolution.` : '',
        words = box.parentElement.lastChild;
      heads.draw(l, now, e, l === state.head[0] ? state.head[1] : -1);
      box.setAttribute('aria-label', `Heads of layer ${data.blocks[l]} at epoch ${Math.round(e)}. ${share}`);
      if (words.textContent !== share) words.textContent = share;
    });
  }
  return {
    values: s,
    get flow() {
      return path;
    },
    go: d => go(state.step + d),
    // rows are the numbers of the query's scores and weights, with the image
    rows: () => [
      ['row', 'column', 'red', 'green', 'blue', 'score', 'weight'],
      ...Array.from(s.scores, (v, i) => [...PIXEL(i), ...s.x.subarray(3 * i, 3 * i + 3), v, s.weights[i]]),
    ],
    draw() {
      const step = STEPS[state.step],
        images = gallery();
      if (!path) open();
      write(step);
      drawSlider(step);
      $('#to-pictures').hidden = !!step.epoch;
      if (step.epoch) drawHeads(step.epoch(s));
      else {
        $('#to-heads').hidden = $('#to-none').hidden = true;
        $('#to-text').hidden = false;
      }
      if (!images.length) {
        path.draw(null, size());
        $('#to-left-text').textContent = absent(data);
        return;
      }
      state.image = clamp(state.image, 0, images.length - 1);
      if (shown !== images[state.image]) {
        shown = images[state.image];
        kept.clear();
        scaled(shown.bytes, size(), [N, N]).forEach((v, i) => (s.x[i] = v / 255));
      }
      setThumb ??= thumbs($('#to-thumbs'), size(), i => changed({ image: i }));
      setThumb(images, state.image);
      path.draw(shown, size());
      if (step.epoch) return;
      $('#to-left-text').textContent = step.left(s);
      $('#to-right-text').textContent = step.right(s);
    },
  };
}

// lesson is the state of the tour, and how its pictures are drawn. Each way to draw returns the words below.
function lesson(data, state, left, right, kept) {
  const s = {
    left,
    right,
    x: new Float32Array(3 * T),
    q: [12, 14],
    at: { beta: 8, width: 0.1, shift: 3, sharp: 2, alpha: 2, epoch: 0 },
    scores: new Float32Array(T),
    weights: new Float32Array(T),
    last: () => (data.frames.at(-1) ?? data.means.at(-1))?.epoch ?? 0,
  };
  s.at.epoch = data.frames.at(-1)?.epoch ?? data.kept.at(-1) ?? 0;
  const where = () => `row ${s.q[0]}, column ${s.q[1]}`,
    mark = ({ g, w }) => outline(g, (s.q[1] * w) / N, (s.q[0] * w) / N, w / N, w / N),
    // tinted draws a color for each token, of three bytes
    tints = new Float32Array(3 * T),
    tinted = (canvas, color) => {
      for (let i = 0; i < T; i++) tints.set(color(i), 3 * i);
      mark(paint(canvas, tints, [N, N], v => v));
    },
    // once computes an image once for the picture that is shown
    once = (key, f) => {
      if (!kept.has(key)) {
        if (kept.size > 40) kept.clear();
        kept.set(key, f(new Float32Array(3 * T)));
      }
      return kept.get(key);
    };
  s.once = once;
  s.picture = () => {
    mark(paint(left, s.x, [N, N], v => 255 * v));
    const a = 3 * (s.q[0] * N + s.q[1]),
      color = [0, 1, 2].map(c => s.x[a + c].toFixed(2)).join(', ');
    return `The query at ${where()}: (${color}).`;
  };
  s.enlarged = () => {
    const around = new Float32Array(3 * 49);
    for (let i = 0; i < 49; i++) {
      const r = clamp(s.q[0] + ((i / 7) | 0) - 3, 0, N - 1),
        c = clamp(s.q[1] + (i % 7) - 3, 0, N - 1);
      for (let k = 0; k < 3; k++) around[3 * i + k] = s.x[3 * (r * N + c) + k];
    }
    const { g, w } = paint(right, around, [7, 7], v => 255 * v);
    outline(g, (3 * w) / 7, (3 * w) / 7, w / 7, w / 7);
    return 'The query and its neighbors, enlarged.';
  };
  // signed: values over all tokens, the largest in full color
  s.signed = (values, name) => {
    const most = Math.max(1e-9, ...values.map(Math.abs));
    tinted(right, i => mix(ink.well, values[i] < 0 ? ink.wide : ink.sharp, Math.min(1, Math.abs(values[i]) / most)));
    return `The ${name} of all tokens: from ${signed(Math.min(...values), 1)} to ${signed(Math.max(...values), 1)}.`;
  };
  s.heat = p => {
    const top = Math.max(...p);
    tinted(right, i => mix(ink.well, ink.sharp, Math.sqrt(p[i] / top)));
    return `The largest weight is ${top.toFixed(3)}; as many as ${Math.round(2 ** entropy(p, 0, T))} tokens count.`;
  };
  // lit: the image, lit by weights
  s.lit = p => {
    const top = Math.max(...p),
      color = i => [0, 1, 2].map(c => 255 * s.x[3 * i + c]);
    tinted(left, i => mix(color(i), [10, 12, 15], 0.72 * (1 - Math.sqrt(p[i] / top))));
    return `Lit: where the query at ${where()} looks.`;
  };
  s.gaussian = head => {
    headMap(head, [N, N], s.q, s.weights);
    return s.weights;
  };
  s.image = (canvas, y, words) => {
    mark(paint(canvas, y, [N, N], v => 255 * v));
    return words[0].toUpperCase() + words.slice(1) + '.';
  };
  s.placed = (head, words) => s.image(right, once(`place ${head}`, out => byPlace(s.x, N, axes(head, [N, N]), out)), words);
  s.theorem = () => {
    const conv = once('conv', out => convolve(s.x, N, 3, PRESETS.emboss, 'replicate', out)),
      y = once(`heads ${s.at.alpha}`, out => attend(s.x, N, 3, PRESETS.emboss, s.at.alpha, 'replicate', out)),
      off = maxDifference(conv, y);
    mark(paint(right, y, [N, N], v => 255 * v));
    return `Nine heads of attention. They differ from the convolution by at most ${off === 0 ? '0' : off.toPrecision(2)}.`;
  };
  return s;
}
