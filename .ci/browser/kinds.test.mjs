// Runs whose heads are not discs: ellipses, tables, content, and networks without attention.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { RUNS, SCRATCH, program, ids, serve, browser, tab, until, frames, sleep } from './page.mjs';

let server, context, id;
before(async () => {
  server = await serve();
  context = await browser();
  id = await ids(server);
});
after(async () => {
  await context?.close();
  await server?.stop();
});

test('motion that is unwelcome does not start', async () => {
  const p = await tab(context, server.base);
  await p.emulateMedia({ reducedMotion: 'reduce' });
  await p.open('#theorem');
  await sleep(1500);
  assert.equal(await p.evaluate(() => explorer.state.theorem.alpha), 1);
  await p.emulateMedia({ reducedMotion: 'no-preference' });
  await p.open('#theorem');
  await until(p, 'the theorem plays once', () => explorer.state.theorem.alpha > 1);
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('ellipses of a quadratic-general run are its precision matrices', async () => {
  const p = await tab(context, server.base),
    d = await server.api('runs/general');
  await p.open(`#overview&run=${id.general}`);
  await p.evaluate(() => explorer.changed({ epoch: 3 }));
  await frames(p);
  const seen = await p.evaluate(() =>
    [...document.querySelectorAll('#ov-layers svg')].map(s =>
      [...s.querySelectorAll('.disc')].map(e => {
        const m = e.getCTM(),
          o = s.getCTM?.() ?? m,
          t = e.transform.baseVal.consolidate()?.matrix ?? { a: 1, b: 0 };
        return [+e.getAttribute('rx'), +e.getAttribute('ry'), t.a, t.b];
      }),
    ),
  );
  d.heads.at(-1).layers.forEach((heads, l) =>
    heads.forEach(([, , p11, p12, p22], h) => {
      // along the turned x axis (column a, row b) the curve ends at the distance whose quadratic form is 2 ln 2
      const [rx, ry, a, b] = seen[l][h];
      for (const [r, [v, u]] of [
        [rx, [a, b]],
        [ry, [-b, a]],
      ]) {
        if (r >= 60) continue;
        const form = r * r * (p11 * u * u + 2 * p12 * u * v + p22 * v * v);
        assert.ok(Math.abs(form - 2 * Math.LN2) < 1e-3, `layer ${l + 1}, head ${h + 1}: ${form}, want ${2 * Math.LN2}`);
      }
    }),
  );
  for (const view of ['attention', 'whatif']) {
    await p.click('#tab-' + view);
    await frames(p);
    await sleep(300);
  }
  assert.deepEqual(p.clean(), []);
  await p.close();
});

test('content: parts of the scores are the server’s, and their softmax the attention', async () => {
  const p = await tab(context, server.base);
  await p.open(`#attention&run=${id.content}&q=2,3`);
  await until(
    p,
    'maps',
    () => explorer.views.attention.maps().some(v => v > 0) && !document.querySelector('#at-part').hidden,
  );
  for (const part of ['weights', 'scores', 'content', 'weights']) {
    await p.click(`#at-part [data-value=${part}]`);
    await frames(p);
    await until(
      p,
      part,
      part => explorer.state.part === part && !/Asking/.test(document.querySelector('#at-summary').textContent),
      part,
    );
    await frames(p);
    const image = await p.evaluate(() => explorer.data.images[explorer.state.image].key);
    const reply = await fetch(`${server.base}api/v1/runs/content/attention/${image}?part=${part}`);
    const answer = Buffer.from(await reply.arrayBuffer()),
      cut = answer.indexOf(10);
    const d = JSON.parse(answer.subarray(0, cut)),
      bytes = answer.subarray(cut + 1),
      seen = await p.evaluate(() => [...explorer.views.attention.maps()]);
    let at = 0,
      row = 0;
    for (const l of d.layers) {
      if (l.most.length)
        for (let h = 0; h < l.heads; h++)
          for (let k = 0; k < l.tokens; k++) {
            const v =
              l.least[h] + (bytes[at + (h * l.tokens + 2 * 8 + 3) * l.tokens + k] / 255) * (l.most[h] - l.least[h]);
            assert.ok(
              Math.abs(seen[(row + h) * l.tokens + k] - v) < 1e-5 * (1 + Math.abs(v)),
              `${part}, head ${row + h}, key ${k}: ${seen[(row + h) * l.tokens + k]}, want ${v}`,
            );
          }
      row += l.heads;
      at += l.heads * l.tokens * l.tokens;
    }
  }
  assert.deepEqual(p.clean(), []);
  await p.close();
});

// bytes returns the values of a head's map in a Means document.
const near = h => [...Buffer.from(h.near, 'base64')].map(b => h.most * (b / 255) ** 2);

// offBy returns by how much of 255 a cell of the overview's tiles is off from the square root of its value. The colors of
// a tile are compared with its strongest cell; cells that the trail, the small square or the number may cover are left out.
const offBy = (p, layers, trails) =>
  p.evaluate(
    ([layers, trails]) => {
      const probe = document.createElement('i');
      document.body.append(probe);
      probe.style.color = 'var(--well)';
      const well = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      probe.remove();
      let worst = 0;
      document.querySelectorAll('#ov-layers canvas.tiles').forEach((canvas, l) => {
        const heads = layers[l],
          across = Math.ceil(Math.sqrt(heads.length)),
          { width, height } = canvas,
          w = canvas.clientWidth,
          gap = Math.max(3, w * 0.02),
          s = (w - gap * (across - 1)) / across,
          all = canvas.getContext('2d').getImageData(0, 0, width, height).data;
        heads.forEach((map, h) => {
          const covered = i => {
            const [r, c] = [((i / 11) | 0) - 5, (i % 11) - 5],
              [r0, r1, c0, c1] = trails[l][h];
            if ((r + 5.5) * s < 11 * 17 && (c + 5.5) * s < 11 * 19) return true; // the number, of 11 pixels
            return (!r && !c) || (r > r0 - 1.5 && r < r1 + 1.5 && c > c0 - 1.5 && c < c1 + 1.5);
          };
          const strength = i => {
            const x = Math.round(((h % across) * (s + gap) + (((i % 11) + 0.5) * s) / 11) * (width / w)),
              y = Math.round((((h / across) | 0) * (s + gap) + ((((i / 11) | 0) + 0.5) * s) / 11) * (width / w)),
              a = 4 * (y * width + x);
            return Math.hypot(all[a] - well[0], all[a + 1] - well[1], all[a + 2] - well[2]);
          };
          let best = -1;
          map.forEach((v, i) => {
            if (!covered(i) && (best < 0 || v > map[best])) best = i;
          });
          if (map[best] < 0.02) return;
          map.forEach((v, i) => {
            if (!covered(i))
              worst = Math.max(worst, Math.abs(strength(i) - strength(best) * Math.sqrt(v / map[best])));
          });
        });
      });
      return worst;
    },
    [layers, trails],
  );

for (const name of ['learned', 'content'])
  test(`overview of ${name}: maps, words and shares are the mean attention after each epoch`, async () => {
    const p = await tab(context, server.base, { allow: /willReadFrequently/ }), // the test reads the canvas
      means = [];
    for (const e of [0, 1]) means.push(await server.api(`runs/${name}/means/${e}`));
    await p.open(`#overview&run=${id[name]}`);
    await until(p, 'two epochs', () => explorer.data.means.length === 2);
    const trails = means[0].layers.map((l, i) =>
      l.heads.map((_, h) => {
        const at = means.map(m => m.layers[i].heads[h].center);
        return [0, 1].flatMap(k => [Math.min(...at.map(c => c[k])), Math.max(...at.map(c => c[k]))]);
      }),
    );
    for (const [epoch, { layers }] of means.entries()) {
      await p.evaluate(e => explorer.changed({ epoch: e, live: e === 1, head: [1, 2] }), epoch);
      await frames(p);
      const off = await offBy(
        p,
        layers.map(l => l.heads.map(near)),
        trails,
      );
      assert.ok(off < 8, `epoch ${epoch}: a cell is off by ${off} of 255`);
      const { center, half } = layers[1].heads[2],
        minus = x => x.toFixed(2).replace(/^-(?!0\.00)/, '−').replace('-', ''),
        words = await p.textContent('#ov-text');
      assert.ok(
        words.startsWith('Layer 2, head 3. ') &&
          (/all tokens alike/.test(words) || words.includes(`within ${half.toFixed(2)} tokens of (${center.map(minus).join(', ')})`)),
        words,
      );
      assert.deepEqual(
        await p.evaluate(() => [...document.querySelectorAll('.share b')].map(b => parseInt(b.textContent))),
        layers.map(l => Math.round(100 * l.within3)),
      );
    }
    if (name === 'learned') {
      const { layers } = JSON.parse(program('analyse', `${RUNS}/learned`, '--json', '--no-images'));
      layers.forEach((l, i) => assert.ok(Math.abs(l.shares.k1 + l.shares.k3 - means[1].layers[i].within3) < 1e-9));
    } else assert.match(await p.textContent('#ov-legend'), /averaged over the 8 test images/);
    assert.deepEqual(p.clean(), []);
    await p.close();
  });

test('the slider goes to the epochs whose weights are there, and play ends on one', async () => {
  const root = path.join(SCRATCH, 'gaps'),
    run = path.join(root, 'one');
  fs.cpSync(path.join(RUNS, 'tables'), run, { recursive: true });
  fs.rmSync(path.join(run, 'checkpoints', 'epoch-002.ckpt'));
  for (const f of fs.readdirSync(path.join(run, 'checkpoints'))) // the best checkpoint may be that of epoch 2
    if (!f.startsWith('epoch-')) fs.rmSync(path.join(run, 'checkpoints', f));
  fs.copyFileSync(path.join(run, 'checkpoints', 'epoch-003.ckpt'), path.join(run, 'checkpoints', 'best.ckpt'));
  const gaps = await serve(root),
    p = await tab(context, gaps.base);
  await p.open('#overview&run=one');
  await until(p, 'the epochs', () => explorer.data.means.length === 3);
  const epochs = [];
  await p.focus('#ov-scrub input');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight', '[', ']']) {
    await p.keyboard.press(key);
    await frames(p);
    epochs.push(await p.evaluate(() => explorer.state.epoch));
  }
  assert.deepEqual(epochs, [1, 0, 0, 1, 3, 1, 3]);
  await p.click('#ov-scrub .play');
  await sleep(300);
  await p.click('#ov-scrub .play');
  assert.ok([0, 1, 3].includes(await p.evaluate(() => explorer.state.epoch)));
  assert.deepEqual(p.clean(), []);
  await p.close();
  await gaps.stop();
});

test('an exported run of content or tables has its overview and its attention', async () => {
  for (const name of ['content', 'learned']) {
    const file = path.join(SCRATCH, `own-${name}.html`);
    program('serve', `${RUNS}/${name}`, '--export', file);
    const p = await tab(context, `file://${file}`);
    await p.open('#overview');
    await until(p, 'two epochs', () => explorer.data.means.length === 2);
    await p.open('#attention&q=2,3&image=1');
    await until(p, 'maps', () => explorer.views.attention.maps().some(v => v > 0));
    const seen = await p.evaluate(() => [...explorer.views.attention.maps()]),
      image = await p.evaluate(() => explorer.data.images[1].key),
      served = await tab(context, server.base);
    await served.open(`#attention&run=${id[name]}&q=2,3&image=1`);
    await until(served, 'maps', () => explorer.views.attention.maps().some(v => v > 0));
    assert.equal(await served.evaluate(() => explorer.data.images[1].key), image);
    assert.deepEqual(await served.evaluate(() => [...explorer.views.attention.maps()]), seen);
    await p.click('#at-part [data-value=position]');
    await until(p, 'the part', () => /score of position/.test(document.querySelector('#at-summary').textContent));
    assert.deepEqual([...p.clean(), ...served.clean()], []);
    await served.close();
    await p.close();
  }
});

test('a network without attention opens on the theorem', async () => {
  const p = await tab(context, server.base);
  await p.open(`#overview&run=${id.resnet}`);
  await frames(p);
  assert.equal(await p.evaluate(() => explorer.state.view), 'theorem');
  await sleep(500);
  assert.deepEqual(p.clean(), []);
  await p.close();
});
