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

// tones: rows of d values as colors of three bytes. Red, green and blue are the coordinates along the three directions in
// which the rows differ most, each on its own scale with the mean in the middle.
export function tones(x, rows, d) {
  const y = Float64Array.from(x),
    s = new Float64Array(rows),
    u = new Float64Array(d),
    out = new Float32Array(3 * rows).fill(127.5);
  for (let i = 0; i < d; i++) {
    let mean = 0;
    for (let r = 0; r < rows; r++) mean += y[r * d + i] / rows;
    for (let r = 0; r < rows; r++) y[r * d + i] -= mean;
  }
  const project = () => {
    for (let r = 0; r < rows; r++) {
      s[r] = 0;
      for (let i = 0; i < d; i++) s[r] += y[r * d + i] * u[i];
    }
  };
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < d; i++) u[i] = 1 + (i % (c + 2)); // any beginning; power iteration turns it to the direction
    for (let n = 0; n < 30; n++) {
      project();
      u.fill(0);
      for (let r = 0; r < rows; r++) for (let i = 0; i < d; i++) u[i] += s[r] * y[r * d + i];
      const length = Math.hypot(...u);
      if (length < 1e-12) return out;
      for (let i = 0; i < d; i++) u[i] /= length;
    }
    project();
    const most = s.reduce((a, v) => (Math.abs(v) > Math.abs(a) ? v : a), 0);
    for (let r = 0; r < rows; r++) {
      out[3 * r + c] = 127.5 * (1 + s[r] / most);
      for (let i = 0; i < d; i++) y[r * d + i] -= s[r] * u[i];
    }
  }
  return out;
}
