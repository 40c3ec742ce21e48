// Mathematics of the page: no DOM, no state. Letters as in docs/attention.md: Δ center (rows, columns), α sharpness,
// q query, k key, δ = k − q. A head is [Δ₁, Δ₂, α]. Every map here is a product of one softmax over rows and one over
// columns, exactly as posenc.Quadratic does it: −α‖δ − Δ‖² is a sum over the two axes.

export const R50 = Math.sqrt(Math.LN2); // half of a Gaussian's weight is within R50/√α of its center
export const radius = alpha => R50 / Math.sqrt(alpha);

// axis writes the softmax over k = 0 … n−1 of −α(k − q − center)² to out[at…].
export function axis(center, alpha, n, q, out, at = 0) {
  let best = -Infinity,
    sum = 0;
  for (let k = 0; k < n; k++) {
    const d = k - q - center,
      s = -alpha * d * d;
    out[at + k] = s;
    if (s > best) best = s;
  }
  for (let k = 0; k < n; k++) sum += out[at + k] = Math.exp(out[at + k] - best);
  for (let k = 0; k < n; k++) out[at + k] /= sum;
}

// A head of quadratic-general has a fourth element, its precision matrix [p₁₁, p₁₂, p₂₂]: −½(δ − Δ)ᵀP(δ − Δ) is not a sum
// over the axes if p₁₂ ≠ 0. Its third element is then the α of the disc with the same area.
export const head = ([r, c, p11, p12, p22]) =>
  p12 === 0 && p11 === p22
    ? [r, c, p11 / 2]
    : [r, c, Math.sqrt(Math.max(1e-12, p11 * p22 - p12 * p12)) / 2, [p11, p12, p22]];

const rowW = new Float64Array(256),
  colW = new Float64Array(256);

// headMap writes the attention of one query, R × C, to out[at…] and returns its largest weight.
export function headMap(h, [R, C], q, out, at = 0) {
  let top = 0;
  if (h[3]) {
    const [a, b, d] = h[3];
    let best = -Infinity,
      sum = 0;
    for (let r = 0; r < R; r++)
      for (let c = 0; c < C; c++) {
        const u = r - q[0] - h[0],
          v = c - q[1] - h[1],
          s = -0.5 * (a * u * u + 2 * b * u * v + d * v * v);
        out[at + r * C + c] = s;
        if (s > best) best = s;
      }
    for (let i = at; i < at + R * C; i++) sum += out[i] = Math.exp(out[i] - best);
    for (let i = at; i < at + R * C; i++) {
      out[i] /= sum;
      if (out[i] > top) top = out[i];
    }
    return top;
  }
  axis(h[0], h[2], R, q[0], rowW);
  axis(h[1], h[2], C, q[1], colW);
  for (let r = 0; r < R; r++)
    for (let c = 0; c < C; c++) {
      const p = rowW[r] * colW[c];
      out[at + r * C + c] = p;
      if (p > top) top = p;
    }
  return top;
}

export function entropy(map, at, len) {
  let e = 0;
  for (let i = at; i < at + len; i++) if (map[i] > 0) e -= map[i] * Math.log2(map[i]);
  return e;
}

// axes returns the row and column softmaxes of a head for all queries, R × R and C × C.
export function axes(h, [R, C]) {
  const r = new Float64Array(R * R),
    c = new Float64Array(C * C);
  for (let q = 0; q < R; q++) axis(h[0], h[2], R, q, r, q * R);
  for (let q = 0; q < C; q++) axis(h[1], h[2], C, q, c, q * C);
  return { r, c };
}

// byShift: mean along a diagonal, 2n − 1 values for δ = −(n−1) … n−1.
function byShift(a, n) {
  const m = new Float64Array(2 * n - 1);
  for (let q = 0; q < n; q++) for (let k = 0; k < n; k++) m[k - q + n - 1] += a[q * n + k];
  for (let i = 0; i < m.length; i++) m[i] /= n - Math.abs(i - n + 1);
  return m;
}

// means: p̄(δ), the mean weight by shift, (2R − 1) × (2C − 1).
function means(h, g) {
  const [R, C] = g,
    M = 2 * R - 1,
    N = 2 * C - 1,
    m = new Float64Array(M * N);
  if (!h[3]) {
    const { r, c } = axes(h, g),
      a = byShift(r, R),
      b = byShift(c, C);
    for (let i = 0; i < M; i++) for (let j = 0; j < N; j++) m[i * N + j] = a[i] * b[j];
    return m;
  }
  const map = new Float64Array(R * C);
  for (let i = 0; i < R; i++)
    for (let j = 0; j < C; j++) {
      headMap(h, g, [i, j], map);
      for (let r = 0; r < R; r++) for (let c = 0; c < C; c++) m[(r - i + R - 1) * N + c - j + C - 1] += map[r * C + c];
    }
  for (let i = 0; i < M; i++)
    for (let j = 0; j < N; j++) m[i * N + j] /= (R - Math.abs(i - R + 1)) * (C - Math.abs(j - C + 1));
  return m;
}

// tap is the shift with the most attention, p̄_h(f), among |δ| < n/2 as in analyse.Operator.TapScore.
export function tap(h, g) {
  const [R, C] = g,
    m = means(h, g),
    N = 2 * C - 1;
  let shift = [0, 0],
    weight = -1;
  for (let r = (-R / 2 + 1) | 0; r < R / 2; r++)
    for (let c = (-C / 2 + 1) | 0; c < C / 2; c++) {
      const v = m[(r + R - 1) * N + c + C - 1];
      if (v > weight) {
        weight = v;
        shift = [r, c];
      }
    }
  return { shift, weight };
}

const dot = (a, b) => {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i] * b[i];
  return s;
};
const gramAt = (g, i, j) => (i >= j ? g[(i * (i + 1)) / 2 + j] : g[(j * (j + 1)) / 2 + i]);

// layer measures one layer: its nearest kernel's norms ‖Ŵ_δ‖ by shift, and the shares of its squared norm
// (docs/analyse.md). gram holds ⟨W_h, W_g⟩, lower triangle by rows: 45 numbers stand for nine matrices.
export function layer(heads, gram, g) {
  const [R, C] = g,
    H = heads.length,
    M = 2 * R - 1,
    N = 2 * C - 1,
    P = heads.map(h => means(h, g)),
    flat = heads.some(h => h[3]);
  let total = 0;
  if (flat) {
    const maps = heads.map(() => new Float64Array(R * C));
    for (let i = 0; i < R; i++)
      for (let j = 0; j < C; j++) {
        heads.forEach((h, k) => headMap(h, g, [i, j], maps[k]));
        for (let h = 0; h < H; h++)
          for (let k = 0; k <= h; k++) total += (h === k ? 1 : 2) * dot(maps[h], maps[k]) * gramAt(gram, h, k);
      }
  } else {
    const A = heads.map(h => axes(h, g));
    for (let h = 0; h < H; h++)
      for (let k = 0; k <= h; k++)
        total += (h === k ? 1 : 2) * dot(A[h].r, A[k].r) * dot(A[h].c, A[k].c) * gramAt(gram, h, k);
  }
  const norm = new Float64Array(M * N),
    e = [0, 0, 0, 0, 0];
  for (let i = 0; i < M; i++)
    for (let j = 0; j < N; j++) {
      const at = i * N + j;
      let s = 0;
      for (let h = 0; h < H; h++) {
        const ph = P[h][at];
        if (ph < 1e-9) continue;
        for (let k = 0; k < h; k++) s += 2 * ph * P[k][at] * gramAt(gram, h, k);
        s += ph * ph * gramAt(gram, h, h);
      }
      s = Math.max(s, 0);
      norm[at] = Math.sqrt(s);
      const ring = Math.max(Math.abs(i - R + 1), Math.abs(j - C + 1));
      e[Math.min(ring, 4)] += s * (R - Math.abs(i - R + 1)) * (C - Math.abs(j - C + 1));
    }
  const shares = e.map(x => x / (total || 1)); // 0: all heads are switched off
  return { norm, shares, place: 1 - shares.reduce((a, b) => a + b, 0), within3: shares[0] + shares[1], total };
}

// without returns the Gram matrix of a layer without the heads that are switched off, and as it is if none is.
export function without(heads, gram) {
  if (!heads.some(h => h.off)) return gram;
  return gram.map((v, at) => {
    const i = Math.floor((Math.sqrt(8 * at + 1) - 1) / 2),
      j = at - (i * (i + 1)) / 2;
    return heads[i].off || heads[j].off ? 0 : v;
  });
}

// between interpolates heads (α on a logarithmic scale) and Gram matrices at a fractional epoch. frames: {epoch, heads,
// grams}, by epoch; grams are null until they are there.
export function between(frames, epoch) {
  let i = frames.findLastIndex(f => f.epoch <= epoch);
  if (i < 0) i = 0;
  const a = frames[i],
    b = frames[i + 1];
  if (!b || epoch <= a.epoch) return a;
  const t = (epoch - a.epoch) / (b.epoch - a.epoch),
    lerp = (x, y) => x + (y - x) * t;
  const mid = (p, q) => {
    const m = [lerp(p[0], q[0]), lerp(p[1], q[1]), Math.exp(lerp(Math.log(p[2]), Math.log(q[2])))];
    if (p[3] && q[3]) m.push(p[3].map((v, k) => lerp(v, q[3][k])));
    return m;
  };
  return {
    epoch,
    heads: a.heads.map((ls, l) => ls.map((p, h) => mid(p, b.heads[l][h]))),
    grams: a.grams && b.grams ? a.grams.map((g, l) => g.map((v, k) => lerp(v, b.grams[l][k]))) : (a.grams ?? b.grams),
  };
}
