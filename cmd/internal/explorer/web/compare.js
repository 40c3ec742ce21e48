// Compare: two runs, or two epochs of one, under one cursor. The left side is the run of the page.
import { $, el, ink, rgb, mix, rem, fit, lookAt, attended, choice, thumbs, arrows, clamp, pct, say } from './draw.js';
import { api, exported, inside } from './api.js';
import { readRun, readImages, absent, put } from './data.js';
import { gaussians, served } from './sources.js';

const SIDES = ['left', 'right'];
const LAST = 'last'; // the value of the newest weights in the choice of epochs

const plural = (n, one) => `${n} ${n === 1 ? one : one + 's'}`,
  same = (a, b) => a.length === b.length && a.every((v, i) => v === b[i]),
  named = run => `${run.name} (${run.model}, seed ${run.seed})`;

// numbers lists rising numbers: layers 1–3, 5
function numbers(list) {
  const parts = [];
  for (const n of list) {
    const last = parts.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else parts.push([n, n]);
  }
  return `${list.length > 1 ? 'layers' : 'layer'} ${parts.map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(', ')}`;
}

// size says what a network has.
function size({ counts, run: { grid } }) {
  const heads = [...new Set(counts)].join(' or ');
  return `${plural(counts.length, 'layer')} of ${heads} ${+heads === 1 ? 'head' : 'heads'} on ${grid.join(' × ')} tokens`;
}

// differences says in which ways two networks cannot be compared.
function differences(a, b) {
  if (!b.counts.length) return [`${named(b.run)} has no attention: there is nothing to compare.`];
  const all = [],
    both = a.blocks.filter(n => b.blocks.includes(n));
  if (!same(a.blocks, b.blocks) || !same(a.counts, b.counts) || !same(a.run.grid, b.run.grid)) {
    all.push(`The left network has ${size(a)}, the right one ${size(b)}.`);
    if (!both.length) all.push('No layer attends in both.');
    else if (!same(a.blocks, b.blocks)) all.push(`Both attend in ${numbers(both)}.`);
    if (!same(a.run.grid, b.run.grid)) all.push('The cursor is on the tokens that hold the same pixel.');
  }
  if (a.run.data !== b.run.data) all.push(`They were trained on different images: ${a.run.data} and ${b.run.data}.`);
  return all;
}

// sourceOf returns where a side's maps come from; look is its epoch and image.
const sourceOf = (data, look, changed) => (data.frames.length ? gaussians(data, look) : served(data, look, changed));

export function compare(data, state, changed) {
  const picture = [data.run.image[0], data.run.image[1]],
    sides = SIDES.map(build);
  let list = null, // of the runs that may be chosen
    wanted = null, // the id that is being read, or was
    trouble = '';
  const setThumb = thumbs($('#co-thumbs'), picture, i => changed({ image: i }));
  take(0, data);
  const setLayer = choice(
    $('#co-layers'),
    'Layer',
    data.blocks.map((n, l) => [l, String(n)]),
    l => changed({ head: [+l, state.head[1]] }),
  );

  // build makes the elements of a side.
  function build(name, i) {
    const side = {
      i,
      data: null,
      look: { part: 'weights' },
      maps: new Float32Array(0),
      tops: [],
      epochs: '',
      who: i ? el('select', { 'aria-label': 'Run on the right' }) : el('b', {}),
      weights: el('select', { 'aria-label': `Weights on the ${name}` }),
      frame: el('div', { class: 'frame', tabindex: 0, role: 'application', 'aria-roledescription': 'query picker', 'aria-describedby': `co-${name}-text` }),
      image: el('canvas'),
      tiles: el('div', { class: 'tiles-of-heads', tabindex: 0, role: 'application', 'aria-roledescription': 'head picker', 'aria-describedby': `co-${name}-text` }),
      canvas: el('canvas'),
      text: el('p', { class: 'note', id: `co-${name}-text`, 'aria-live': 'polite' }),
    };
    side.frame.append(side.image);
    side.tiles.append(side.canvas);
    side.box = el('div', { class: 'side' }, el('div', { class: 'pick' }, side.who, side.weights), side.frame, side.tiles, side.text);
    $('#co-sides').append(side.box);

    const token = e => {
      const b = side.frame.getBoundingClientRect(),
        [R, C] = side.data.run.grid;
      return [
        clamp((((e.clientY - b.top) / b.height) * R) | 0, 0, R - 1),
        clamp((((e.clientX - b.left) / b.width) * C) | 0, 0, C - 1),
      ];
    };
    side.frame.onpointermove = side.frame.onpointerdown = e => side.data && go(side, token(e));
    arrows(side.frame, (r, c) => {
      if (!side.data) return;
      const q = queryOf(side),
        grid = side.data.run.grid;
      go(side, [clamp(q[0] + r, 0, grid[0] - 1), clamp(q[1] + c, 0, grid[1] - 1)]);
    });
    const choose = e => {
      const b = side.tiles.getBoundingClientRect(),
        { across, s, gap, row, n } = layout(side, b.width),
        h = Math.floor((e.clientY - b.top) / row) * across + clamp(Math.floor((e.clientX - b.left + gap / 2) / (s + gap)), 0, across - 1);
      if (n && h < n && h !== headOf(side)) setHead(side, h);
    };
    side.tiles.onpointermove = side.tiles.onpointerdown = choose;
    arrows(side.tiles, (r, c) => {
      const { across, n } = layout(side, side.tiles.clientWidth);
      if (n) setHead(side, (headOf(side) + c + r * across + n * across) % n);
    });
    side.weights.onchange = () => {
      const v = side.weights.value,
        live = v === LAST,
        epoch = live ? newest(side.data) : +v;
      changed(i ? { right: { ...state.right, epoch, live } } : { epoch, live });
    };
    if (i) side.who.onchange = () => changed({ with: side.who.value, right: { ...state.right, epoch: 0, live: true } });
    return side;
  }
  const newest = d => d.frames.at(-1)?.epoch ?? d.kept.at(-1) ?? 0;

  // the head and the layer of a side; the layer is -1 if its network does not attend there
  const layerAt = side => (side.i ? (side.data?.blocks.indexOf(data.blocks[state.head[0]]) ?? -1) : state.head[0]);
  const headsOf = side => side.data?.counts[layerAt(side)] ?? 0;
  const headOf = side => clamp(side.i ? state.right.head : state.head[1], 0, Math.max(0, headsOf(side) - 1));
  const setHead = (side, h) => changed(side.i ? { right: { ...state.right, head: h } } : { head: [state.head[0], h] });

  // The cursor is a pixel of the image on the left, and a token of each side. The other views have the left token.
  const tokenAt = (pixel, grid) => [0, 1].map(k => clamp(Math.floor(((pixel[k] + 0.5) * grid[k]) / picture[k]), 0, grid[k] - 1));
  const pixelOf = (q, grid) => [0, 1].map(k => Math.floor(((q[k] + 0.5) * picture[k]) / grid[k]));
  function pixel() {
    const at = state.pixel ? tokenAt(state.pixel, data.run.grid) : [];
    return same(at, state.query) ? state.pixel : pixelOf(state.query, data.run.grid);
  }
  const queryOf = side => tokenAt(pixel(), side.data.run.grid);
  function go(side, q) {
    if (same(q, queryOf(side))) return;
    const at = pixelOf(q, side.data.run.grid);
    changed({ pixel: at, query: tokenAt(at, data.run.grid) });
  }

  // take gives a side its run.
  function take(i, d) {
    const side = sides[i];
    side.data = d;
    side.source = sourceOf(d, side.look, changed);
    side.epochs = '';
    side.frame.style.aspectRatio = `${d.run.grid[1]} / ${d.run.grid[0]}`;
    if (i) data.other = d;
  }
  async function read(id) {
    wanted = id;
    trouble = '';
    try {
      if (id === data.run.id) return take(1, data);
      const d = await readRun(id);
      if (d.frames.length) put(d.frames, await api.epoch(id, 0).catch(() => d.frames[0])); // colors compare with it
      if (wanted === id) take(1, d);
      await readImages(d);
    } catch (e) {
      trouble = `The run cannot be read: ${e.message}`;
    } finally {
      changed({});
    }
  }
  async function readList() {
    list = [];
    try {
      list = (await api.runs()).runs.filter(r => !exported || inside.includes(r.id));
    } catch (e) {
      say(`The runs cannot be listed: ${e.message}`);
    }
    if (!list.some(r => r.id === data.run.id)) list.unshift({ id: data.run.id, name: data.run.name, network: data.run.model, seed: data.run.seed });
    sides[1].who.replaceChildren(
      ...list.map(r => el('option', { value: r.id }, `${r.label || r.name || r.id} (${r.network}, seed ${r.seed})${r.id === data.run.id ? ', the same run' : ''}`)),
    );
    if (!state.with) {
      const mine = list.find(r => r.id === data.run.id),
        other = list.find(r => r.id !== data.run.id && r.encoding && r.data === mine.data);
      if (other) state.with = other.id;
      else Object.assign(state, { with: data.run.id, right: { ...state.right, epoch: 0, live: false } }); // before training
    }
    changed({});
  }

  // drawEpochs lists the weights that a side may have.
  function drawEpochs(side, look) {
    const d = side.data,
      all = d.frames.length ? d.frames.map(f => f.epoch) : exported ? [] : [0, ...d.kept],
      key = `${all}`;
    if (side.epochs !== key) {
      side.epochs = key;
      side.weights.replaceChildren(
        el('option', { value: LAST }, 'last weights'),
        ...all.map(n => el('option', { value: n }, n ? `epoch ${n}` : 'before training')),
      );
    }
    const value = look.live ? LAST : String(all.findLast(n => n <= look.epoch) ?? LAST);
    if (side.weights.value !== value) side.weights.value = value;
  }

  // imageOn returns the index of the chosen image among a side's, by its pixels; -1: it has not got it. An image of the
  // user's goes along.
  function imageOn(side) {
    const im = data.images[state.image];
    if (!im || !side.i || side.data === data) return state.image;
    const images = side.data.images;
    if (im.own && side.data.run.data === data.run.data && !images.includes(im)) images.push(im);
    return images.findIndex(x => x === im || (!x.own && same(x.bytes, im.bytes)));
  }

  // layout of the maps of a layer's heads: rows of equal length, if they can be
  function layout(side, w) {
    const n = headsOf(side),
      gap = 0.375 * rem(),
      most = Math.max(3, Math.floor(w / (4 * rem()))),
      across = Math.max(1, Math.ceil(n / Math.max(1, Math.ceil(n / most)))),
      [R, C] = side.data?.run.grid ?? [1, 1],
      s = Math.min(8 * rem(), (w - gap * (across - 1)) / across),
      t = (s * R) / C,
      line = 1.25 * rem();
    return { n, across, s, t, gap, line, row: t + line };
  }

  const off = document.createElement('canvas'),
    og = off.getContext('2d');
  function drawTiles(side, l, q) {
    const { n, across, s, t, gap, row, line } = layout(side, side.tiles.clientWidth),
      [R, C] = side.data.run.grid,
      T = R * C,
      on = headOf(side);
    side.tiles.style.height = `${Math.ceil(n / across) * row}px`;
    const { g, w, h: height } = fit(side.canvas),
      bits = og.createImageData(C, R);
    off.width = C;
    off.height = R;
    g.clearRect(0, 0, w, height);
    g.imageSmoothingEnabled = false;
    g.font = `${0.75 * rem()}px ${getComputedStyle(document.body).fontFamily}`;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    for (let h = 0; h < n; h++) {
      const x = (h % across) * (s + gap),
        y = ((h / across) | 0) * row,
        c = side.source.color(l, h);
      for (let i = 0; i < T; i++) {
        const v = mix(ink.well, c, Math.sqrt(Math.max(0, side.maps[h * T + i])));
        for (let k = 0; k < 3; k++) bits.data[4 * i + k] = v[k];
        bits.data[4 * i + 3] = 255;
      }
      og.putImageData(bits, 0, 0);
      g.drawImage(off, x, y, s, t);
      g.lineWidth = 1;
      g.strokeStyle = rgb(ink.ink, 0.85);
      g.strokeRect(x + (q[1] * s) / C + 0.5, y + (q[0] * t) / R + 0.5, Math.max(2, s / C - 1), Math.max(2, t / R - 1));
      if (h === on) {
        g.lineWidth = 2;
        g.strokeStyle = rgb(ink.ink);
        g.strokeRect(x + 1, y + 1, s - 2, t - 2);
      }
      g.fillStyle = rgb(h === on ? ink.ink : ink.soft);
      g.fillText(`${h + 1}`, x + s / 2, y + t + line / 2);
    }
  }

  // drawSide draws a side, and reports whether its maps are there.
  function drawSide(side) {
    const name = SIDES[side.i],
      set = (e, text) => {
        if (e.textContent !== text) e.textContent = text;
      },
      nothing = text => {
        side.maps = new Float32Array(0);
        side.frame.hidden = side.tiles.hidden = true;
        set(side.text, text);
        return false;
      };
    if (!side.data) return nothing(trouble || 'Reading the run …');
    const d = side.data,
      of = side.i ? state.right : state,
      l = layerAt(side),
      image = imageOn(side);
    drawEpochs(side, of);
    side.weights.hidden = !d.counts.length;
    if (!d.counts.length) return nothing('');
    if (l < 0) return nothing(`This network has no attention in layer ${data.blocks[state.head[0]]}.`);
    Object.assign(side.look, { image: Math.max(0, image), epoch: of.live ? newest(d) : of.epoch, live: of.live });
    if (!side.source.ready())
      return nothing(absent(d, d.images[image]));
    d.byImage = side.source.byImage;
    if (d.waiting && d.byImage) return nothing(absent(d));
    if (image < 0 && d.byImage) return nothing('Its attention depends on the image, and this image is not one that it has.');
    const grid = d.run.grid,
      T = grid[0] * grid[1],
      q = queryOf(side),
      h = headOf(side);
    side.frame.hidden = side.tiles.hidden = false;
    if (side.maps.length !== headsOf(side) * T) side.maps = new Float32Array(headsOf(side) * T);
    side.source.begin();
    for (let k = 0; k < headsOf(side); k++) side.tops[k] = side.source.map(l, k, q, side.maps, k * T);
    const top = side.tops[h] || 1;
    lookAt(side.image, data.images[state.image], picture, grid, q, i => Math.sqrt(Math.max(0, side.maps[h * T + i] / top)));
    drawTiles(side, l, q);
    const im = data.images[state.image],
      at = `query at row ${q[0]}, column ${q[1]} of ${grid[0]} by ${grid[1]} tokens`;
    side.frame.setAttribute('aria-label', `${named(d.run)}, on the ${name}: ${im ? `image ${im.label}` : 'no image'}; ${at}`);
    side.tiles.setAttribute('aria-label', `Heads of layer ${d.blocks[l]} on the ${name}; head ${h + 1} of ${headsOf(side)} is chosen`);
    set(side.text, `Head ${h + 1}, from token (${q[0]}, ${q[1]}): ${attended(side.maps, h * T, grid, q).words}`);
    return true;
  }

  // shared is the part of attention that a head of the left and one of the right have in common: Σ min(p, p′).
  function shared(h, k) {
    const [a, b] = sides,
      T = a.data.run.grid[0] * a.data.run.grid[1];
    let sum = 0;
    for (let i = 0; i < T; i++) sum += Math.min(a.maps[h * T + i], b.maps[k * T + i]);
    return sum;
  }
  // nearest is the head of the right that has most in common with the chosen one of the left.
  function nearest() {
    const all = Array.from({ length: headsOf(sides[1]) }, (_, k) => shared(headOf(sides[0]), k));
    return all.indexOf(Math.max(...all));
  }
  $('#co-nearest').onclick = () => setHead(sides[1], nearest());
  function drawShared(both) {
    const box = $('#co-shared'),
      comparable = both && same(sides[0].data.run.grid, sides[1].data.run.grid);
    box.hidden = !both;
    $('#co-nearest').hidden = !comparable;
    if (!both) return;
    const [h, k] = sides.map(headOf);
    let text = 'How much of their attention two heads share needs equal numbers of tokens.';
    if (comparable) {
      const best = nearest(),
        more = best === k ? 'It is the head most like it.' : `Most like it is head ${best + 1}, with ${pct(shared(h, best))}.`;
      text = `From here, head ${h + 1} on the left and head ${k + 1} on the right share ${pct(shared(h, k))} of their attention. ${more}`;
      $('#co-nearest').disabled = best === k;
    }
    if ($('#co-text').textContent !== text) $('#co-text').textContent = text;
  }

  return {
    sides,
    rows: () => [
      ['side', 'run', 'epoch', 'layer', 'head', 'query_row', 'query_column', 'row', 'column', 'attention'],
      ...sides.flatMap((side, i) => {
        if (!side.maps.length) return [];
        const [R, C] = side.data.run.grid,
          q = queryOf(side),
          layer = side.data.blocks[layerAt(side)];
        return Array.from(side.maps, (v, at) => {
          const k = at % (R * C);
          return [SIDES[i], side.data.run.id, side.look.epoch, layer, ((at / (R * C)) | 0) + 1, ...q, (k / C) | 0, k % C, v];
        });
      }),
    ],
    draw() {
      if (!list) readList();
      if (state.with && state.with !== wanted) {
        sides[1].data = data.other = null;
        read(state.with);
      }
      if (state.head[0] >= data.counts.length) state.head[0] = 0;
      sides[0].who.textContent = named(data.run);
      if (sides[1].who.value !== state.with) sides[1].who.value = state.with;
      const text = sides[1].data ? differences(data, sides[1].data).join(' ') : '';
      if ($('#co-differ').textContent !== text) $('#co-differ').textContent = text;
      $('#co-differ').hidden = !text;
      const there = sides.map(drawSide);
      drawShared(there[0] && there[1]);
      setLayer(state.head[0]);
      setThumb(data.images, state.image);
    },
  };
}
