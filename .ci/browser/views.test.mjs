// The views of runs: what they show is what the API says, on the server and in the exported file.
import { test, before, after, describe } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PLAIN, RUNS, SCRATCH, program, ids, serve, browser, tab, until, drawn, ready, frames, still, sleep } from './page.mjs';

let server, context, id;
const file = path.join(SCRATCH, 'explorer.html');
before(async () => {
  server = await serve();
  context = await browser();
  program('serve', `${RUNS}/quadratic`, '--export', file);
  id = await ids(server);
});
after(async () => {
  await context?.close();
  await server?.stop();
});

const places = [
  ['server', () => [server.base, `&run=${id.quadratic}`]],
  ['file', () => [`file://${file}`, '']],
];

for (const [place, where] of places)
  describe(place, () => {
    let p, base, of;
    before(async () => {
      [base, of] = where();
      p = await tab(context, base);
    });
    after(async () => {
      await p.close();
    });

    test('loads, with a policy, and says what it is', async () => {
      const answer = place === 'server' ? await fetch(base) : null;
      if (answer) assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/);
      await p.open(`#overview${of}`);
      assert.match(await p.title(), /Overview – attnconv explorer/);
      assert.equal(await p.evaluate(() => document.querySelector('#overview').hidden), false);
    });

    test('heads have their numbers where there is room, and the chosen one always', async () => {
      const heads = (await server.api('runs/quadratic')).heads.at(-1).layers[0],
        within = v => Math.max(-5.1, Math.min(5.1, v));
      for (let h = 0; h < 9; h++) {
        await p.evaluate(h => explorer.changed({ head: [0, h] }), h);
        await frames(p);
        const seen = await p.evaluate(() => {
          const svg = document.querySelector('#ov-layers .panel svg'),
            at = e => ['x', 'y'].map(k => +e.getAttribute(k)),
            shown = [...svg.querySelectorAll('.number')].filter(e => getComputedStyle(e).display !== 'none');
          return shown.map(e => ({ n: e.textContent, on: e.classList.contains('on'), at: at(e) }));
        });
        assert.equal(seen.find(s => s.on)?.n, String(h + 1));
        seen.forEach((a, i) => {
          const c = heads[a.n - 1];
          assert.ok(Math.hypot(a.at[0] - within(c[1]), a.at[1] - within(c[0])) < 1e-3, `number ${a.n} is at ${a.at}, its head at ${c}`);
          for (const b of seen.slice(i + 1)) assert.ok(Math.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1]) >= 0.75, `${a.n} on ${b.n}`);
        });
      }
    });

    test('circles are where the run says, at each epoch', async () => {
      const d = await server.api('runs/quadratic');
      for (const { epoch, layers } of d.heads) {
        await p.evaluate(e => explorer.changed({ epoch: e, live: false }), epoch);
        await frames(p);
        const seen = await p.evaluate(() =>
          [...document.querySelectorAll('#ov-layers .panel svg')].map(svg => {
            const b = svg.getBoundingClientRect(),
              k = b.width / 11;
            return [...svg.querySelectorAll('.disc')].map(c => {
              const m = c.getScreenCTM(),
                x = +c.getAttribute('cx'),
                y = +c.getAttribute('cy');
              return [
                m.a * x + m.c * y + m.e - b.left - b.width / 2,
                m.b * x + m.d * y + m.f - b.top - b.height / 2,
                +c.getAttribute('rx') * k,
                k,
              ];
            });
          }),
        );
        assert.equal(seen.length, layers.length);
        layers.forEach((heads, l) =>
          heads.forEach(([row, col, p11], h) => {
            const [x, y, r, k] = seen[l][h],
              radius = Math.min(60, Math.sqrt(Math.LN2 / (p11 / 2)));
            assert.ok(
              Math.abs(x - col * k) < 0.5 && Math.abs(y - row * k) < 0.5,
              `epoch ${epoch}, layer ${l + 1}, head ${h + 1}: (${x}, ${y}), want (${col * k}, ${row * k})`,
            );
            assert.ok(Math.abs(r - radius * k) < 0.5, `radius ${r}, want ${radius * k}`);
          }),
        );
      }
    });

    test('the share of each layer is that of analyse', async () => {
      const { layers } = JSON.parse(
        program('analyse', `${RUNS}/quadratic/checkpoints/epoch-003.ckpt`, '--json', '--images', '1'),
      );
      await p.evaluate(() => explorer.changed({ epoch: 3 }));
      await until(p, 'shares', () => [...document.querySelectorAll('.share b')].every(b => /\d/.test(b.textContent)));
      const seen = await p.evaluate(() => [...document.querySelectorAll('.share b')].map(b => parseInt(b.textContent)));
      assert.deepEqual(
        seen,
        layers.map(l => Math.round(100 * (l.shares.k1 + l.shares.k3))),
      );
    });

    test('the slider and play go through the epochs', async () => {
      await still(p);
      await p.evaluate(() => explorer.changed({ epoch: 0 }));
      await frames(p);
      await p.focus('#ov-scrub input');
      await p.keyboard.press('ArrowRight');
      await frames(p);
      assert.equal(await p.evaluate(() => explorer.state.epoch), 1);
      assert.match(await p.getAttribute('#ov-scrub input', 'aria-valuetext'), /epoch 1 of 3/);
      await p.click('#ov-scrub .play');
      await until(p, 'play', () => explorer.state.epoch > 2);
      await still(p);
    });

    test('maps are the attention of each head', async () => {
      await p.evaluate(() => {
        explorer.changed({ view: 'attention', epoch: 3, live: true, query: [3, 5], head: [0, 0] });
      });
      await frames(p);
      const answer = Buffer.from(
          await (await fetch(`${server.base}api/v1/runs/quadratic/attention/0?epoch=3`)).arrayBuffer(),
        ),
        cut = answer.indexOf(10);
      const d = JSON.parse(answer.subarray(0, cut)),
        bytes = answer.subarray(cut + 1),
        seen = await p.evaluate(() => [...explorer.views.attention.maps()]);
      let at = 0;
      const most = 9;
      d.layers.forEach((l, i) => {
        for (let h = 0; h < l.heads; h++)
          for (let k = 0; k < l.tokens; k++) {
            const v =
              l.least[h] + (bytes[at + (h * l.tokens + 3 * 8 + 5) * l.tokens + k] / 255) * (l.most[h] - l.least[h]);
            assert.ok(
              Math.abs(seen[(i * most + h) * l.tokens + k] - v) <= (l.most[h] - l.least[h]) / 255 + 1e-6,
              `layer ${i + 1}, head ${h + 1}, key ${k}`,
            );
          }
        at += l.heads * l.tokens * l.tokens;
      });
    });

    test('the canvas shows them: a pixel is as strong as the square root of its weight', async () => {
      const off = await p.evaluate(() => {
        const { state, views } = explorer,
          maps = views.attention.maps(),
          T = 64,
          canvas = document.querySelector('#at-maps'),
          g = canvas.getContext('2d'),
          b = canvas.getBoundingClientRect(),
          scale = canvas.width / b.width,
          H = 9,
          L = 3;
        const left = Math.max(16, b.width * 0.036),
          gap = Math.max(2, b.width * 0.008),
          s = (b.width - left - gap * (H - 1) - 2) / H,
          top = b.height - s * L - gap * (L - 1) - 2;
        const probe = document.createElement('i');
        document.body.append(probe);
        probe.style.color = 'var(--well)';
        const well = getComputedStyle(probe).color.match(/\d+/g).map(Number);
        probe.remove();
        const all = g.getImageData(0, 0, canvas.width, canvas.height).data;
        let worst = 0;
        for (let l = 0; l < L; l++)
          for (let h = 0; h < H; h++) {
            const at = k => {
              const x = Math.round((left + h * (s + gap) + (((k % 8) + 0.5) * s) / 8) * scale),
                y = Math.round((top + l * (s + gap) + ((((k / 8) | 0) + 0.5) * s) / 8) * scale);
              return all.subarray(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3);
            };
            const w = k => maps[(l * H + h) * T + k],
              strength = k => {
                const c = at(k);
                return Math.hypot(c[0] - well[0], c[1] - well[1], c[2] - well[2]);
              };
            let best = 0;
            for (let k = 1; k < T; k++) if (k !== 29 && w(k) > w(best)) best = k;
            if (w(best) < 0.02) continue;
            for (let k = 0; k < T; k++)
              if (k !== state.query[0] * 8 + state.query[1])
                worst = Math.max(worst, Math.abs(strength(k) - strength(best) * Math.sqrt(w(k) / w(best))));
          }
        return worst;
      });
      assert.ok(off < 6, `a pixel is off by ${off} of 255`);
    });

    test('arrow keys move the query, Enter pins, the mouse picks', async () => {
      await p.focus('#at-frame');
      await p.keyboard.press('ArrowLeft');
      await p.keyboard.press('ArrowDown');
      await p.keyboard.press('Enter');
      await frames(p);
      assert.deepEqual(await p.evaluate(() => [...explorer.state.query, explorer.state.pins.length]), [4, 4, 1]);
      const b = await p.locator('#at-frame').boundingBox();
      await p.mouse.move(b.x + (b.width * 6.5) / 8, b.y + (b.height * 1.5) / 8);
      await frames(p);
      assert.deepEqual(await p.evaluate(() => explorer.state.query), [1, 6]);
      assert.match(await p.textContent('#at-summary'), /from token \(1, 6\)/);
      await p.focus('#at-frame');
      await p.keyboard.press('Escape');
      assert.equal(await p.evaluate(() => explorer.state.pins.length), 0);
    });

    test('What if predicts as the program does, and follows a drag', async () => {
      await p.evaluate(() => explorer.changed({ view: 'whatif', image: 0, head: [0, 0] }));
      await until(p, 'a prediction', () =>
        /%/.test(document.querySelector('#wi-bars').getAttribute('aria-label') ?? ''),
      );
      const before = await p.getAttribute('#wi-bars', 'aria-label'),
        d = await server.api('runs/quadratic');
      const b = await p.locator('#wi-frame').boundingBox(),
        at = await p.evaluate(() => explorer.views.whatif.heads[0][0].slice(0, 2));
      const u = b.width / 11,
        x = b.x + b.width / 2 + at[1] * u,
        y = b.y + b.height / 2 + at[0] * u;
      await p.mouse.move(x, y);
      await p.mouse.down();
      await p.mouse.move(x + u, y + u / 2, { steps: 5 });
      await p.mouse.up();
      await frames(p);
      const moved = await p.evaluate(() => [
        explorer.state.head[1],
        explorer.views.whatif.heads[0][explorer.state.head[1]].slice(0, 2),
      ]);
      assert.ok(Math.hypot(moved[1][0] - at[0], moved[1][1] - at[1]) > 0.3, `the head moved from ${at} to ${moved[1]}`);
      assert.match(await p.textContent('#wi-finding'), /as trained/);
      await p.click('#wi-reset');
      await until(p, 'a reset', () => !/as trained, /.test(document.querySelector('#wi-finding').textContent));
      await p.click('#wi-snap');
      await until(p, 'integers', () =>
        explorer.views.whatif.heads[0].every(h => Number.isInteger(h[0]) && Number.isInteger(h[1]) && h[2] === 46),
      );
      await p.click('#wi-reset');
      await until(p, 'a reset', () => !explorer.views.whatif.heads[0].every(h => Number.isInteger(h[0])));
      await sleep(600);
      // the classes of the test images, against predict by the logits of the program
      if (place === 'server') {
        const [im] = (await server.api('runs/quadratic/images')).images,
          answer = await p.evaluate(async im => {
            const bytes = Uint8Array.from(atob(im.rgb), c => c.charCodeAt(0)),
              c = document.createElement('canvas');
            c.width = c.height = 32;
            const g = c.getContext('2d'),
              data = new ImageData(32, 32);
            for (let i = 0; i < 1024; i++) {
              data.data.set(bytes.subarray(3 * i, 3 * i + 3), 4 * i);
              data.data[4 * i + 3] = 255;
            }
            g.putImageData(data, 0, 0);
            return c.toDataURL('image/png');
          }, im);
        fs.writeFileSync(path.join(SCRATCH, 'first.png'), Buffer.from(answer.split(',')[1], 'base64'));
        const [want] = JSON.parse(
          program('predict', `${RUNS}/quadratic`, path.join(SCRATCH, 'first.png'), '--json'),
        ).predictions;
        for (const { class: name, p: v } of want.classes.slice(0, 1))
          assert.match(before, new RegExp(`${name} (${[-1, 0, 1].map(d => Math.round(100 * v) + d).join('|')})`));
      }
    });

    test('the theorem’s error is that of its definition, and zero at α = 104', async () => {
      await p.mouse.move(0, 0);
      await p.evaluate(() => {
        explorer.changed({ view: 'theorem', image: 1 });
      });
      await sleep(100);
      await still(p);
      await frames(p);
      const { image, seen, cases } = await p.evaluate(() => {
        const { state, views, data } = explorer,
          K = {
            blur: [1, 2, 1, 2, 4, 2, 1, 2, 1].map(x => x / 16),
            edge: [-1, -1, -1, -1, 8, -1, -1, -1, -1],
            emboss: [-2, -1, 0, -1, 1, 1, 0, 1, 2],
          };
        const seen = [],
          cases = [];
        for (const border of ['zero', 'replicate', 'circular'])
          for (const [name, kernel] of Object.entries(K))
            for (const alpha of [1, 5, 46, 104]) {
              document.querySelector(`#th-presets [data-value=${name}]`).click();
              document.querySelector(`#th-borders [data-value=${border}]`).click();
              state.theorem.alpha = alpha;
              views.theorem.draw();
              seen.push(state.theorem.error);
              cases.push({ kernel, border, alpha });
            }
        return {
          image: [...(data.images.length ? data.images : data.samples)[1].bytes].map(v => v / 255),
          seen,
          cases,
        };
      });
      const want = JSON.parse(execFileSync(PLAIN, { input: JSON.stringify({ image, cases }), encoding: 'utf8' }));
      cases.forEach((c, i) => {
        assert.ok(Math.abs(seen[i] - want[i]) < 5e-6, `${JSON.stringify(c)}: ${seen[i]}, by definition ${want[i]}`);
        if (c.alpha === 104) assert.equal(seen[i], 0);
        if (c.alpha === 46) assert.ok(seen[i] < 1e-5);
        if (c.alpha === 1 && c.border !== 'x') assert.ok(seen[i] > 0.01, `${JSON.stringify(c)}: ${seen[i]}`);
      });
      await p.evaluate(() => {
        explorer.state.theorem.alpha = 104;
        explorer.changed({});
      });
      await frames(p);
      assert.equal(await p.textContent('#th-error'), '0');
      assert.match(await p.textContent('#th-words'), /bit for bit/);
    });

    test('the address holds the state, through reload and back', async () => {
      await p.open(`#theorem${of}&alpha=46&kernel=edge&border=zero&image=3`);
      await p.reload();
      await ready(p);
      const state = () =>
        p.evaluate(() => {
          const s = explorer.state;
          return [s.view, s.theorem.alpha, s.theorem.preset, s.theorem.border, s.image].join();
        });
      assert.equal(await state(), 'theorem,46,edge,zero,3');
      await sleep(500);
      await p.click('#tab-attention');
      await frames(p);
      await sleep(400);
      await p.goBack();
      await until(p, 'back', () => !document.querySelector('#theorem').hidden);
      assert.equal(await state(), 'theorem,46,edge,zero,3');
      await p.goForward();
      await until(p, 'forward', () => !document.querySelector('#attention').hidden);
      await p.open(`#attention${of}&epoch=1&head=2,4&q=6,2&shade=own`);
      await sleep(500);
      assert.deepEqual(
        await p.evaluate(() => {
          const s = explorer.state;
          return [s.epoch, s.head, s.query, s.scale];
        }),
        [1, [1, 3], [6, 2], 'own'],
      );
      assert.match(await p.evaluate(() => location.hash), /epoch=1&head=2,4&q=6,2&shade=own/);
      for (const odd of [
        '#theorem&alpha=NaN&kernel=__proto__&own=1,2',
        '#attention&q=-5,1e9&head=99,99&epoch=-3',
        '#%zz',
        '#overview&epoch=1e99&head=x',
        '#whatif&image=77',
      ]) {
        await p.open(odd + of.replace('&', '&'));
      }
    });

    test('no message, no error, no other address', () => assert.deepEqual(p.clean(), []));
  });

// A gate holds back an answer of the server until it is opened.
function gate() {
  const g = {};
  g.opened = new Promise(ok => (g.open = ok));
  return g;
}

test('heads come first; views that need images say so, and fill in with the star', async () => {
  const p = await tab(context, server.base);
  let held = gate();
  await p.route('**/images', async route => {
    await held.opened;
    await route.continue();
  });
  await p.open(`#overview&run=${id.quadratic}`, drawn);
  assert.equal(await p.locator('#ov-layers ellipse[cx]').count(), 27);
  await until(p, 'shares', () => [...document.querySelectorAll('.share b')].every(b => /\d/.test(b.textContent)));
  for (const [view, at] of [['theorem', '#th-words'], ['tour', '#to-left-text'], ['whatif', '#wi-right']]) {
    await p.click(`#tab-${view}`);
    await until(p, `${view} waits`, s => document.querySelector(s).textContent === 'Reading the images …', at);
  }
  held.open();
  await until(p, 'bars', () => document.querySelectorAll('#wi-bars .bar').length > 0);
  assert.equal(await p.evaluate(() => explorer.data.images[explorer.state.image].label), 'star');
  await p.click('#tab-theorem');
  await until(p, 'the theorem', () => explorer.views.theorem.ready());
  held = gate();
  await p.open(`#attention&run=${id.content}`, drawn);
  assert.equal(await p.textContent('#at-summary'), 'Reading the images …');
  held.open();
  await until(p, 'maps', () => explorer.views.attention.maps().some(v => v > 0));
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('the page says that it reads the run', async () => {
  const p = await tab(context, server.base);
  const held = gate();
  await p.route(`**/api/v1/runs/${id.quadratic}`, async route => {
    await held.opened;
    await route.continue();
  });
  await p.open(`#overview&run=${id.quadratic}`, () => until(p, 'words', () => document.querySelector('#reading')?.checkVisibility({ opacityProperty: true })));
  assert.equal(await p.textContent('#reading'), 'Reading the run …');
  held.open();
  await ready(p);
  assert.equal(await p.isVisible('#reading'), false);
  assert.deepEqual(p.clean(), []);
  await p.close();
});
