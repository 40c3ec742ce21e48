// The documentation's web site, from files: every page at three widths, light and dark; search and slides by keyboard.
import { test, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { SCRATCH, axe, browser, tab, until } from './page.mjs';

const site = path.join(SCRATCH, 'site'),
  at = name => `file://${site}/${name}`,
  shots = process.env.BROWSER_SHOTS;
let context, p, pages;
before(async () => {
  execFileSync('.ci/site/make', [site], { stdio: ['ignore', 'ignore', 'inherit'] });
  pages = fs
    .readdirSync(site, { recursive: true })
    .filter(f => f.endsWith('.html') && f !== 'explorer.html')
    .sort();
  context = await browser();
  p = await tab(context, `file://${site}/`);
});
after(async () => {
  await context?.close();
});
const theme = name => p.emulateMedia({ colorScheme: name });
const violations = () =>
  p.evaluate(async () =>
    (await axe.run(document, { resultTypes: ['violations'], preload: false, iframes: false })).violations.map(
      v =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map(n => n.html.slice(0, 160))
          .join(' | ')}`,
    ),
  );

test('no page is wider than its window, at three widths', async () => {
  assert.ok(pages.length > 40, `${pages.length} pages`);
  for (const name of pages) {
    await p.goto(at(name));
    for (const width of [390, 820, 1440]) {
      await p.setViewportSize({ width, height: 900 });
      const over = await p.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${name}: ${over} px wider than ${width}`);
    }
  }
});

// The kinds of pages: tables, formulas, code, pictures, lists, the longest one.
const kinds = [
  'index.html',
  'docs/index.html',
  'docs/attention.html',
  'docs/findings.html',
  'studies/verdict.html',
  'docs/dial.html',
  'docs/lesson.html',
  'docs/slides.html',
];

test('axe finds nothing, light and dark, wide and narrow', async () => {
  for (const name of kinds)
    for (const [width, scheme] of [
      [1440, 'light'],
      [1440, 'dark'],
      [390, 'dark'],
    ]) {
      await p.setViewportSize({ width, height: 900 });
      await theme(scheme);
      await p.goto(at(name));
      const cdp = await context.newCDPSession(p);
      await cdp.send('Runtime.evaluate', { expression: axe });
      await cdp.detach(); // the policy refuses a script
      if (shots) await p.screenshot({ path: path.join(shots, `site-${name.replace('/', '-')}-${width}-${scheme}.png`) });
      assert.deepEqual(await violations(), [], `${name}, ${width}, ${scheme}`);
    }
});

async function expected(condition) {
  for (const end = Date.now() + 30000; Date.now() < end; await new Promise(ok => setTimeout(ok, 50)))
    if (await condition()) return;
  assert.fail(`waited in vain: ${condition}`);
}

test('a view of the explorer in a page: alone, as high as it is, in the colors of the page', async () => {
  await theme('light');
  for (const [name, title] of [
    ['index.html', 'Nine heads of attention become a convolution.'],
    ['docs/attention.html', 'Attention answers with a mean.'],
  ]) {
    await p.setViewportSize({ width: 1440, height: 900 });
    await p.goto(at(name));
    const frame = p.locator('iframe.explorer').first();
    await frame.scrollIntoViewIfNeeded();
    const inner = frame.contentFrame();
    await inner.getByRole('heading', { name: title }).waitFor();
    assert.equal(await inner.getByRole('tab').count(), 0, `${name}: tabs in the frame`);
    const fits = () =>
      inner.locator('body').evaluate(b => b.scrollHeight - innerHeight);
    await expected(async () => Math.abs(await fits()) <= 2);
    await p.locator('#site-theme').click();
    await expected(async () => (await inner.locator('html').getAttribute('data-theme')) === 'dark');
    await p.locator('#site-theme').click();
  }
});

test('search by keyboard: slash, words, arrow, Enter', async () => {
  await p.setViewportSize({ width: 1440, height: 900 });
  await p.goto(at('docs/tutorial.html'));
  await p.keyboard.press('/');
  await p.keyboard.type('canonical operator');
  await until(p, 'results', () => document.querySelectorAll('#site-found li').length > 1);
  assert.match(await p.textContent('#site-count'), /^\d+ sections$/);
  await p.keyboard.press('ArrowDown');
  const to = await p.evaluate(() => document.querySelector('#site-found [aria-selected=true]').dataset.href);
  assert.equal(
    await p.getAttribute('#site-search', 'aria-activedescendant'),
    await p.evaluate(() => document.querySelector('#site-found [aria-selected=true]').id),
  );
  await p.keyboard.press('Enter');
  await p.waitForURL(u => u.href.endsWith(to.replace(/^(\.\.\/|\.\/)+/, '')));
  await p.keyboard.press('/');
  await p.keyboard.type('xyzzyx');
  await until(p, 'no result', () => document.getElementById('site-count').textContent === 'nothing found');
  await p.keyboard.press('Escape');
  assert.equal(await p.inputValue('#site-search'), '');
});

test('the theme and the list of pages can be switched', async () => {
  await theme('light');
  await p.goto(at('index.html'));
  const paper = () => p.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await p.click('#site-theme');
  assert.notEqual(await paper(), light);
  await p.goto(at('docs/dial.html'));
  assert.notEqual(await paper(), light, 'the next page has another theme');
  assert.match(await p.evaluate(() => document.querySelector('picture img').currentSrc), /-dark\.png$/);
  await p.click('#site-theme');
  await p.setViewportSize({ width: 390, height: 800 });
  assert.ok(!(await p.isVisible('#site-nav')));
  await p.click('#site-menu');
  assert.ok(await p.isVisible('#site-nav a[aria-current=page]'));
});

test('the first Tab reaches the text, and slides move with arrows', async () => {
  await p.goto(at('docs/theory.html'));
  await p.keyboard.press('Tab');
  await p.keyboard.press('Enter');
  assert.equal(await p.evaluate(() => document.activeElement.id), 'site-content');
  if (!pages.includes('docs/slides.html')) return;
  await p.goto(at('docs/slides.html'));
  await p.keyboard.press('ArrowRight');
  assert.match(await p.textContent('#place'), /^2 of \d+$/);
  assert.equal(await p.evaluate(() => document.querySelectorAll('section.now').length), 1);
});

test('the live demo is the explorer with its tour', async () => {
  await p.goto(`${at('explorer.html')}#tour`);
  await until(p, 'the tour', () => Number.isFinite(globalThis.explorer?.frame));
});

test('nothing was fetched from elsewhere, and the console is empty', () => assert.deepEqual(p.clean(), []));
