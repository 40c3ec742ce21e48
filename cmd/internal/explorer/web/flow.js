// The picture of the tour: the chosen image on its way through the run's network, from pixels to classes. Its parts
// open the steps that explain them.
import { el, ink, rgb, mix, paint, lookAt, arrows, classBars, clamp, pair, pct, signed, capital } from './draw.js';
import { headMap } from './math.js';
import { softmax } from './network.js';
import { served } from './sources.js';
import { absent, readNetwork } from './data.js';
import { kindOf } from './overview.js';
import { tones } from './lessons.js';

const ROLLOUT = 'attention rollout (Abnar and Zuidema, 2020): heads count alike, the residual connection counts half';

// tint is the color of a number from −1 to 1.
const tint = v => mix(ink.well, v < 0 ? ink.wide : ink.sharp, Math.abs(v));

// partsOf lists the parts of the picture from left to right. steps are those that a part explains, from 0; chips are the
// steps whose numbers are below it.
function partsOf({ run, blocks, counts }) {
  const image = { kind: 'image', name: 'image', steps: [0], chips: [0] };
  if (!counts.length) return [image, { kind: 'none', name: '', steps: [1], chips: [1, 2, 3, 4, 5, 6, 7, 8, 9] }];
  const end = counts.length - 1,
    layers = counts.flatMap((n, l) => {
      const chips = [...(l ? [] : [2, 3, 4, 5, 6, 7]), ...(l === end ? [8, 9] : [])];
      return [
        { kind: 'heads', l, name: `layer ${blocks[l]}`, steps: l ? [9, 8] : [2, 4, 5, 6, 9, 8], chips },
        { kind: 'out', l, name: 'tokens', steps: l ? [7] : [3, 7] },
      ];
    });
  return [
    image,
    { kind: 'tokens', name: `${run.grid[0] * run.grid[1]} tokens`, steps: [1], chips: [1] },
    ...layers,
    { kind: 'mean', name: 'mean', steps: [3], chips: [] },
    { kind: 'classes', name: 'classes', steps: [9] },
  ];
}

// origins answers where tokens come from. map writes the attention of a head from a query on all tokens.
function origins({ blocks, counts, run }, map) {
  const [R, C] = run.grid,
    T = R * C,
    mixes = new Map(), // the mean of a layer's heads, (query, key)
    mixOf = l => {
      if (!mixes.has(l)) {
        const m = new Float32Array(T * T),
          row = new Float64Array(T);
        for (let q = 0; q < T; q++)
          for (let h = 0; h < counts[l]; h++) {
            map(l, h, [(q / C) | 0, q % C], row);
            for (let k = 0; k < T; k++) m[q * T + k] += row[k] / counts[l];
          }
        mixes.set(l, m);
      }
      return mixes.get(l);
    };
  // trace returns for each j how much of token q after layer l comes from each token that goes into layer j; the last
  // element is the token itself. It ends at a layer that does not attend.
  return function trace(l, q) {
    const back = [];
    let v = new Float64Array(T);
    v[q] = 1;
    back[l + 1] = v;
    for (let j = l; j >= 0; j--) {
      const m = mixOf(j),
        next = v.map(x => x / 2);
      for (let i = 0; i < T; i++) if (v[i] > 1e-9) for (let k = 0; k < T; k++) next[k] += (v[i] * m[i * T + k]) / 2;
      back[j] = v = next;
      if (blocks[j] !== 1 + (j ? blocks[j - 1] : 0)) break;
    }
    return back;
  };
}

// flow builds the picture in a box. go opens a step; words is where it says what is lit.
export function flow(data, state, changed, box, words, go) {
  const { run, blocks, counts } = data,
    [R, C] = run?.grid ?? [1, 1],
    T = R * C,
    whole = !!run && run.heads.every(Boolean), // all layers attend
    gaussian = data.frames.length > 0,
    kind = counts.length ? kindOf(data, state, changed) : null,
    look = {
      part: 'weights',
      live: true,
      get image() {
        return state.image;
      },
    },
    source = counts.length && !gaussian ? served(data, look, changed) : null,
    flat = new Float32Array(3 * T), // tokens of one color
    marks = [];
  let best = null,
    net = null,
    asked, // the epoch whose weights are asked for
    soon = 0,
    failed = '',
    known = null, // what the network makes of the image that is shown
    trace = null,
    tracedFor = null,
    im = null,
    shown = null, // the heads
    at = null; // what is pointed at: token q after layer l, class k, or another part
  const parts = partsOf(data).map(build);
  parts.filter(p => p.kind === 'out').forEach(pointTokens);
  parts.filter(p => p.kind === 'classes').forEach(pointClasses);
  arrange();

  // build makes a part a button, whose name ends with words that only screen readers say.
  function build(p) {
    const canvas = el('canvas'),
      picture = p.kind === 'classes' || p.kind === 'heads' ? el('span') : canvas,
      name = el('span', { class: 'name' }, p.name),
      button = el('button', { class: `part ${p.kind}` }, picture, name, el('span', { class: 'unseen' }));
    if (p.kind === 'heads') {
      const { box } = kind.pictures[p.l];
      box.removeAttribute('role');
      picture.className = 'panel';
      picture.ariaHidden = true;
      picture.append(box);
    }
    button.onclick = () => go(p.steps[(p.steps.indexOf(state.step) + 1) % p.steps.length]);
    button.onpointerenter = () => ['out', 'classes'].includes(p.kind) || point({ part: p.kind, l: p.l });
    button.onpointerleave = button.onblur = () => point(null);
    return { ...p, canvas, picture, button };
  }
  function point(to) {
    if (JSON.stringify(to) === JSON.stringify(at)) return;
    at = to;
    changed({});
  }
  const token = (p, q) => point({ l: p.l, q: clamp(q[0], 0, R - 1) * C + clamp(q[1], 0, C - 1) });
  function pointTokens(p) {
    p.canvas.onpointermove = e => {
      const b = p.canvas.getBoundingClientRect();
      token(p, [Math.floor(((e.clientY - b.top) / b.height) * R), Math.floor(((e.clientX - b.left) / b.width) * C)]);
    };
    arrows(p.button, (r, c) => {
      const here = at?.q !== undefined && at.l === p.l;
      token(p, here ? [((at.q / C) | 0) + r, (at.q % C) + c] : [(R / 2) | 0, (C / 2) | 0]);
    });
  }
  function pointClasses(p) {
    p.picture.onpointermove = e => {
      const i = [...p.picture.children].indexOf(e.target.closest('.bar'));
      if (i >= 0 && known) point({ k: known.order[i] });
    };
    arrows(p.button, (r, c) => {
      if (!known) return;
      const n = known.order.length,
        i = known.order.indexOf(at?.k ?? -1);
      point({ k: known.order[i < 0 ? 0 : (i + r + c + n) % n] });
    });
  }
  // arrange puts the parts into zones, with the numbers of their steps below.
  function arrange() {
    let row;
    for (const p of parts) {
      if (p.chips) {
        row = el('div', { class: 'row' });
        const chips = p.chips.map(i => {
          const b = el('button', {}, String(i + 1));
          b.onclick = () => go(i);
          return (marks[i] = b);
        });
        box.append(el('div', { class: 'zone' }, row, el('div', { class: 'chips' }, ...chips)));
      }
      row.append(p.button);
    }
  }

  // read asks for the weights after each epoch.
  function read() {
    const epoch = data.frames.at(-1)?.epoch;
    if (!gaussian || asked === epoch) return;
    asked = epoch;
    failed ||= 'Reading the weights …';
    readNetwork(data)
      .then(d => {
        ({ best, net } = d);
        known = null;
        failed = net ? '' : 'The tokens and classes are not computed here, because the blocks are not the paper’s.';
      })
      .catch(e => {
        failed = `The tokens and classes are not computed here: ${e.message}.`;
      })
      .then(() => changed({}));
  }

  // compute follows the image through the network, once the picture has been drawn without.
  function compute() {
    clearTimeout(soon);
    if (!net || !data.images.includes(im)) known = null;
    else if (known?.im !== im)
      soon = setTimeout(() => {
        const cache = net.embed(im.bytes),
          now = softmax(net.logits(cache, best.heads)),
          last = cache.at(-1),
          mean = new Float32Array(run.dim);
        last.forEach((v, i) => (mean[i % run.dim] += v / T));
        const colors = cache.slice(1).map(x => tones(x, T, run.dim));
        known = { im, now, mean, colors, order: [], votes: k => net.votes(last, k) };
        changed({});
      });
  }

  // attends makes trace ready; it returns whether attention on this image is known.
  function attends() {
    if (!counts.length) return false;
    if (gaussian) {
      const heads = best?.heads ?? data.frames.at(-1).heads;
      if (tracedFor !== heads) trace = origins(data, (l, h, q, out) => headMap(heads[l][h], run.grid, q, out));
      tracedFor = heads;
      return true;
    }
    if (!data.images.includes(im) || !source.ready()) return false;
    if (tracedFor !== im)
      trace = origins(data, (l, h, q, out) => {
        source.map(l, h, q, out, 0); // in steps of 1/255, so that the sum is not exact
        const sum = out.reduce((a, b) => a + b, 0) || 1;
        for (let k = 0; k < T; k++) out[k] *= (1 - source.elsewhere(l, h, q)) / sum;
      });
    tracedFor = im;
    return true;
  }

  // missing says what is not in the picture, and why.
  function missing() {
    if (data.waiting) return absent(data);
    if (!run) return 'No run is open, so there is no network to follow the image through.';
    if (!counts.length && run.foreign) return 'The page does not show the heads of this network.';
    if (!counts.length)
      return run.attends
        ? 'The run has no weights yet.'
        : `No layer of ${run.model} attends, so there are no heads to show. The page does not compute its classes.`;
    if (im?.key === 'own' && !attends()) return absent(data, im);
    if (!whole) return 'Layers that do not attend are not shown, and neither are the tokens and classes.';
    if (!gaussian) return 'The page computes tokens and classes only for networks of Gaussian heads.';
    if (failed || data.images.includes(im)) return failed;
    return 'The tokens and classes are not computed here, because the run’s images are not on this machine.';
  }

  const place = q => pair([(q / C) | 0, q % C], 0);
  // about says what a part shows.
  const about = {
    image: () => `${im.label}: ${im.bytes.length / 3} pixels.`,
    tokens: () => `The image as ${T} tokens.`,
    heads(l) {
      const share = shown?.shares ? ` ${pct(shown.shares[l])} of the layer is one 3 × 3 convolution.` : '';
      return `Layer ${blocks[l]}: ${counts[l]} heads, and where they look from a token.${share}`;
    },
    mean() {
      const range = known ? `, ${run.dim} numbers from ${signed(Math.min(...known.mean))} to ${signed(Math.max(...known.mean))}` : '';
      return `The mean of the ${T} tokens${range}. The classes are computed from it.`;
    },
  };
  // said says what is lit: the way back of a token, or what tokens add to a class.
  function said(back, votes) {
    if (!counts.length) return ''; // the picture says it
    if (at?.part) return about[at.part](at.l);
    if (votes) {
      const sum = votes.reduce((a, b) => a + b, 0);
      return (
        `${data.classes[at.k]}: ${(100 * known.now[at.k]).toFixed(1)}\u202f%. Blue tokens raise its score over the mean of ` +
        `all classes, orange ones lower it; they add up to ${signed(sum)}.`
      );
    }
    if (back) {
      const first = back.findIndex(Boolean),
        from = back[first],
        begin = blocks[first],
        most = [...from.keys()].sort((a, b) => from[b] - from[a]).slice(0, 3),
        lost = 1 - from.reduce((a, b) => a + b, 0),
        off = lost > 0.005 ? `, ${pct(lost)} from tokens that are not on the grid` : '',
        ends = begin > 1 ? ` Layer ${begin - 1} does not attend, so the way back ends at layer ${begin}.` : '';
      return (
        `Token ${place(at.q)} after layer ${blocks[at.l]}, lit where it comes from: ` +
        `${most.map(k => `${pct(from[k])} from ${place(k)}`).join(', ')}${off}; by ${ROLLOUT}.${ends}`
      );
    }
    if (known) {
      const early = best.epoch < data.frames.at(-1).epoch && `These weights are the best, after epoch ${best.epoch}.`,
        other = run.note && !im.own && `${capital(run.note)}.`;
      const point = 'Tokens of like color are alike. Point at one to see where it comes from, or at a class.';
      return [point, early, other].filter(Boolean).join(' ');
    }
    return (attends() ? 'Point at a token to see where it comes from. ' : '') + missing();
  }

  // tokens draws pixels or tokens of three bytes, lit by v on the grid if there is one, parted on demand.
  function tokens(canvas, bytes, size, v, q, parted) {
    if (v) {
      const top = Math.max(...v);
      return lookAt(canvas, { bytes }, size, [R, C], q, i => Math.sqrt(v[i] / top));
    }
    const { g, w, h } = paint(canvas, bytes, size, x => x);
    if (!parted) return;
    g.fillStyle = rgb(ink.paper);
    const t = Math.max(1, w / C / 10);
    for (let i = 1; i < C; i++) g.fillRect((i * w) / C - t / 2, 0, t, h);
    for (let i = 1; i < R; i++) g.fillRect(0, (i * h) / R - t / 2, w, t);
  }
  function drawTokens(back, votes, size) {
    const q = back && [(at.q / C) | 0, at.q % C],
      from = blocks[0] === 1 ? back?.[0] : null,
      most = votes && Math.max(...votes.map(Math.abs)),
      voted = votes && [...votes].flatMap(v => tint(v / most));
    for (let i = 0; i < T; i++) flat.set(ink.still, 3 * i);
    for (const { kind, canvas, l } of parts) {
      if (kind === 'image' || kind === 'tokens') tokens(canvas, im.bytes, size, from, q, kind === 'tokens');
      if (kind === 'out') {
        const colors = votes && l === counts.length - 1 ? voted : known?.colors[l];
        tokens(canvas, colors ?? flat, [R, C], back?.[l + 1], q, !colors);
      }
    }
  }

  // drawEnd draws the mean of the tokens and the classes.
  function drawEnd() {
    const mean = parts.find(p => p.kind === 'mean'),
      classes = parts.find(p => p.kind === 'classes');
    if (!mean) return;
    const server = !net && im?.classes;
    mean.button.hidden = !known;
    classes.button.hidden = !known && !server;
    if (known) {
      const most = Math.max(...known.mean.map(Math.abs)),
        { own, label } = known.im;
      paint(mean.canvas, [...known.mean].flatMap(v => tint(v / most)), [run.dim, 1], v => v);
      known.order = classBars(classes.picture, data.classes, own ? -1 : data.classes.indexOf(label), known.now);
      [...classes.picture.children].forEach((b, i) => b.classList.toggle('on', at?.k === known.order[i]));
    } else if (server) classBars(classes.picture, im.classes.map(c => c.class), -1, im.classes.map(c => c.p));
  }

  function names() {
    for (const p of parts) {
      const of = p.l === undefined ? '' : `layer ${blocks[p.l]}`,
        what = {
          image: im ? `: ${im.label}` : '',
          tokens: `: ${R} × ${C}`,
          heads: `: ${counts[p.l]} heads`,
          out: ` after ${of}; arrow keys point at one`,
          mean: ' of the tokens',
          classes: '; arrow keys point at one',
          none: '',
        }[p.kind],
        on = p.steps.includes(state.step);
      p.button.lastChild.textContent = `${what}. Explained in step ${p.steps.map(i => i + 1).join(', ')}`;
      p.button.setAttribute('aria-current', on ? 'step' : 'false');
      if (p.kind === 'none') p.button.firstChild.replaceWith(el('span', { class: 'gone' }, missing()));
    }
    marks.forEach((b, i) => b.setAttribute('aria-current', i === state.step ? 'step' : 'false'));
  }

  return {
    marks,
    trace: (l, q) => (attends() ? trace(l, q) : null),
    get known() {
      return known;
    },
    draw(image, size) {
      if (im !== image) at = null;
      im = image;
      read();
      compute();
      names();
      const end = best?.epoch ?? kind?.end();
      shown = kind?.at(end);
      if (shown && best) shown = { ...shown, heads: best.heads };
      if (kind && !shown) data.ask?.();
      for (const p of parts) {
        if (p.kind === 'heads' && shown) kind.draw(p.l, shown, end, -1);
        if (['image', 'tokens', 'out'].includes(p.kind)) p.canvas.style.aspectRatio = `${size[1]} / ${size[0]}`;
      }
      drawEnd();
      const back = at?.q !== undefined && im && attends() ? trace(at.l, at.q) : null,
        votes = at?.k !== undefined && known ? known.votes(at.k) : null,
        text = im ? said(back, votes) : missing();
      if (im) drawTokens(back, votes, size);
      if (words.textContent !== text) words.textContent = text;
    },
  };
}
