// A run that trains: the page follows it, also when the server goes away for a while.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PROGRAM, RUNS, SCRATCH, serve, browser, tab, until, sleep } from './page.mjs';

let context;
before(async () => {
  context = await browser();
});
after(async () => {
  await context?.close();
});

test('lines that another process writes appear within 2 s, once, also after the server was away', async () => {
  const root = path.join(SCRATCH, 'appended'),
    run = path.join(root, 'one');
  fs.cpSync(path.join(RUNS, 'quadratic'), run, { recursive: true });
  const status = JSON.parse(fs.readFileSync(path.join(run, 'run.json')));
  Object.assign(status, {
    state: 'running',
    machine: 'another',
    space: '',
    locked: undefined,
    ended: undefined,
    epochs: 99,
    heartbeat: new Date(Date.now() + 40000).toISOString(),
  });
  fs.writeFileSync(path.join(run, 'run.json'), JSON.stringify(status));
  const metrics = path.join(run, 'metrics.jsonl'),
    record = fs
      .readFileSync(metrics, 'utf8')
      .split('\n')
      .filter(l => l.includes('"ev":"epoch"'))
      .map(l => JSON.parse(l))
      .at(-1);
  const add = epoch => fs.appendFileSync(metrics, JSON.stringify({ ...record, epoch, val_acc: epoch / 100 }) + '\n');
  let server = await serve(root);
  const p = await tab(context, server.base, {
    allow: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_NETWORK|epochs\/\d+/,
  });
  await p.open('#overview&run=' + status.id);
  assert.match(await p.textContent('#run-state'), /training, epoch \d/);
  const epochs = () => p.evaluate(() => explorer.data.curve.map(c => c.epoch));
  const begin = Date.now();
  add(4);
  await until(p, 'a point', () => explorer.data.curve.some(c => c.epoch === 4));
  console.log(`budget: a new point appears after ${Date.now() - begin} ms (2000)`);
  assert.ok(Date.now() - begin < 10000);
  await server.stop();
  add(5);
  add(6);
  await sleep(1500);
  server = await serve(root, server.port);
  await until(p, 'the page comes again', () => explorer.data.curve.some(c => c.epoch === 6));
  add(7);
  await until(p, 'the next point', () => explorer.data.curve.some(c => c.epoch === 7));
  assert.deepEqual(await epochs(), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(p.clean(), []);
  await p.close();
  await server.stop();
});

test('a run is shown while attnconv train writes it', async () => {
  const root = path.join(SCRATCH, 'training');
  const child = spawn(
    PROGRAM,
    [
      'train',
      '--data',
      'shapes32',
      '--preset',
      'tiny',
      '--runs',
      root,
      '--name',
      'live',
      '-q',
      '--dim',
      '16',
      '--ffn',
      '16',
      '--pool',
      '4',
      '--layers',
      '2',
      '--epochs',
      '400',
      '--set',
      'train.limit_train_batches=8',
      '--set',
      'data.val_size=100',
    ],
    { stdio: 'ignore' },
  );
  const server = await serve(root);
  try {
    let first;
    for (let i = 0; i < 400 && !first; i++) {
      first = (await server.api('runs')).runs[0];
      await sleep(100);
    }
    const p = await tab(context, server.base, { allow: /epochs\/\d+/ });
    await p.open('#overview&run=' + first.id);
    const count = await p.evaluate(() => explorer.data.curve.length),
      frames = await p.evaluate(() => explorer.data.frames.length);
    await until(p, 'three more epochs', n => explorer.data.curve.length >= n + 3, count, 120000);
    await until(p, 'the bar', () => /step [\d,]+ of 3,200 · loss \d.* · [\d,]+ images a second · [\d.]+ \w+ left/.test(document.querySelector('#run-step').textContent));
    assert.ok(await p.isVisible('#training'));
    await p.evaluate(() => {
      globalThis.between = 0; // frames with heads between two epochs
      const look = () => {
        if (explorer.state.epoch % 1) between++;
        requestAnimationFrame(look);
      };
      look();
    });
    await until(p, 'heads glide', () => between > 5, null, 120000);
    await p.emulateMedia({ reducedMotion: 'reduce' });
    await sleep(2000);
    await p.evaluate(() => (globalThis.between = 0));
    await until(p, 'heads move', n => explorer.data.frames.length >= n + 3, frames, 120000);
    const epochs = await p.evaluate(() => explorer.data.curve.map(c => c.epoch));
    assert.deepEqual(
      epochs,
      epochs.map((_, i) => i + 1),
    );
    assert.equal(await p.evaluate(() => between), 0);
    assert.match(await p.textContent('#run-state'), /training, epoch \d+ of 400/);
    child.kill();
    await until(p, 'its end', () => document.querySelector('#run-state').textContent === '', null, 60000);
    assert.deepEqual(p.clean(), []);
    await p.close();
  } finally {
    child.kill();
    await server.stop();
  }
});
