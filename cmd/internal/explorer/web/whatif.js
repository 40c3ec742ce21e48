// What if: move a head, change its width; the nearest convolution and the network's prediction follow.
import {
  $,
  el,
  ink,
  rgb,
  mix,
  bar,
  classBars,
  fit,
  paint,
  choice,
  thumbs,
  arrows,
  change,
  changeColor,
  pct,
  pair,
  clamp,
  glide,
  say,
} from './draw.js';
import { layer, radius, headMap, without, R50 } from './math.js';
import { softmax } from './network.js';
import { absent, readNetwork } from './data.js';

const SPAN = 5.5;
const copy = heads => heads.map(h => [...h]);

export function whatif(data, state, changed) {
  const { run } = data,
    grid = run.grid,
    first = data.frames[0].heads,
    picture = [run.image[0], run.image[1]];
  let trained = data.frames.at(-1).heads,
    grams = null,
    base = null,
    net = null,
    cache = [],
    before = [];
  const cur = trained.map(copy);
  // the weights come when the view is opened: Gram matrices and heads of the best checkpoint, and the network
  let asked = false;
  async function load() {
    asked = true;
    try {
      const { best, net: computed } = await readNetwork(data);
      net = computed;
      trained = best.heads;
      grams = best.grams;
      base = trained.map((hs, l) => layer(hs, grams[l], grid));
      trained.forEach((hs, l) => {
        cur[l] = copy(hs);
      });
    } catch (e) {
      say(`The weights cannot be read: ${e.message}`);
    }
    changed({});
  }
  const setLayer = choice(
    $('#wi-layers'),
    'Layer',
    data.blocks.map((n, l) => [l, String(n)]),
    l => changed({ head: [+l, state.head[1]] }),
  );
  const setThumb = thumbs($('#wi-thumbs'), picture, i => changed({ image: i }));
  const svg = el('svg', { viewBox: `${-SPAN} ${-SPAN} ${2 * SPAN} ${2 * SPAN}`, 'aria-hidden': 'true' }),
    frame = $('#wi-frame');
  frame.append(svg);
  for (let i = -5; i <= 6; i++)
    svg.append(
      el('line', { class: 'grid', x1: -SPAN, x2: SPAN, y1: i - 0.5, y2: i - 0.5 }),
      el('line', { class: 'grid', y1: -SPAN, y2: SPAN, x1: i - 0.5, x2: i - 0.5 }),
    );
  const heat = el('g'),
    q = el('rect', { class: 'q', x: -0.5, y: -0.5, width: 1, height: 1 }),
    ghost = el('circle', { class: 'ghost' }),
    link = el('line', { class: 'ghost' });
  const discs = trained[0].map(() => el('circle', { class: 'disc' })),
    dots = trained[0].map(() => el('circle', { class: 'dot', r: 0.25 })),
    names = trained[0].map((_, h) => el('text', {}, String(h + 1)));
  const cells = Array.from({ length: 121 }, (_, i) =>
      el('rect', { class: 'cell', x: (i % 11) - 5.5, y: ((i / 11) | 0) - 5.5, width: 1, height: 1 }),
    ),
    map = new Float64Array(121);
  heat.append(...cells);
  svg.prepend(heat);
  svg.append(q, link, ghost, ...discs, ...dots.flatMap((d, h) => [d, names[h]]));

  // where the pointer is, in tokens from the query
  const point = e => {
    const b = svg.getBoundingClientRect();
    return [((e.clientY - b.top) / b.height) * 2 * SPAN - SPAN, ((e.clientX - b.left) / b.width) * 2 * SPAN - SPAN];
  };
  let drag = null;
  let dirty = 0;
  const rimOf = (p, h) => Math.abs(Math.hypot(p[0] - h[0], p[1] - h[1]) - radius(h[2])) < 0.18 && radius(h[2]) > 0.5;
  svg.onpointerdown = e => {
    const p = point(e),
      [l, s] = state.head,
      hs = cur[l];
    svg.setPointerCapture(e.pointerId);
    const order = hs.map((h, i) => [Math.hypot(p[0] - h[0], p[1] - h[1]), i]).sort((a, b) => a[0] - b[0]);
    if (order[0][0] < 0.45) drag = { h: order[0][1] };
    else if (rimOf(p, hs[s])) drag = { h: s, rim: true };
    else {
      const rim = hs.findIndex(h => rimOf(p, h));
      drag = rim >= 0 ? { h: rim, rim: true } : { h: order[0][1] };
    }
    const h = hs[drag.h];
    drag.from = [h[0] - p[0], h[1] - p[1]];
    if (!drag.rim && order[0][0] >= 0.45) ((drag.from = [0, 0]), (drag.wait = p));
    changed({ head: [l, drag.h] });
  };
  svg.onpointermove = e => {
    const p = point(e),
      l = state.head[0];
    if (!drag) {
      svg.style.cursor = cur[l].some(h => Math.hypot(p[0] - h[0], p[1] - h[1]) < 0.45)
        ? 'grab'
        : cur[l].some(h => rimOf(p, h))
          ? 'ew-resize'
          : 'default';
      return;
    }
    const h = cur[l][drag.h];
    if (drag.rim) ((h.length = 3), (h[2] = R50 ** 2 / clamp(Math.hypot(p[0] - h[0], p[1] - h[1]), 0.08, 8) ** 2));
    else if (!drag.wait || Math.hypot(p[0] - drag.wait[0], p[1] - drag.wait[1]) > 0.2) {
      drag.wait = null;
      h[0] = clamp(p[0] + drag.from[0], -7, 7);
      h[1] = clamp(p[1] + drag.from[1], -7, 7);
    }
    touched(l);
  };
  svg.onpointerup = svg.onpointercancel = () => {
    drag = null;
  };
  const touched = l => {
    dirty = Math.min(dirty, l);
    changed({ edited: true });
  };
  arrows(
    frame,
    (r, c, e) => {
      const [l, s] = state.head,
        k = e.shiftKey ? 1 : 0.1;
      cur[l][s][0] = clamp(cur[l][s][0] + r * k, -7, 7);
      cur[l][s][1] = clamp(cur[l][s][1] + c * k, -7, 7);
      touched(l);
    },
    {
      '+': () => width(1.25),
      '=': () => width(1.25),
      '-': () => width(0.8),
      x: () => $('#wi-off').click(),
      n: () => changed({ head: [state.head[0], (state.head[1] + 1) % cur[state.head[0]].length] }),
      Escape: () => $('#wi-soft').click(),
    },
  );
  const width = k => {
    const [l, s] = state.head;
    cur[l][s].length = 3;
    cur[l][s][2] = clamp(cur[l][s][2] * k * k, 1e-4, 110);
    touched(l);
  };

  // move lets a layer's heads glide to a target
  let moveId = 0;
  function move(l, to) {
    const from = copy(cur[l]),
      id = ++moveId;
    glide(450, u => {
      if (id !== moveId) return false;
      cur[l].forEach((h, i) => {
        h.length = 3;
        h[0] = from[i][0] + (to[i][0] - from[i][0]) * u;
        h[1] = from[i][1] + (to[i][1] - from[i][1]) * u;
        h[2] = Math.exp(Math.log(from[i][2]) + (Math.log(to[i][2]) - Math.log(from[i][2])) * u);
      });
      if (u === 1) cur[l] = copy(to);
      touched(l);
    });
  }
  $('#wi-snap').onclick = () => {
    const l = state.head[0];
    move(
      l,
      cur[l].map(h => [Math.round(h[0]) + 0, Math.round(h[1]) + 0, 46]),
    );
  };
  $('#wi-off').onclick = () => {
    const [l, s] = state.head;
    cur[l][s].off = !cur[l][s].off;
    touched(l);
  };
  $('#wi-soft').onclick = () => {
    const l = state.head[0];
    move(l, copy(trained[l]));
  };
  $('#wi-reset').onclick = () => {
    trained.forEach((hs, l) => {
      if (l !== state.head[0]) cur[l] = copy(hs);
    });
    dirty = 0;
    move(state.head[0], copy(trained[state.head[0]]));
  };

  // prediction: the network from the first changed layer on; the other images when the hand rests
  let timer = 0,
    soon = 0,
    now = null,
    cost = 0,
    marks = [],
    images = [], // those whose class is known
    shown = -1;
  // embedded is the input of the first layer for an image
  const embedded = i => (cache[i] ??= net.embed(images[i].bytes));
  function predict() {
    const t = performance.now(),
      i = state.image;
    while (before.length <= i) {
      const k = before.length;
      before.push(softmax(net.logits(embedded(k), trained, 0)));
    }
    now = softmax(net.logits(embedded(i), cur, 0));
    cost = performance.now() - t;
    shown = i;
    drawBars();
  }
  function predictAll() {
    const t = performance.now();
    let i = 0;
    const some = () => {
      const until = performance.now() + 8;
      do {
        while (before.length <= i) before.push(softmax(net.logits(embedded(before.length), trained, 0)));
        const p = softmax(net.logits(embedded(i), cur, 0));
        marks[i] = p.indexOf(Math.max(...p)) === data.classes.indexOf(images[i].label);
        i++;
      } while (i < images.length && performance.now() < until);
      if (i < images.length) timer = setTimeout(some, 0);
      else {
        drawMarks();
        view.took = performance.now() - t;
      }
    };
    some();
  }
  function schedule() {
    if (!soon)
      soon = setTimeout(
        () => {
          soon = 0;
          predict();
        },
        cost > 10 ? cost * 1.5 : 0,
      );
    clearTimeout(timer);
    timer = setTimeout(predictAll, 350);
  }
  function drawBars() {
    const was = before[shown],
      order = classBars($('#wi-bars'), data.classes, data.classes.indexOf(images[shown].label), now, was);
    $('#wi-bars').setAttribute('role', 'img');
    $('#wi-bars').setAttribute(
      'aria-label',
      order.map(k => `${data.classes[k]} ${pct(now[k])}, as trained ${pct(was[k])}`).join('; '),
    );
  }
  function drawMarks() {
    $('#wi-thumbs')
      .querySelectorAll('button')
      .forEach((b, i) => {
        b.dataset.mark = marks[i] ? '✓' : '✗';
        b.setAttribute('aria-label', `${images[i].label}: ${marks[i] ? 'right' : 'wrong'}`);
      });
    $('#wi-right').textContent =
      `${marks.filter(Boolean).length} of these ${marks.length} images right. The line on each bar: as trained.`;
  }

  const view = {
    predict,
    heads: cur,
    rows: () => [
      ['layer', 'head', 'row', 'column', 'alpha', 'trained_row', 'trained_column', 'trained_alpha'],
      ...cur.flatMap((hs, l) =>
        hs.map((h, i) => [data.blocks[l], i + 1, ...h.slice(0, 3), ...trained[l][i].slice(0, 3)]),
      ),
    ],
    took: 0,
    draw() {
      if (!asked) load();
      if (!grams) {
        $('#wi-finding').textContent = 'Reading the weights …';
        return;
      }
      const [l, s] = state.head,
        hs = cur[l],
        m = layer(hs, without(hs, grams[l]), grid),
        moved = hs.some((h, i) => h.off || h.some((v, j) => j < 3 && Math.abs(v - trained[l][i][j]) > 1e-9));
      const trainedShare = moved ? `; as trained, ${pct(base[l].within3)}` : '',
        text = `${pct(m.within3)} of layer ${data.blocks[l]} is one 3\u202f×\u202f3 convolution${trainedShare}.`;
      if ($('#wi-finding').textContent !== text) $('#wi-finding').textContent = text;
      hs.forEach((h, i) => {
        const c = changeColor(change(first[l][i], h)),
          r = radius(h[2]),
          on = i === s;
        const set = (e, o) => {
          for (const k in o) e.setAttribute(k, o[k]);
        };
        set(discs[i], { cx: h[1], cy: h[0], r: Math.min(r, 60) });
        discs[i].style.stroke = rgb(c);
        discs[i].style.fill = rgb(c, Math.min(0.3, 0.24 / Math.max(1, r)));
        discs[i].style.strokeWidth = on ? 0.13 : 0.06;
        for (const e of [discs[i], dots[i], names[i]]) e.style.opacity = h.off ? 0.25 : 1;
        set(dots[i], { cx: h[1], cy: h[0] });
        dots[i].style.stroke = rgb(c);
        dots[i].style.fill = on ? rgb(c) : rgb(ink.paper);
        set(names[i], { x: h[1], y: h[0] + 0.02 });
        names[i].style.fill = rgb(on ? ink.paper : ink.ink);
      });
      svg.append(discs[s], dots[s], names[s]);
      headMap(hs[s], [11, 11], [5, 5], map);
      cells.forEach((e, i) => {
        e.style.fill = rgb(changeColor(change(first[l][s], hs[s])), 0.55 * Math.sqrt(map[i]));
      });
      const t = trained[l][s],
        h = hs[s],
        off = Math.hypot(h[0] - t[0], h[1] - t[1]) > 0.02 || Math.abs(radius(h[2]) - radius(t[2])) > 0.01;
      ghost.style.display = link.style.display = off ? '' : 'none';
      ghost.style.stroke = link.style.stroke = rgb(ink.soft);
      for (const [k, v] of Object.entries({ cx: t[1], cy: t[0], r: Math.min(60, radius(t[2])) }))
        ghost.setAttribute(k, v);
      for (const [k, v] of Object.entries({ x1: t[1], y1: t[0], x2: h[1], y2: h[0] })) link.setAttribute(k, v);
      const within = (x, all, unit) => (radius(x[2]) > 20 ? all : radius(x[2]).toFixed(2) + unit),
        rest = off
          ? `Trained: ${pair(t.slice(0, 2))}, ${within(t, 'everywhere', '')}.`
          : 'Arrow keys move it, + and − change its width, n is the next.',
        half = within(h, 'the whole image', ' tokens'),
        words = h.off ? `Head ${s + 1} is switched off.` : `Head ${s + 1}: center ${pair(h.slice(0, 2))}, half within ${half}. ${rest}`;
      $('#wi-off').textContent = h.off ? 'Switch head on' : 'Switch head off';
      if ($('#wi-text').textContent !== words) $('#wi-text').textContent = words;

      const { g, w, h: hh } = fit($('#wi-kernel')),
        R = 5,
        S = 2 * R + 1,
        [gr, gc] = grid,
        u = w / S;
      let top = 0;
      for (const v of m.norm) top = Math.max(top, v);
      top ||= 1;
      g.clearRect(0, 0, w, hh);
      for (let r = -R; r <= R; r++)
        for (let c = -R; c <= R; c++) {
          const v = Math.abs(r) < gr && Math.abs(c) < gc ? m.norm[(r + gr - 1) * (2 * gc - 1) + c + gc - 1] / top : 0;
          g.fillStyle = rgb(mix(ink.well, ink.ink, v));
          g.beginPath();
          g.roundRect((c + R) * u + 0.75, (r + R) * u + 0.75, u - 1.5, u - 1.5, 2);
          g.fill();
        }
      g.strokeStyle = rgb(ink.wide);
      g.strokeStyle = rgb(ink.soft);
      g.lineWidth = 1.25;
      g.strokeRect((R - 1) * u, (R - 1) * u, 3 * u, 3 * u);
      $('#wi-kernel').setAttribute('aria-label', `Norms of the nearest kernel by shift; largest ${top.toFixed(2)}`);
      const rows = [
        ['1 × 1', m.shares[0], base[l].shares[0]],
        ['further 3 × 3', m.shares[1], base[l].shares[1]],
        [
          '5, 7 and more',
          m.shares[2] + m.shares[3] + m.shares[4],
          base[l].shares[2] + base[l].shares[3] + base[l].shares[4],
        ],
        ['no convolution', m.place, base[l].place],
      ];
      $('#wi-shares').replaceChildren(...rows.map(([a, v, b], i) => bar(a, v, b, i < 2 ? 'main' : '')));
      setLayer(l);
      if (images.length !== data.images.filter(im => !im.own).length) images = data.images.filter(im => !im.own);
      $('#whatif .predwrap').hidden = !net || (!images.length && !data.waiting);
      $('#whatif .pred').hidden = !images.length;
      if (!images.length) $('#wi-right').textContent = absent(data);
      if (!net || !images.length) return;
      state.image = Math.min(state.image, images.length - 1);
      setThumb(images, state.image);
      paint($('#wi-image'), images[state.image].bytes, picture, v => v);
      if (dirty < run.layers || shown !== state.image) {
        dirty = run.layers;
        schedule();
      }
    },
  };
  return view;
}
