// The tour, on the server and in an exported file; pictures and numbers of views; the report.
import { test, before, after, describe } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { RUNS, SCRATCH, program, ids, serve, browser, tab, frames, still, until } from './page.mjs';

let server, context, id;
const file = path.join(SCRATCH, 'tour.html'),
  report = path.join(SCRATCH, 'report.html');
before(async () => {
  server = await serve();
  context = await browser();
  id = await ids(server);
  program('serve', `${RUNS}/quadratic`, '--export', file);
});
after(async () => {
  await context?.close();
  await server?.stop();
});

for (const place of ['server', 'file'])
  describe(`the tour on the ${place}`, () => {
    let p;
    before(async () => {
      p = await tab(context, place === 'server' ? server.base : `file://${file}`);
      await p.open(`#tour${place === 'server' ? `&run=${id.quadratic}` : ''}`);
    });
    const values = () =>
      p.evaluate(() => {
        const { x, q, scores, weights } = explorer.views.tour.values;
        return { x: [...x], q, scores: [...scores], weights: [...weights] };
      });
    const step = async (n, at = {}) => {
      await p.evaluate(
        ([n, at]) => {
          Object.assign(explorer.views.tour.values.at, at);
          explorer.changed({ step: n - 1 });
        },
        [n, at],
      );
      await frames(p);
    };

    test('scores are dot products, weights their softmax', async () => {
      await step(3, { beta: 8 });
      const { x, q, scores, weights } = await values(),
        a = 32 * q[0] + q[1];
      let sum = 0;
      for (let k = 0; k < 1024; k++) sum += Math.exp(8 * dot(k));
      function dot(k) {
        return [0, 1, 2].reduce((s, c) => s + (2 * x[3 * a + c] - 1) * (2 * x[3 * k + c] - 1), 0);
      }
      for (let k = 0; k < 1024; k++) {
        assert.ok(Math.abs(scores[k] - dot(k)) < 1e-5);
        assert.ok(Math.abs(weights[k] - Math.exp(8 * dot(k)) / sum) < 1e-6);
      }
    });

    test('a sharp head is a shift, to the last byte of the picture', async () => {
      await step(7, { sharp: 20 });
      const off = await p.evaluate(() => {
        const { x } = explorer.views.tour.values,
          c = document.querySelector('#to-right'),
          d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        let worst = 0;
        for (let r = 2; r < 30; r++)
          for (let k = 2; k < 29; k++) {
            const px = Math.floor(((k + 0.25) * c.width) / 32),
              py = Math.floor(((r + 0.25) * c.height) / 32);
            if (r === explorer.views.tour.values.q[0] && k === explorer.views.tour.values.q[1]) continue;
            for (let j = 0; j < 3; j++)
              worst = Math.max(worst, Math.abs(d[4 * (py * c.width + px) + j] - 255 * x[3 * (r * 32 + k + 1) + j]));
          }
        return worst;
      });
      assert.ok(off <= 1.01, `off by ${off}`);
    });

    test('the reader’s own image, without a server', async () => {
      const own = path.join(SCRATCH, 'wide.png'),
        png = await p.evaluate(() => {
          const c = document.createElement('canvas');
          c.width = 96;
          c.height = 64;
          const g = c.getContext('2d');
          g.fillStyle = '#ff0000';
          g.fillRect(0, 0, 96, 64);
          g.fillStyle = '#0000ff';
          g.fillRect(0, 0, 16, 64); // outside of the middle square
          return c.toDataURL('image/png');
        });
      fs.writeFileSync(own, Buffer.from(png.split(',')[1], 'base64'));
      await step(1);
      await p.setInputFiles('#to-file', own);
      await until(p, 'the image', () => explorer.data.images.at(-1).own === true);
      await frames(p);
      assert.deepEqual((await values()).x.slice(0, 3), [1, 0, 0]);
      fs.writeFileSync(path.join(SCRATCH, 'bad.png'), 'no image');
      await p.setInputFiles('#to-file', path.join(SCRATCH, 'bad.png'));
      await until(p, 'a message', () => /bad\.png/.test(document.querySelector('#said').textContent));
    });

    test('all steps, by their buttons and in the address', async () => {
      await step(1);
      for (let n = 2; n <= 10; n++) {
        await p.click('#to-next');
        await frames(p);
        assert.equal(await p.locator('#to-steps .chips button').nth(n - 1).getAttribute('aria-current'), 'step');
        for (const text of await p.locator(n < 9 ? '#to-pictures figcaption' : '#to-heads .panel p').allTextContents())
          assert.match(text, /\S/);
      }
      assert.equal(await p.isDisabled('#to-next'), true);
      await until(p, 'the address', () => /^#tour.*step=10/.test(location.hash));
      await p.evaluate(() => document.activeElement.blur());
      await p.keyboard.press('[');
      await frames(p);
      assert.match(await p.textContent('#to-title'), /Before training/);
    });

    const parts = () => p.locator('#to-steps .part');
    const lit = () => p.textContent('#to-lit');
    test('each part of the picture opens its steps, and is marked while one is open', async () => {
      await step(10);
      const opened = new Set();
      for (let i = 0; i < (await parts().count()); i++) {
        const part = parts().nth(i),
          name = await part.textContent(),
          steps = name.match(/Explained in step ([\d, ]+)$/)[1].split(', ').map(Number);
        await step(steps.includes(10) ? 1 : 10);
        for (const n of steps) {
          await part.click();
          await frames(p);
          assert.equal(await p.evaluate(() => explorer.state.step + 1), n, name);
          assert.equal(await part.getAttribute('aria-current'), 'step', name);
          opened.add(n);
        }
      }
      assert.deepEqual([...opened].sort((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      for (let n = 1; n <= 10; n++) {
        await p.locator('#to-steps .chips button').nth(n - 1).click();
        await frames(p);
        assert.equal(await p.evaluate(() => explorer.state.step + 1), n);
      }
    });

    test('the classes are those that predict prints, and the tokens add up to them', async () => {
      await p.evaluate(() => explorer.changed({ image: 0 }));
      await until(p, 'classes', () => explorer.views.tour.flow.known?.im === explorer.data.images[0]);
      await frames(p);
      const png = path.join(SCRATCH, 'first.png'),
        { url, seen, bars, adds } = await p.evaluate(() => {
          const im = explorer.data.images[0],
            c = document.createElement('canvas'),
            g = c.getContext('2d'),
            d = (c.width = c.height = 32) && g.createImageData(32, 32),
            { known } = explorer.views.tour.flow;
          for (let i = 0; i < 1024; i++) d.data.set([...im.bytes.subarray(3 * i, 3 * i + 3), 255], 4 * i);
          g.putImageData(d, 0, 0);
          return {
            url: c.toDataURL('image/png'),
            seen: Object.fromEntries(explorer.data.classes.map((name, k) => [name, known.now[k]])),
            bars: [...document.querySelectorAll('.part.classes .bar')].map(b =>
              [...b.querySelectorAll('span:first-child, b')].map(e => e.textContent),
            ),
            adds: known.now.map((_, k) => known.votes(k).reduce((a, b) => a + b)),
          };
        });
      fs.writeFileSync(png, Buffer.from(url.split(',')[1], 'base64'));
      const [want] = JSON.parse(program('predict', `${RUNS}/quadratic`, png, '--json')).predictions;
      for (const { class: name, p } of want.classes)
        assert.ok(Math.abs(seen[name] - p) < 1e-3, `${name}: ${seen[name]}, want ${p}`);
      const [first] = want.classes;
      assert.deepEqual(bars[0], [first.class + (first.class === 'disc' ? ' ✓' : ''), `${Math.round(100 * first.p)}\u202f%`]);
      assert.equal(bars.filter(([name]) => name === 'disc ✓').length, 1);
      const total = adds.reduce((s, a) => s + Math.exp(a), 0);
      adds.forEach((a, k) => assert.ok(Math.abs(Math.exp(a) / total - Object.values(seen)[k]) < 1e-5));
    });

    test('a token is lit where it comes from: the product of the mean attention of the layers', async () => {
      const best = await p.evaluate(async () => (await explorer.data.network.weights).best.heads),
        [R, C] = [8, 8],
        T = R * C,
        all = [...Array(T).keys()],
        attention = (h, q) => {
          const row = k => (k / C) | 0,
            e = all.map(k => Math.exp(-h[2] * ((row(k) - row(q) - h[0]) ** 2 + ((k % C) - (q % C) - h[1]) ** 2))),
            sum = e.reduce((a, b) => a + b);
          return e.map(x => x / sum);
        },
        layer = heads => all.map(q => {
          const maps = heads.map(h => attention(h, q));
          return all.map(k => maps.reduce((s, m) => s + m[k] / heads.length, 0) / 2 + (k === q ? 0.5 : 0));
        }),
        from = (v, m) => all.map(k => all.reduce((s, q) => s + v[q] * m[q][k], 0)),
        q = 3 * C + 5;
      let v = all.map(k => (k === q ? 1 : 0));
      for (const heads of [best[1], best[0]]) v = from(v, layer(heads));
      const seen = await p.evaluate(q => [...explorer.views.tour.flow.trace(1, q)[0]], q);
      seen.forEach((x, k) => assert.ok(Math.abs(x - v[k]) < 1e-6, `token ${k}: ${x}, want ${v[k]}`));
    });

    test('tokens and classes by pointer and by keyboard', async () => {
      const out = p.locator('#to-steps .part.out').nth(1),
        b = await out.locator('canvas').boundingBox();
      await p.mouse.move(b.x + (5.5 / 8) * b.width, b.y + (3.5 / 8) * b.height);
      await frames(p);
      assert.match(await lit(), /^Token \(3, 5\) after layer 2.*\d\s% from \(\d, \d\).*Abnar and Zuidema/);
      const bright = await p.evaluate(() => {
        const c = document.querySelectorAll('#to-steps .part.out canvas')[1],
          d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data,
          pixel = (i, size) => Math.floor(((i + 0.3) * size) / 8),
          at = (r, k) => d.subarray(4 * (pixel(r, c.height) * c.width + pixel(k, c.width))).slice(0, 3).reduce((a, b) => a + b);
        return [at(3, 5), at(0, 0)];
      });
      assert.ok(bright[0] > 1.5 * bright[1], `${bright}`);
      await p.mouse.move(0, 0);
      await frames(p);
      assert.match(await lit(), /^Tokens of like color are alike/);
      await out.focus();
      for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight']) await p.keyboard.press(key);
      await frames(p);
      assert.match(await lit(), /^Token \(3, 5\) after layer 2/);
      await p.locator('#to-steps .part.classes').focus();
      await p.keyboard.press('ArrowDown');
      await frames(p);
      assert.match(await lit(), /^\w+: [\d.]+\s%\. Blue tokens raise its score/);
      await p.evaluate(() => document.activeElement.blur());
    });

    test('every view as SVG, PNG and CSV', async () => {
      await p.evaluate(() => explorer.changed({ view: 'whatif', image: 0 }));
      await until(p, 'the weights', () => /%/.test(document.querySelector('#wi-finding').textContent));
      for (const view of [...(place === 'server' ? ['runs'] : []), 'overview', 'attention', 'theorem', 'whatif', 'tour']) {
        await p.evaluate(v => explorer.changed({ view: v, head: [0, 1] }), view);
        await frames(p);
        await still(p);
        await frames(p);
        const got = await p.evaluate(async view => {
          const [name, , svg] = await explorer.saved('svg'),
            d = new DOMParser().parseFromString(svg, 'image/svg+xml'),
            png = new Uint8Array(await (await explorer.saved('png'))[2].arrayBuffer()),
            csv = (await explorer.saved('csv'))[2],
            h1 = document.querySelector(`#${view} h1`).textContent.replace(/\s+/g, ' ').trim();
          return {
            name,
            bad: !!d.querySelector('parsererror') || /NaN|undefined|Infinity/.test(svg),
            words: [...d.querySelectorAll('text')].map(t => t.textContent).join(' '),
            shapes: d.querySelectorAll('path, rect, image, ellipse, circle').length,
            h1,
            solid: d.querySelectorAll('g > rect:not([fill-opacity], [fill=none])').length,
            png: [...png.subarray(1, 4)].map(c => String.fromCharCode(c)).join(''),
            bytes: png.length,
            csv: csv.split('\n').slice(0, 3),
            rows: explorer.views[view].rows().length,
          };
        }, view);
        assert.equal(got.bad, false, view);
        assert.ok(got.words.replace(/\s+/g, ' ').includes(got.h1), `${view}: ${got.h1} is not in ${got.words.slice(0, 200)}`);
        assert.ok(got.shapes > 3, `${view}: ${got.shapes} shapes`);
        // the map of the chosen head: 121 cells, under shades that may be as faint as 1e-9
        if (view === 'overview') assert.equal(got.solid, 121);
        assert.equal(got.png, 'PNG');
        assert.ok(got.bytes > 5000, `${view}: a PNG of ${got.bytes} bytes`);
        assert.ok(got.rows > 5 && got.csv[0].split(',').length >= 5, `${view}: ${got.csv}`);
        assert.match(got.name, new RegExp(`^attnconv-${view}-`));
        if (process.env.BROWSER_SHOTS) {
          const [, , svg] = await p.evaluate(() => explorer.saved('svg'));
          fs.writeFileSync(path.join(process.env.BROWSER_SHOTS, `saved-${view}.svg`), svg);
        }
      }
      assert.deepEqual(await p.evaluate(() => explorer.views.attention.rows().length), 1 + 27 * 16 * 16 * (8 / 16) ** 2);
    });

    test('no message, no error, no other address', () => assert.deepEqual(p.clean(), []));
  });

test('runs whose network the page does not compute: what is there, and what is not', async () => {
  const p = await tab(context, server.base);
  await p.open(`#tour&run=${id.content}&step=4`);
  await until(p, 'attention', () => explorer.views.tour.flow.trace(0, 9) !== null);
  await frames(p);
  assert.match(await p.textContent('#to-lit'), /Point at a token .* only for networks of Gaussian heads/);
  assert.equal(await p.locator('#to-steps .part:visible').count(), 6);
  const answer = Buffer.from(await (await fetch(`${server.base}api/v1/runs/${id.content}/attention/5`)).arrayBuffer()),
    cut = answer.indexOf(10),
    [{ heads, tokens: T, least, most }] = JSON.parse(answer.subarray(0, cut)).layers,
    seen = await p.evaluate(() => {
      const i = explorer.data.images.findIndex(im => im.index === 5);
      return i === explorer.state.image ? [...explorer.views.tour.flow.trace(0, 9)[0]] : null;
    });
  for (let k = 0; k < T; k++) {
    let v = k === 9 ? 0.5 : 0;
    for (let h = 0; h < heads; h++)
      v += (least[h] + (answer[cut + 1 + (h * T + 9) * T + k] / 255) * (most[h] - least[h])) / heads / 2;
    assert.ok(Math.abs(seen[k] - v) < 0.01, `token ${k}: ${seen[k]}, want ${v}`);
  }
  await p.setInputFiles('#to-file', path.join(SCRATCH, 'wide.png'));
  await until(p, 'the own image', () => /stays in this browser/.test(document.querySelector('#to-lit').textContent));
  assert.equal(await p.evaluate(() => explorer.views.tour.flow.trace(0, 9)), null);
  await p.open(`#tour&run=${id.resnet}&step=3`);
  assert.match(await p.textContent('.part.none'), /No layer of resnet10 attends/);
  assert.equal(await p.isVisible('#to-pictures'), true);
  await p.evaluate(() => explorer.changed({ step: 9 }));
  await frames(p);
  assert.match(await p.textContent('#to-none'), /This step needs a run/);
  assert.equal(await p.isVisible('#to-text, #to-pictures, #to-heads, #to-slide'), false);
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('a report of runs opens as a file: its tabs, its runs, two themes', async () => {
  program('report', `${RUNS}/quadratic`, `${RUNS}/learned`, `${RUNS}/resnet`, '-o', report);
  assert.ok(fs.statSync(report).size < 3e6);
  const p = await tab(context, `file://${report}`);
  await p.open('');
  assert.equal(await p.isVisible('#report h1'), true);
  assert.equal(await p.locator('#report figure').count(), 4);
  const ground = () => p.evaluate(() => getComputedStyle(document.querySelector('#report svg path[fill^="light-dark"]')).fill);
  await p.emulateMedia({ colorScheme: 'light' });
  const light = await ground();
  await p.emulateMedia({ colorScheme: 'dark' });
  assert.notEqual(await ground(), light);
  await p.click('#tab-runs');
  await frames(p);
  assert.equal(await p.locator('#ru-table tbody tr').count(), 3);
  await p.click(`#ru-table a[href*="${id.learned}"]`);
  await until(p, 'the other run', want => globalThis.explorer?.data.run?.id === want, id.learned);
  await p.click('#tab-overview');
  await until(p, 'its heads', () => explorer.data.means.length > 0);
  assert.deepEqual(p.clean(), []);
  await p.close();
});
