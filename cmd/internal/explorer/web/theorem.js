// Theorem 1: one image through a convolution and through nine heads of attention.
import { $, el, ink, rgb, mix, paint, outline, choice, thumbs, scrubber, arrows, clamp, signed } from './draw.js';
import { PRESETS, SHIFTS, BORDERS, convolve, attend, maxDifference } from './exact.js';
import { radius } from './math.js';
import { squares, absent } from './data.js';
import { tint, drawHeads, wires } from './stage.js';

const N = 32,
  C = 3,
  A0 = 1,
  A1 = 104,
  LOG = Math.log(A1 / A0);
const alphaAt = u => A0 * Math.exp(u * LOG),
  at = alpha => Math.log(alpha / A0) / LOG;
const LABEL = { blur: 'Blur', edge: 'Edges', emboss: 'Emboss', sharpen: 'Sharpen', shift: 'Shift' };
const TEXT = { blur: ['1/16', '1/8', '1/16', '1/8', '1/4', '1/8', '1/16', '1/8', '1/16'] };
const parse = s => {
  const m = s
    .trim()
    .replace('−', '-')
    .match(/^(-?[\d.]+)(?:\s*\/\s*([\d.]+))?$/);
  return m ? +m[1] / (m[2] ? +m[2] : 1) : NaN;
};

// error writes a difference as a number: in full from 0.01 on, else with its power of ten.
function error(e) {
  if (e === 0) return [document.createTextNode('0')];
  if (e >= 0.01) return [document.createTextNode(e.toFixed(e >= 1 ? 2 : 3))];
  const k = Math.floor(Math.log10(e));
  return [(e / 10 ** k).toFixed(1), el('small', {}, '×'), '10', el('sup', {}, '−' + -k)];
}

export function theorem(data, state, changed) {
  const th = state.theorem;
  const x = new Float32Array(N * N * C),
    conv = new Float32Array(N * N * C),
    attn = new Float32Array(N * N * C),
    diff = new Float32Array(N * N * C);
  const inputs = SHIFTS.map(([r, c], i) => {
    const input = el('input', {
        inputmode: 'decimal',
        'aria-label': `row ${r}, column ${c}`,
        autocomplete: 'off',
        spellcheck: 'false',
      }),
      box = el('label', {}, input);
    input.oninput = () => {
      const v = parse(input.value),
        ok = Number.isFinite(v) && Math.abs(v) <= 99;
      input.setAttribute('aria-invalid', !ok);
      if (ok) {
        th.kernel[i] = v;
        th.preset = '';
        fresh = true;
        changed({});
      }
    };
    input.onfocus = () => input.select();
    box.onpointerenter = () => {
      th.head = i;
      changed({});
    };
    box.onpointerleave = () => {
      th.head = -1;
      changed({});
    };
    return { input, box };
  });
  $('#th-kernel').append(...inputs.map(i => i.box));
  const write = () =>
    inputs.forEach(({ input }, i) => {
      input.value = TEXT[th.preset]?.[i] ?? String(+th.kernel[i].toFixed(3)).replace('-', '−');
      input.setAttribute('aria-invalid', 'false');
    });
  const usePreset = p => {
    th.preset = p;
    th.kernel = [...PRESETS[p]];
    write();
    fresh = true;
    changed({});
  };
  const setPreset = choice($('#th-presets'), '', Object.entries(LABEL), usePreset);
  const setBorder = choice(
    $('#th-borders'),
    'Border',
    BORDERS.map(b => [b, b]),
    b => {
      th.border = b;
      fresh = true;
      changed({});
    },
  );
  const setThumb = thumbs($('#th-thumbs'), [N, N], i => changed({ image: i }));

  // the curve of the error over α: a few points a frame, so that nothing waits for it
  let curve = [],
    job = 0,
    fresh = true,
    worst = 1;
  const POINTS = 97,
    tmp = new Float32Array(N * N * C);
  function measure() {
    const mine = ++job;
    curve = [];
    const some = () => {
      if (mine !== job) return;
      const until = performance.now() + 6;
      while (curve.length < POINTS && performance.now() < until)
        curve.push(
          maxDifference(conv, attend(x, N, C, th.kernel, alphaAt(curve.length / (POINTS - 1)), th.border, tmp)),
        );
      scrub.draw();
      if (curve.length < POINTS) requestAnimationFrame(some);
    };
    requestAnimationFrame(some);
  }

  const scrub = scrubber($('#th-scrub'), {
    label: 'Sharpness α',
    min: 0,
    max: 1,
    step: 0.005,
    value: () => at(th.alpha),
    set: u => {
      th.alpha = u > 0.999 ? A1 : alphaAt(u);
      changed({});
    },
    text: () => `α ${th.alpha.toFixed(1)}, largest difference ${th.error}`,
    rewind() {
      if (th.alpha >= A1) {
        th.alpha = A0;
        th.hold = 0;
      }
    },
    advance(dt) {
      const u = Math.min(1, at(th.alpha) + dt / 7);
      th.alpha = u >= 1 ? A1 : alphaAt(u);
      changed({});
      return u < 1;
    },
    step_() {
      const steps = [1, 2, 4, 8, 17.33, 46, 104],
        next = steps.find(s => s > th.alpha + 1e-6);
      if (next) {
        th.alpha = next;
        changed({});
      }
      return next && next < A1;
    },
    draw(g, w, h, X, v) {
      // the upper 85 % are 10 … 10⁻⁸, what a float32 can tell; below, what black pixels still feel; the line itself is
      // 0
      const size = Math.max(11, h / 8),
        axis = h - 1.8 * size,
        top = 1.5 * size,
        H = axis - top,
        y = e => {
          const k = e > 0 ? Math.log10(e) : -99;
          return top + (k > -8 ? ((1 - k) / 9) * 0.85 : e > 0 ? 0.85 + Math.min(0.12, (-8 - k) / 250) : 1) * H;
        };
      g.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
      g.lineJoin = 'round';
      g.strokeStyle = rgb(ink.line);
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(X(0), axis + 0.5);
      g.lineTo(X(1), axis + 0.5);
      g.stroke();
      g.fillStyle = rgb(ink.soft);
      g.textBaseline = 'alphabetic';
      const narrow = w < 480,
        tight = w < 900;
      for (const [a, text] of [
        [1, 'α = 1'],
        [3, '3'],
        [10, '10'],
        [17.33, narrow ? '17' : '17.3 rounding'],
        [46, narrow ? '46' : tight ? '46 paper' : '46 the paper’s'],
        [104, narrow ? '104' : tight ? '104 exact' : '104 always exact'],
      ]) {
        const px = X(at(a));
        g.textAlign = a === 1 ? 'left' : a === 104 ? 'right' : 'center';
        g.fillText(text, a === 1 ? px - 6 : a === 104 ? px + 6 : px, h - size / 3);
        g.fillStyle = rgb(ink.soft);
        g.strokeStyle = rgb(ink.faint);
        g.beginPath();
        g.moveTo(px, axis - size / 5);
        g.lineTo(px, axis + size / 5);
        g.stroke();
      }
      const line = (upTo, color, width) => {
        g.beginPath();
        curve.forEach((e, i) => {
          const u = i / (POINTS - 1);
          if (u <= upTo) g.lineTo(X(u), y(e));
        });
        if (upTo < 1 && curve.length === POINTS) g.lineTo(X(upTo), y(th.error));
        g.strokeStyle = color;
        g.lineWidth = width;
        g.stroke();
      };
      line(1, rgb(ink.faint), h / 64);
      line(v, rgb(ink.ink), h / 48);
      g.beginPath();
      g.arc(X(v), y(th.error), h / 14, 0, 7);
      g.fillStyle = rgb(ink.ink);
      g.fill();
      g.lineWidth = 2;
      g.strokeStyle = rgb(ink.paper);
      g.stroke();
      g.fillStyle = rgb(ink.ink);
      const right = v > 0.8;
      g.textAlign = right ? 'right' : 'left';
      g.font = `600 ${size * 1.1}px ${getComputedStyle(document.body).fontFamily}`;
      g.fillText(
        `α = ${th.alpha < 10 ? th.alpha.toFixed(1) : th.alpha.toFixed(0)}`,
        X(v) + (right ? -1.2 : 1.2) * size,
        clamp(y(th.error) - 0.9 * size, size, axis - 0.9 * size),
      );
    },
  });

  // pixel under the pointer, in all four images at once
  const canvases = { photo: $('#th-photo canvas'), conv: $('#th-conv'), attn: $('#th-attn'), diff: $('#th-diff') };
  for (const c of Object.values(canvases)) {
    const move = e => {
      const b = c.getBoundingClientRect();
      th.pixel = [
        clamp((((e.clientY - b.top) / b.height) * N) | 0, 0, N - 1),
        clamp((((e.clientX - b.left) / b.width) * N) | 0, 0, N - 1),
      ];
      changed({});
    };
    c.onpointermove = move;
    c.onpointerdown = move;
    c.onpointerleave = () => {
      th.pixel = null;
      changed({});
    };
  }
  arrows(
    $('#th-photo .frame'),
    (r, c) => {
      const p = th.pixel ?? [16, 16];
      th.pixel = [clamp(p[0] + r, 0, N - 1), clamp(p[1] + c, 0, N - 1)];
      changed({});
    },
    {
      Escape: () => {
        th.pixel = null;
        changed({});
      },
    },
  );
  const headsBox = $('#th-heads-frame');
  arrows(
    headsBox,
    (r, c) => {
      const h = th.head < 0 ? 4 : th.head;
      th.head = clamp(((h / 3) | 0) + r, 0, 2) * 3 + clamp((h % 3) + c, 0, 2);
      changed({});
    },
    {
      Escape: () => {
        th.head = -1;
        changed({});
      },
    },
  );
  headsBox.onpointermove = e => {
    const b = headsBox.getBoundingClientRect();
    th.head =
      clamp((((e.clientY - b.top) / b.height) * 3) | 0, 0, 2) * 3 +
      clamp((((e.clientX - b.left) / b.width) * 3) | 0, 0, 2);
    changed({});
  };
  headsBox.onpointerleave = () => {
    th.head = -1;
    changed({});
  };

  const words = (a, e) =>
    e === 0
      ? 'The same image, bit for bit.'
      : a >= 18.03
        ? 'Rounding. Only black pixels still feel their neighbors.'
        : a >= 16
          ? 'The last bit of a float32.'
          : a >= 7
            ? 'No eye can tell the two apart.'
            : a >= 3
              ? 'Each head still takes in a little of its neighbors.'
              : 'Each head blurs: it also sees its neighbors.';

  let shown = null;
  return {
    scrub,
    wires,
    write,
    ready: () => curve.length === POINTS,
    rows: () => [
      ['alpha', 'row', 'column', 'channel', 'image', 'convolution', 'attention', 'difference'],
      ...Array.from(x, (v, i) => {
        const k = (i / C) | 0;
        return [th.alpha, (k / N) | 0, k % N, i % C, v, conv[i], attn[i], diff[i]];
      }),
    ],
    draw() {
      const images = squares(data);
      setPreset(th.preset);
      setBorder(th.border);
      setThumb(images, state.image);
      if (!images.length) {
        $('#th-words').textContent = absent(data);
        return;
      }
      state.image = clamp(state.image, 0, images.length - 1);
      if (shown !== images[state.image]) {
        shown = images[state.image];
        shown.bytes.forEach((v, i) => (x[i] = v / 255));
        fresh = true;
      }
      if (fresh) {
        convolve(x, N, C, th.kernel, th.border, conv);
        worst = maxDifference(conv, attend(x, N, C, th.kernel, A0, th.border, tmp)) || 1;
        measure();
        fresh = false;
      }
      attend(x, N, C, th.kernel, th.alpha, th.border, attn);
      th.error = maxDifference(conv, attn);
      for (let i = 0; i < diff.length; i++) diff[i] = Math.abs(conv[i] - attn[i]);
      // kernels that add up to zero answer with signed numbers: their size is drawn, as the difference's is
      const sum = th.kernel.reduce((a, b) => a + b, 0),
        most = Math.max(...th.kernel.map(Math.abs));
      let range = 0;
      for (const v of conv) range = Math.max(range, Math.abs(v));
      const zero = Math.abs(sum) < 0.5,
        shade = zero ? v => (Math.abs(v) / (range || 1)) * 380 : v => (v * 255) / sum;
      const shot = [
        paint(canvases.photo, x, [N, N], v => v * 255),
        paint(canvases.conv, conv, [N, N], shade),
        paint(canvases.attn, attn, [N, N], shade),
        paint(canvases.diff, diff, [N, N], v => Math.sqrt(v / worst) * 320),
      ];
      if (th.pixel)
        shot.forEach(({ g, w }, i) => {
          const u = w / N,
            [r, c] = th.pixel;
          if (i === 0) {
            g.lineWidth = 1;
            g.strokeStyle = 'rgb(255 255 255 / 0.9)';
            g.strokeRect((c - 1) * u, (r - 1) * u, 3 * u, 3 * u);
            if (th.head >= 0) {
              const [dr, dc] = SHIFTS[th.head];
              outline(g, (c + dc) * u, (r + dr) * u, u, u);
            }
          }
          outline(g, c * u, r * u, u, u);
        });
      drawHeads(th);
      inputs.forEach(({ box }, i) => {
        const [c, t] = tint(th.kernel[i], most);
        box.style.background = rgb(mix(ink.well, c, t * 0.5));
        box.classList.toggle('on', th.head === i);
      });
      $('#th-error').replaceChildren(...error(th.error));
      const px = th.pixel,
        i = px ? (px[0] * N + px[1]) * C : 0,
        h = th.head;
      const aboutHead = () => {
        const at = h === 4 ? 'the pixel itself' : `(${SHIFTS[h].map(x => signed(x, 0)).join(', ')})`,
          by = signed(+th.kernel[h].toFixed(3), 3).replace(/\.?0+$/, ''),
          half = radius(th.alpha).toFixed(2);
        return `Head ${h + 1} looks at ${at}, half within ${half} pixels, and multiplies by ${by}.`;
      };
      const aboutPixel = () =>
        `At row ${px[0]}, column ${px[1]} (red): ` +
        `convolution ${signed(conv[i], 7)}, attention ${signed(attn[i], 7)}.`;
      const s = h >= 0 ? aboutHead() : px ? aboutPixel() : words(th.alpha, th.error);
      if ($('#th-words').textContent !== s) $('#th-words').textContent = s;
      $('#th-diff').setAttribute('aria-label', `Difference of the two outputs: at most ${th.error}`);
      $('#th-conv').setAttribute('aria-label', 'The image after the convolution');
      $('#th-attn').setAttribute('aria-label', `The image after nine heads of attention at α ${th.alpha.toFixed(1)}`);
      scrub.draw();
    },
  };
}
