// Pins: one head's map seen from several queries.
import { $, el, ink, rgb, fit } from './draw.js';

// drawPins draws the chosen head's map around each pinned query and the one under the pointer, and says whether they are
// the same.
export function drawPins(data, state, source, weights) {
  const [R, C] = data.run.grid,
    box = $('#at-pins'),
    row = $('#at-pinrow'),
    all = [...state.pins, state.query];
  box.hidden = !state.pins.length || !weights;
  if (box.hidden) return;
  while (row.children.length < all.length)
    row.append(el('figure', {}, el('canvas', { class: 'map', 'aria-hidden': 'true' }), el('figcaption')));
  while (row.children.length > all.length) row.lastChild.remove();
  const [sl, sh] = state.head,
    map = new Float32Array(R * C),
    K = 4,
    S = 2 * K + 1,
    c = source.color(sl, sh);
  let ref = null,
    worst = 0;
  all.forEach((q, i) => {
    const fig = row.children[i],
      { g, w, h } = fit(fig.firstChild),
      u = w / S,
      seen = new Float32Array(S * S).fill(-1),
      top = source.map(sl, sh, q, map, 0);
    g.clearRect(0, 0, w, h);
    for (let r = 0; r < S; r++)
      for (let k = 0; k < S; k++) {
        const a = q[0] + r - K,
          b = q[1] + k - K;
        if (a < 0 || b < 0 || a >= R || b >= C) continue;
        seen[r * S + k] = map[a * C + b];
        g.fillStyle = rgb(ink.well);
        g.fillRect(k * u, r * u, u - 0.6, u - 0.6);
        g.fillStyle = rgb(c, Math.sqrt(map[a * C + b] / (state.scale === 'own' ? top : 1)));
        g.fillRect(k * u, r * u, u - 0.6, u - 0.6);
      }
    g.strokeStyle = rgb(ink.ink);
    g.lineWidth = 1.25;
    g.strokeRect(K * u, K * u, u, u);
    fig.lastChild.textContent = `${i < state.pins.length ? i + 1 : 'now'}: (${q[0]}, ${q[1]})`;
    if (ref)
      for (let j = 0; j < S * S; j++)
        if (seen[j] >= 0 && ref[j] >= 0) worst = Math.max(worst, Math.abs(seen[j] - ref[j]));
    ref ??= seen;
  });
  $('#at-pintext').textContent =
    worst < 0.02
      ? `Yes: seen from each query, the maps are the same to ${worst.toFixed(3)}.`
      : data.frames.length
        ? `Away from the border, yes. These differ by up to ${worst.toFixed(2)}: ` +
          'the softmax is over the tokens that exist, and beyond the border there are none.'
        : `No: seen from each query, the maps differ by up to ${worst.toFixed(2)}.`;
}
