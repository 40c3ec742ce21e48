// The network of the page: from an image to its logits.
import { axes, headMap } from './math.js';

// erf, Abramowitz and Stegun 7.1.26: within 1.5e-7.
function gelu(x) {
  const z = Math.abs(x) / Math.SQRT2,
    t = 1 / (1 + 0.3275911 * z);
  const e =
    1 -
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-z * z);
  return x * 0.5 * (1 + (x < 0 ? -e : e));
}

function linear(x, rows, inn, w, b, out, onto = false) {
  // y = x·wᵀ + b
  const o = b.length;
  for (let r = 0; r < rows; r++)
    for (let j = 0; j < o; j++) {
      let s0 = 0,
        s1 = 0;
      for (let i = 0, a = r * inn, c = j * inn; i < inn; i += 2) {
        s0 += x[a + i] * w[c + i];
        s1 += x[a + i + 1] * w[c + i + 1];
      }
      out[r * o + j] = s0 + s1 + b[j] + (onto ? out[r * o + j] : 0);
    }
}

function norm(x, rows, d, g, b) {
  for (let r = 0; r < rows; r++) {
    let m = 0,
      v = 0;
    for (let i = 0; i < d; i++) m += x[r * d + i];
    m /= d;
    for (let i = 0; i < d; i++) {
      const e = x[r * d + i] - m;
      v += e * e;
    }
    const s = 1 / Math.sqrt(v / d + 1e-12);
    for (let i = 0; i < d; i++) x[r * d + i] = (x[r * d + i] - m) * s * g[i] + b[i];
  }
}

// runnable reports whether network can compute a network with these tensors.
export function runnable(run, order) {
  const names = new Set(order.map(t => t.name.replace(/^model\.|encoder\./g, '')));
  const block = [
    'self.value.weight',
    'self.value.bias',
    'output.dense.weight',
    'output.dense.bias',
    'output.LayerNorm.weight',
    'output.LayerNorm.bias',
  ]
    .map(s => 'attention.' + s)
    .concat([
      'intermediate.dense.weight',
      'intermediate.dense.bias',
      'output.dense.weight',
      'output.dense.bias',
      'output.LayerNorm.weight',
      'output.LayerNorm.bias',
    ]);
  const want = [
    'features_upscale.weight',
    'features_upscale.bias',
    'classifier.weight',
    'classifier.bias',
    ...run.heads.flatMap((_, l) => block.map(s => `layer.${l}.${s}`)),
  ];
  return (
    want.every(n => names.has(n)) &&
    [...names].every(n => want.includes(n) || /attention\.self\.attention_/.test(n)) &&
    run.image[0] % run.pool === 0 &&
    run.image[1] % run.pool === 0
  );
}

// network computes logits of a network of quadratic heads, from the first layer whose heads have changed on. run is the
// document's, order and flat the weights.
export function network(run, order, flat) {
  const W = {};
  let off = 0;
  for (const { name, shape } of order) {
    const len = (shape ?? []).reduce((a, b) => a * b, 1);
    W[name.replace(/^model\.|encoder\./g, '')] = flat.subarray(off, off + len);
    off += len;
  }
  const [R, C] = run.grid,
    T = R * C,
    d = run.dim,
    L = run.layers,
    [rows0, cols0, ch] = run.image;
  const most = Math.max(...run.heads),
    mix = new Float32Array(T * most * d),
    rows = new Float32Array(T * d),
    u = new Float32Array(T * run.ffn),
    y = new Float32Array(T * d);
  return {
    embed(rgb) {
      const p = run.pool,
        inn = p * p * ch,
        t = new Float32Array(T * inn),
        x = new Float32Array(T * d);
      for (let r = 0; r < rows0; r++)
        for (let c = 0; c < cols0; c++)
          for (let i = 0; i < ch; i++)
            t[(((r / p) | 0) * C + ((c / p) | 0)) * inn + ((r % p) * p + (c % p)) * ch + i] =
              (rgb[(r * cols0 + c) * 3 + i] / 255 - run.mean[i]) / run.std[i];
      linear(t, T, inn, W['features_upscale.weight'], W['features_upscale.bias'], x);
      return [x]; // inputs of layer 0, 1, …: a cache
    },
    logits(cache, heads, from = 0) {
      from = Math.min(from, cache.length - 1);
      cache.length = from + 1;
      for (let l = from; l < L; l++) {
        const w = s => W[`layer.${l}.${s}`],
          x = cache[l],
          out = new Float32Array(x),
          H = heads[l].length;
        for (let h = 0; h < H; h++) mixHead(heads[l][h], x, h, H);
        linear(mix, T, H * d, w('attention.self.value.weight'), w('attention.self.value.bias'), y);
        linear(y, T, d, w('attention.output.dense.weight'), w('attention.output.dense.bias'), out, true);
        norm(out, T, d, w('attention.output.LayerNorm.weight'), w('attention.output.LayerNorm.bias'));
        linear(out, T, d, w('intermediate.dense.weight'), w('intermediate.dense.bias'), u);
        for (let i = 0; i < u.length; i++) u[i] = gelu(u[i]);
        linear(u, T, run.ffn, w('output.dense.weight'), w('output.dense.bias'), out, true);
        norm(out, T, d, w('output.LayerNorm.weight'), w('output.LayerNorm.bias'));
        cache.push(out);
      }
      const last = cache[L],
        mean = new Float32Array(d),
        z = new Float32Array(W['classifier.bias'].length);
      for (let t = 0; t < T; t++) for (let i = 0; i < d; i++) mean[i] += last[t * d + i] / T;
      linear(mean, 1, d, W['classifier.weight'], W['classifier.bias'], z);
      return z;
    },
    // votes: what each token of the last layer, (T, d), adds to the logit of class k over the mean of all logits,
    // exactly, with an equal part of the bias.
    votes(tokens, k) {
      const w = W['classifier.weight'],
        b = W['classifier.bias'],
        K = b.length,
        over = (a, at, stride) => {
          let mean = 0;
          for (let c = 0; c < K; c++) mean += a[c * stride + at] / K;
          return a[k * stride + at] - mean;
        },
        v = Float32Array.from({ length: d }, (_, i) => over(w, i, d));
      return Float32Array.from({ length: T }, (_, t) => {
        let s = over(b, 0, 1);
        for (let i = 0; i < d; i++) s += tokens[t * d + i] * v[i];
        return s / T;
      });
    },
  };

  // mixHead averages the tokens by one head's weights: rows first, then columns, or all pairs of a head whose axes do
  // not part.
  function mixHead(head, x, h, H) {
    if (head.off) {
      for (let q = 0; q < T; q++) mix.fill(0, q * H * d + h * d, q * H * d + (h + 1) * d);
      return;
    }
    if (head[3]) {
      const map = new Float64Array(T);
      for (let q = 0; q < T; q++) {
        headMap(head, run.grid, [(q / C) | 0, q % C], map);
        const to = q * H * d + h * d;
        mix.fill(0, to, to + d);
        for (let k = 0; k < T; k++)
          if (map[k] > 1e-10) for (let i = 0; i < d; i++) mix[to + i] += map[k] * x[k * d + i];
      }
      return;
    }
    const { r: wr, c: wc } = axes(head, run.grid);
    rows.fill(0);
    for (let q = 0; q < R; q++)
      for (let k = 0; k < R; k++) {
        const p = wr[q * R + k];
        if (p < 1e-10) continue;
        for (let j = 0; j < C * d; j++) rows[q * C * d + j] += p * x[k * C * d + j];
      }
    for (let r = 0; r < R; r++)
      for (let c = 0; c < C; c++) {
        const to = (r * C + c) * H * d + h * d;
        mix.fill(0, to, to + d);
        for (let k = 0; k < C; k++) {
          const p = wc[c * C + k];
          if (p < 1e-10) continue;
          const a = (r * C + k) * d;
          for (let i = 0; i < d; i++) mix[to + i] += p * rows[a + i];
        }
      }
  }
}

export function softmax(z) {
  const m = Math.max(...z),
    e = Array.from(z, v => Math.exp(v - m)),
    s = e.reduce((a, b) => a + b, 0);
  return e.map(v => v / s);
}
