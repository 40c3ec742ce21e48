// Mathematics of the tour: no DOM, no state. x is an image of N × N pixels with three values in 0 … 1 each, q a pixel.

// The dot product of the colors of q and k. Colors are measured from gray, so that it is negative for opposite ones.
export function dots(x, n, q, out) {
  const a = 3 * (q[0] * n + q[1]);
  for (let k = 0; k < n * n; k++) {
    let s = 0;
    for (let c = 0; c < 3; c++) s += (2 * x[a + c] - 1) * (2 * x[3 * k + c] - 1);
    out[k] = s;
  }
  return out;
}

// soft: the softmax of β·s.
export function soft(s, beta, out) {
  let best = -Infinity,
    sum = 0;
  for (const v of s) best = Math.max(best, v);
  for (let k = 0; k < s.length; k++) sum += out[k] = Math.exp(beta * (s[k] - best));
  for (let k = 0; k < s.length; k++) out[k] /= sum;
  return out;
}

// byColor: the mean of all pixels for each query, with the weights softmax(β·dot product).
export function byColor(x, n, beta, out) {
  const s = new Float32Array(n * n),
    p = new Float32Array(n * n);
  for (let i = 0; i < n * n; i++) {
    soft(dots(x, n, [(i / n) | 0, i % n], s), beta, p);
    for (let c = 0; c < 3; c++) {
      let y = 0;
      for (let k = 0; k < n * n; k++) y += p[k] * x[3 * k + c];
      out[3 * i + c] = y;
    }
  }
  return out;
}

// byPlace: the mean of all pixels for each query, with the weights of a Gaussian head [Δ₁, Δ₂, α]; axes are its
// softmaxes over rows and columns (math.js).
export function byPlace(x, n, { r, c }, out) {
  const y = new Float32Array(3 * n * n);
  for (let q = 0; q < n; q++)
    for (let k = 0; k < n; k++) {
      const p = r[q * n + k];
      if (p > 1e-9) for (let j = 0; j < 3 * n; j++) y[q * 3 * n + j] += p * x[k * 3 * n + j];
    }
  out.fill(0);
  for (let q = 0; q < n; q++)
    for (let k = 0; k < n; k++) {
      const p = c[q * n + k];
      if (p > 1e-9)
        for (let i = 0; i < n; i++)
          for (let j = 0; j < 3; j++) out[3 * (i * n + q) + j] += p * y[3 * (i * n + k) + j];
    }
  return out;
}
