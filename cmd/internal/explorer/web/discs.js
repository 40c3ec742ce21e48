// Gaussian heads for the overview: each head is a disc or an ellipse around the query, with its trail over the epochs.
import { el, rgb, change, changeColor } from './draw.js';
import { between, layer, radius, tap, headMap } from './math.js';

const TURN = 180 / Math.PI,
  SPAN = 5.5; // tokens from the query to the edge of a picture

// ellipse returns the semi-axes (tokens) and the turn (degrees) of the curve with half of a head's attention inside.
function ellipse(h) {
  if (!h[3]) {
    const r = radius(h[2]);
    return [r, r, 0];
  }
  const [a, b, d] = h[3],
    m = (a + d) / 2,
    s = Math.hypot((a - d) / 2, b),
    big = Math.max(1e-9, m - s),
    small = Math.max(1e-9, m + s);
  // before the turn the long axis is along the rows
  return [radius(big / 2), radius(small / 2), 0.5 * Math.atan2(2 * b, d - a) * TURN];
}

// A picture of a layer is an SVG of its heads around the query.
function picture(heads, l, changed) {
  const svg = el('svg', { viewBox: `${-SPAN} ${-SPAN} ${2 * SPAN} ${2 * SPAN}`, role: 'img' }),
    trails = heads.map(() => el('path', { class: 'trail' })),
    discs = heads.map((_, h) => el('ellipse', { class: 'disc', 'data-h': h })),
    numbers = heads.map((_, h) => el('text', { class: 'number' }, String(h + 1)));
  svg.append(
    el('line', { class: 'cross', x1: -SPAN, x2: SPAN, y1: 0, y2: 0 }),
    el('line', { class: 'cross', y1: -SPAN, y2: SPAN, x1: 0, x2: 0 }),
    ...trails,
    ...discs,
    ...numbers,
    el('rect', { class: 'q', x: -0.5, y: -0.5, width: 1, height: 1 }),
  );
  discs.forEach((d, h) => {
    d.onpointerenter = () => changed({ head: [l, h] });
    d.onclick = () => changed({ head: [l, h], view: 'attention' });
  });
  return { box: svg, trails, discs, numbers };
}

const APART = 0.75, // tokens between two numbers
  EDGE = SPAN - 0.4; // where a number is that has no room in the picture

// place puts the number of each head at its center, within the picture. One too near to another is there only if its
// head is chosen.
function place(numbers, heads, chosen) {
  const taken = [];
  for (const h of [chosen, ...heads.keys()]) {
    if (h < 0 || taken[h]) continue;
    const [y, x] = heads[h].slice(0, 2).map(v => Math.min(EDGE, Math.max(-EDGE, v))),
      free = !taken.some(([r, c]) => Math.hypot(r - y, c - x) < APART);
    if (free) taken[h] = [y, x];
    numbers[h].setAttribute('x', x);
    numbers[h].setAttribute('y', y);
    numbers[h].classList.toggle('hid', !free);
    numbers[h].classList.toggle('on', h === chosen);
  }
}

export function discs(data, state, changed) {
  const grid = data.run.grid,
    first = data.frames[0].heads,
    pictures = first.map((heads, l) => picture(heads, l, changed)),
    color = (l, h, p) => changeColor(change(first[l][h], p)),
    measured = new Map(); // shares of the layers, by epoch

  function shares(f) {
    if (f.grams && !measured.has(f.epoch))
      measured.set(
        f.epoch,
        f.heads.map((hs, l) => layer(hs, f.grams[l], grid).within3),
      );
    return measured.get(f.epoch);
  }
  return {
    counts: first.map(heads => heads.length),
    pictures,
    what:
      'Each disc is one attention head, drawn around the token that asks (the small square): it is where the head ' +
        'looks, and half of the head’s attention falls inside it. ',
    end: () => data.frames.at(-1).epoch,
    rest: Math.round,
    at(e) {
      const { heads, grams } = between(data.frames, e);
      return { heads, shares: grams && heads.map((hs, l) => layer(hs, grams[l], grid).within3) };
    },
    measured: () => data.frames.flatMap(f => (shares(f) ? [{ epoch: f.epoch, shares: shares(f) }] : [])),
    // facts says in numbers where a head looks; half is the radius around its center with half of its attention.
    facts(heads, l, h) {
      const p = heads[l][h],
        half = radius(p[2]);
      return { center: p, half, tap: tap(p, grid), all: half > Math.max(...grid) / 2, color: color(l, h, p) };
    },
    start: (l, h) => ({ center: first[l][h], half: radius(first[l][h][2]) }),
    draw(l, { heads }, e, chosen) {
      heads[l].forEach((p, h) => {
        const r = radius(p[2]),
          c = color(l, h, p),
          d = pictures[l].discs[h],
          trail = pictures[l].trails[h],
          [ry, rx, turn] = ellipse(p);
        d.setAttribute('cx', p[1]);
        d.setAttribute('cy', p[0]);
        d.setAttribute('rx', Math.min(rx, 60));
        d.setAttribute('ry', Math.min(ry, 60));
        if (turn) d.setAttribute('transform', `rotate(${turn} ${p[1]} ${p[0]})`);
        else d.removeAttribute('transform');
        d.style.stroke = rgb(c);
        d.style.fill = rgb(c, Math.min(0.3, 0.24 / Math.max(1, r)));
        d.classList.toggle('on', h === chosen);
        let path = '';
        for (const f of data.frames) {
          if (f.epoch >= e) break;
          path += `${path ? 'L' : 'M'}${f.heads[l][h][1]} ${f.heads[l][h][0]}`;
        }
        trail.setAttribute('d', path && path + `L${p[1]} ${p[0]}`);
        trail.style.stroke = rgb(c);
        trail.classList.toggle('on', h === chosen);
      });
      place(pictures[l].numbers, heads[l], chosen);
    },
    // near writes the head's attention at shifts of at most five tokens, (11, 11).
    near: (heads, l, h, out) => headMap(heads[l][h], [11, 11], [5, 5], out),
    everywhere: 'It now looks at the whole image alike',
  };
}
