// Where the maps of the attention view come from: Gaussian heads are computed here, others come from the server.
import { ink, say, change, changeColor, decode } from './draw.js';
import { between, headMap } from './math.js';
import { api, exported } from './api.js';

// gaussians answers from centers and widths.
export function gaussians(data, state) {
  const { run } = data;
  let now = null;
  return {
    ready: () => true,
    parts: ['weights'],
    byImage: false,
    begin() {
      now = between(data.frames, state.epoch).heads;
    },
    map: (l, h, q, out, at) => headMap(now[l][h], run.grid, q, out, at),
    color: (l, h) => changeColor(change(data.frames[0].heads[l][h], now[l][h])),
    head: (l, h) => now[l][h],
    elsewhere: () => 0,
  };
}

// served answers from the maps of the server: a request for each image, epoch and part.
export function served(data, state, changed) {
  const { run } = data,
    kept = new Map();
  let current = null,
    stop = null, // ends the request under way, which another image makes useless
    byImage = false,
    parts = ['weights'];
  function want() {
    const im = data.images[state.image],
      epoch = exported || state.live || !data.kept.includes(state.epoch) ? null : state.epoch,
      key = `${im?.key}|${state.part}|${epoch}`;
    if (!im || (im.key === 'own' && !api.parts(run.id, im.key)?.includes('weights'))) return null; // nobody has it
    if (!kept.has(key)) {
      kept.set(key, null);
      stop?.abort();
      stop = new AbortController();
      api
        .attention(run.id, im.key, epoch, state.part, stop.signal)
        .then(([d, bytes]) => {
          const layers = [];
          let at = 0;
          for (const l of d.layers) {
            const n = l.most.length ? l.heads * l.tokens * l.tokens : 0;
            layers.push({ ...l, elsewhere: l.elsewhere && decode(l.elsewhere), bytes: bytes.subarray(at, at + n) });
            at += n;
          }
          if (kept.size > 16) kept.delete(kept.keys().next().value);
          kept.set(key, layers);
          byImage = d.by_image;
          parts = [
            'weights',
            ...(d.layers.some(l => l.has.length) ? ['scores'] : []),
            ...new Set(d.layers.flatMap(l => l.has)),
          ].filter(part => api.parts(run.id, im.key)?.includes(part) ?? true);
          changed({});
        })
        .catch(e => {
          kept.delete(key);
          if (e.name !== 'AbortError') say(`The attention cannot be read: ${e.message}`);
        });
    }
    return kept.get(key);
  }
  return {
    ready: () => (current = want()) !== null,
    get parts() {
      return parts;
    },
    get byImage() {
      return byImage;
    },
    begin() {},
    head: () => null,
    // elsewhere is the part of the attention from q on tokens that are not on the grid.
    elsewhere(l, h, [r, c]) {
      const x = current[l];
      return x.elsewhere ? x.elsewhere[h * x.tokens + r * run.grid[1] + c] / 255 : 0;
    },
    color: () => ink.sharp,
    range(l, h) {
      const x = current[l];
      return x.most.length ? [x.least[h], x.most[h]] : [0, 0];
    },
    map(l, h, q, out, at) {
      const x = current[l],
        T = x.tokens,
        [least, most] = this.range(l, h),
        from = (h * T + q[0] * run.grid[1] + q[1]) * T;
      let top = -Infinity;
      for (let i = 0; i < T; i++) {
        const v = x.bytes.length ? least + (x.bytes[from + i] / 255) * (most - least) : 0;
        out[at + i] = v;
        if (v > top) top = v;
      }
      return top;
    },
  };
}
