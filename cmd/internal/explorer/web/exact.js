// Theorem 1 in float32: a convolution, the attention that the theorem constructs from it, and their difference.

const f = Math.fround;
export const PRESETS = {
  blur: [1, 2, 1, 2, 4, 2, 1, 2, 1].map(x => x / 16),
  edge: [-1, -1, -1, -1, 8, -1, -1, -1, -1],
  emboss: [-2, -1, 0, -1, 1, 1, 0, 1, 2],
  sharpen: [0, -1, 0, -1, 5, -1, 0, -1, 0],
  shift: [0, 0, 0, 0, 0, 1, 0, 0, 0],
};
export const SHIFTS = [-1, 0, 1].flatMap(r => [-1, 0, 1].map(c => [r, c]));
export const BORDERS = ['zero', 'replicate', 'circular'];

const at = (i, n, border) =>
  border === 'circular'
    ? (i + n) % n
    : border === 'replicate'
      ? Math.min(n - 1, Math.max(0, i))
      : i < 0 || i >= n
        ? -1
        : i;

// convolve: Σ_δ X[q+δ]·k_δ for each channel, in the order of the shifts, each operation rounded to float32.
export function convolve(x, n, ch, kernel, border, out) {
  out.fill(0);
  for (let h = 0; h < 9; h++) {
    const k = f(kernel[h]),
      [dr, dc] = SHIFTS[h];
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++) {
        const kr = at(r + dr, n, border),
          kc = at(c + dc, n, border);
        if (kr < 0 || kc < 0) continue;
        for (let i = 0; i < ch; i++) {
          const q = (r * n + c) * ch + i;
          out[q] = f(out[q] + f(k * x[(kr * n + kc) * ch + i]));
        }
      }
  }
  return out;
}

// weights32: n × (n + 2·pad) softmax in float32 of −α(k − q − Δ)²; padded keys stand outside, on a torus distances
// wrap.
function weights32(delta, alpha, n, border) {
  const pad = border === 'zero' ? 1 : 0,
    m = n + 2 * pad,
    w = new Float32Array(n * m);
  for (let q = 0; q < n; q++) {
    let best = -Infinity,
      sum = 0;
    for (let k = 0; k < m; k++) {
      let d = k - pad - q - delta;
      if (border === 'circular') d = ((((d + n / 2) % n) + n) % n) - n / 2;
      const s = f(f(-alpha) * f(d * d));
      w[q * m + k] = s;
      if (s > best) best = s;
    }
    for (let k = 0; k < m; k++) {
      const e = f(Math.exp(f(w[q * m + k] - best)));
      w[q * m + k] = e;
      sum = f(sum + e);
    }
    for (let k = 0; k < m; k++) w[q * m + k] = f(w[q * m + k] / sum);
  }
  return w;
}

// attend: Σ_h softmax(A_h)·X·W_h with W_h = k_h·1 and A_h = −α‖δ − f(h)‖²: the layer that Theorem 1 constructs.
export function attend(x, n, ch, kernel, alpha, border, out) {
  const pad = border === 'zero' ? 1 : 0,
    m = n + 2 * pad;
  const W = [-1, 0, 1].map(d => weights32(d, alpha, n, border));
  const mixed = [0, 1, 2].map(i => {
    // rows first: n × n × ch for each of the three row shifts
    const y = new Float32Array(n * n * ch),
      w = W[i];
    for (let q = 0; q < n; q++)
      for (let k = 0; k < n; k++) {
        const p = w[q * m + k + pad];
        if (p === 0) continue; // adds exactly nothing
        for (let j = 0; j < n * ch; j++) y[q * n * ch + j] = f(y[q * n * ch + j] + f(p * x[k * n * ch + j]));
      }
    return y;
  });
  out.fill(0);
  const acc = new Float32Array(ch);
  for (let h = 0; h < 9; h++) {
    const y = mixed[SHIFTS[h][0] + 1],
      w = W[SHIFTS[h][1] + 1],
      value = f(kernel[h]);
    for (let c = 0; c < n; c++)
      for (let r = 0; r < n; r++) {
        acc.fill(0);
        for (let k = 0; k < n; k++) {
          const p = w[c * m + k + pad];
          if (p === 0) continue;
          for (let i = 0; i < ch; i++) acc[i] = f(acc[i] + f(p * y[(r * n + k) * ch + i]));
        }
        for (let i = 0; i < ch; i++) {
          const q = (r * n + c) * ch + i;
          out[q] = f(out[q] + f(value * acc[i]));
        }
      }
  }
  return out;
}

export function maxDifference(a, b) {
  let e = 0;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i] - b[i]);
    if (d > e) e = d;
  }
  return e;
}
