// Heads of any kind for the overview: each head is a map of its mean attention by shift, which the server measures.
import { el, rgb, ink, fit, rem, narrower, changeColor, clamp } from './draw.js';

const SIDE = 11, // a map has shifts from −5 to 5
  FINEST = 0.5; // tokens; a head that looks at one token has half of its attention within 0

// mean interpolates two frames of maps, between which training went from one epoch to the other.
function mean(a, b, t) {
  const lerp = (x, y) => x + (y - x) * t;
  return {
    shares: a.shares.map((s, l) => lerp(s, b.shares[l])),
    heads: a.heads.map((hs, l) =>
      hs.map((p, h) => {
        const q = b.heads[l][h];
        return {
          center: p.center.map((v, i) => lerp(v, q.center[i])),
          half: lerp(p.half, q.half),
          tap: t < 0.5 ? p.tap : q.tap,
          near: p.near.map((v, i) => lerp(v, q.near[i])),
        };
      }),
    ),
  };
}

export function tiles(data, state, changed) {
  const { run, counts } = data,
    [R, C] = run.grid,
    frames = data.means,
    start = (l, h) => frames[0].heads[l][h],
    color = (l, h, p) =>
      run.foreign ? ink.sharp : changeColor(narrower(Math.max(FINEST, start(l, h).half), Math.max(FINEST, p.half)));
  const exists = i => Math.abs(((i / SIDE) | 0) - 5) < R && Math.abs((i % SIDE) - 5) < C;
  const pictures = counts.map((n, l) => {
    const canvas = el('canvas', { class: 'tiles', role: 'img' }),
      across = Math.ceil(Math.sqrt(n)),
      down = Math.ceil(n / across);
    canvas.style.aspectRatio = `${across} / ${down}`;
    const at = e => {
      const b = canvas.getBoundingClientRect(),
        h =
          clamp(Math.floor(((e.clientY - b.top) / b.height) * down), 0, down - 1) * across +
          clamp(Math.floor(((e.clientX - b.left) / b.width) * across), 0, across - 1);
      return [l, Math.min(h, n - 1)];
    };
    canvas.onpointermove = e => {
      if (at(e).join() !== state.head.join()) changed({ head: at(e) });
    };
    canvas.onclick = e => changed({ head: at(e), view: 'attention' });
    return { box: canvas, across, down };
  });

  // map draws one head's map into a square of side s at x, y.
  function map(g, p, c, x, y, s) {
    const u = s / SIDE;
    for (let i = 0; i < SIDE * SIDE; i++) {
      if (!exists(i)) continue;
      const px = x + (i % SIDE) * u,
        py = y + ((i / SIDE) | 0) * u;
      g.fillStyle = rgb(ink.well);
      g.fillRect(px, py, u + 0.3, u + 0.3);
      g.fillStyle = rgb(c, Math.sqrt(p.near[i]));
      g.fillRect(px, py, u + 0.3, u + 0.3);
    }
    g.strokeStyle = rgb(ink.ink);
    g.lineWidth = 1;
    g.strokeRect(x + 5 * u + 0.5, y + 5 * u + 0.5, u - 1, u - 1);
  }
  // trail draws how the center of a head's attention moved up to an epoch.
  function trail(g, l, h, p, e, x, y, s) {
    const u = s / SIDE,
      to = ([r, c]) => [x + (clamp(c, -5, 5) + 5.5) * u, y + (clamp(r, -5, 5) + 5.5) * u];
    g.beginPath();
    for (const f of frames) if (f.epoch < e) g.lineTo(...to(f.heads[l][h].center));
    g.lineTo(...to(p.center));
    g.strokeStyle = rgb(ink.ink, 0.55);
    g.lineWidth = 1.25;
    g.stroke();
    g.beginPath();
    g.arc(...to(p.center), Math.max(1.5, u * 0.22), 0, 7);
    g.fillStyle = rgb(ink.ink);
    g.fill();
  }

  return {
    counts,
    pictures,
    what:
      'Each map is one attention head, drawn around the token that asks (the small square): the stronger a cell, the ' +
        `more attention the token at that shift gets, on average. The dot is the mean shift${run.foreign ? '' : ', the line its way'}. `,
    get measuredOn() {
      return frames[0]?.images ?? 0;
    },
    get first() {
      return frames[0]?.epoch ?? 0;
    },
    end: () => frames.at(-1)?.epoch ?? Math.max(0, ...data.kept),
    // rest returns the next epoch whose weights are there, in the direction of the change.
    rest(e, from = -1) {
      const epochs = frames.map(f => f.epoch);
      if (!epochs.length) return e;
      if (from >= 0 && e > from) return epochs.find(x => x >= e - 1e-9) ?? epochs.at(-1);
      if (from >= 0 && e < from) return epochs.findLast(x => x <= e + 1e-9) ?? epochs[0];
      return epochs.reduce((a, b) => (Math.abs(b - e) < Math.abs(a - e) ? b : a));
    },
    at(e) {
      if (!frames.length) return null;
      const i = Math.max(0, frames.findLastIndex(f => f.epoch <= e)),
        a = frames[i],
        b = frames[i + 1];
      return !b || e <= a.epoch ? a : mean(a, b, (e - a.epoch) / (b.epoch - a.epoch));
    },
    measured: () => frames,
    facts(heads, l, h) {
      const p = heads[l][h];
      return { center: p.center, half: p.half, tap: p.tap, all: p.tap.weight < 2 / (R * C), color: color(l, h, p) };
    },
    start: (l, h) => start(l, h),
    draw(l, { heads }, e, chosen) {
      const { box, across, down } = pictures[l],
        { g, w } = fit(box),
        gap = Math.max(3, w * 0.02),
        size = 0.6875 * rem(),
        s = (w - gap * (across - 1)) / across;
      g.clearRect(0, 0, w, w * down);
      heads[l].forEach((p, h) => {
        const x = (h % across) * (s + gap),
          y = ((h / across) | 0) * (s + gap);
        map(g, p, color(l, h, p), x, y, s);
        trail(g, l, h, p, e, x, y, s);
        if (s >= 4 * size) {
          g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
          g.textBaseline = 'top';
          g.fillStyle = rgb(ink.soft);
          g.fillText(`${h + 1}`, x + size / 3, y + size / 3);
        }
        if (h !== chosen) return;
        g.strokeStyle = rgb(ink.ink);
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1, s - 2, s - 2);
      });
    },
    near(heads, l, h, out) {
      heads[l][h].near.forEach((v, i) => (out[i] = exists(i) ? v : NaN));
    },
    everywhere: run.foreign ? 'No shift gets much of its attention' : 'It now looks at all tokens alike',
  };
}
