// What the tests of the page share: the server, the browser, and a page that notes what it should not do.
import { spawn, execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';

export const { PROGRAM, PLAIN, RUNS, SCRATCH, MODULES, CHROMIUM } = process.env;
const require = createRequire(path.join(MODULES, 'x.js'));
const { chromium } = require('playwright-core');
export const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const program = (...args) => execFileSync(PROGRAM, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
export const sleep = ms => new Promise(ok => setTimeout(ok, ms));

export const freePort = () =>
  new Promise(ok => {
    const s = net.createServer();
    s.listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => ok(port));
    });
  });

// serve starts the program's server, and returns its address and what ends it.
export async function serve(runs = RUNS, port = 0, ...refs) {
  port ||= await freePort();
  const child = spawn(PROGRAM, ['serve', ...refs, '--runs', runs, '--port', String(port)], { stdio: 'ignore' }),
    base = `http://localhost:${port}/`;
  for (let i = 0; ; i++) {
    try {
      if ((await fetch(base)).ok) break;
    } catch {
      if (i > 600 || child.exitCode !== null) throw new Error('the server does not answer');
    }
    await sleep(50);
  }
  return {
    base,
    port,
    api: async p => (await fetch(`${base}api/v1/${p}`)).json(),
    stop: () =>
      new Promise(ok => {
        child.once('exit', ok);
        child.kill();
      }),
  };
}

// ids returns the ids of the runs that .ci/browser/run trains, by name.
export const ids = async server =>
  Object.fromEntries(
    await Promise.all(
      ['quadratic', 'general', 'learned', 'content', 'resnet'].map(async n => [n, (await server.api(`runs/${n}`)).run.id]),
    ),
  );

export async function browser() {
  const folder = fs.mkdtempSync(path.join(SCRATCH, 'profile-'));
  return chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--js-flags=--expose-gc',
      '--enable-precise-memory-info',
    ],
  });
}

// A tab notes messages of the console, errors and requests; clean() is what the page should not have done.
export async function tab(context, base, { allow = /^$/ } = {}) {
  const p = await context.newPage(),
    noise = [],
    asked = [];
  p.on('console', m => noise.push(`${m.type()}: ${m.text()} ${m.location().url}`));
  p.on('pageerror', e => noise.push(`error: ${e.message}`));
  p.on('request', r => asked.push(r.url()));
  p.noise = noise;
  p.asked = asked;
  p.clean = () => [
    ...noise.filter(s => !allow.test(s)),
    ...asked.filter(u => !u.startsWith(base) && !u.startsWith('data:') && u !== 'about:blank'),
  ];
  p.open = async (hash, there = ready) => {
    await p.goto('about:blank');
    await p.goto(base + hash);
    await there(p);
  };
  return p;
}

// until waits for a condition in the page, as a function: text would be eval, which the policy refuses.
export async function until(p, what, condition, arg, ms = 30000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20))
    if (await p.evaluate(condition, arg).catch(() => false)) return;
  throw new Error(`waited ${ms} ms in vain: ${what}`);
}
export const drawn = p => until(p, 'the page is drawn', () => Number.isFinite(globalThis.explorer?.frame));
export const ready = async p => {
  await drawn(p);
  await until(p, 'the images are there', () => !explorer.data.waiting);
};
// frames waits until the page has drawn what has changed.
export const frames = p => p.evaluate(() => new Promise(ok => requestAnimationFrame(() => requestAnimationFrame(ok))));
export const still = p =>
  p.evaluate(() => {
    for (const v of Object.values(explorer.views)) v.scrub?.pause();
  });
