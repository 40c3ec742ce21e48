// The theme, the list of pages on narrow screens, and the search.
'use strict';
const at = id => document.getElementById(`site-${id}`);
const remembered = {
  get: () => { try { return localStorage.getItem('theme'); } catch { return null; } },
  set: v => { try { localStorage.setItem('theme', v); } catch { /* it holds for this page */ } },
};
const themed = name => {
  if (name !== 'light' && name !== 'dark') return;
  document.documentElement.dataset.theme = name;
  for (const source of document.querySelectorAll('source[media*="prefers-color-scheme"]'))
    source.media = name === 'dark' ? 'all' : 'not all';
};
themed(remembered.get());
// The explorer in a frame says how high it is, and takes the theme of the page.
const frames = [...document.querySelectorAll('iframe.explorer')];
const tint = () => {
  const theme = document.documentElement.dataset.theme;
  if (theme) for (const f of frames) f.contentWindow.postMessage({ theme }, '*');
};
addEventListener('message', e => {
  const frame = frames.find(f => f.contentWindow === e.source);
  if (!frame || !(e.data?.attnconv > 0)) return;
  frame.style.height = `${Math.min(e.data.attnconv, 2000) + 2}px`;
  tint();
});
at('theme').addEventListener('click', () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  themed(dark ? 'light' : 'dark');
  remembered.set(dark ? 'light' : 'dark');
  tint();
});
at('menu').addEventListener('click', () => {
  const open = at('nav').classList.toggle('open');
  at('menu').setAttribute('aria-expanded', open);
});

// Search: every word has to be in a section. Its heading counts most, then the page's title, then the text.
const box = at('search'), list = at('found');
let loading, chosen = -1;
const load = () => (loading ||= new Promise((ok, failed) => {
  const script = document.createElement('script');
  script.src = document.body.dataset.index;
  script.onload = () => ok(window.sections);
  script.onerror = failed;
  document.head.append(script);
}));
const score = (s, words) => {
  let sum = 0;
  for (const w of words) {
    const inHeading = (s.h || s.p).toLowerCase().includes(w), inPage = s.p.toLowerCase().includes(w);
    const n = s.t.toLowerCase().split(w).length - 1;
    if (!inHeading && !inPage && !n) return 0;
    sum += 20 * inHeading + 8 * inPage + Math.min(n, 5);
  }
  return sum;
};
const line = (s, words) => {
  const i = Math.max(0, s.t.toLowerCase().indexOf(words[0]) - 30);
  return (i ? '… ' : '') + s.t.slice(i, i + 120);
};
const choose = i => {
  const all = [...list.children];
  chosen = all.length ? (i + all.length) % all.length : -1;
  all.forEach((li, j) => li.setAttribute('aria-selected', j === chosen));
  if (chosen >= 0) {
    box.setAttribute('aria-activedescendant', all[chosen].id);
    all[chosen].scrollIntoView({ block: 'nearest' });
  } else box.removeAttribute('aria-activedescendant');
};
const show = open => {
  list.hidden = !open;
  box.setAttribute('aria-expanded', open);
};
const search = async () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
  if (!words.length) return show(false);
  const sections = await load();
  const found = sections.map(s => ({ s, n: score(s, words) })).filter(f => f.n).sort((a, b) => b.n - a.n).slice(0, 12);
  list.replaceChildren(...found.map(({ s }, i) => {
    const li = document.createElement('li'), name = document.createElement('b'), text = document.createElement('small');
    li.id = `found-${i}`;
    li.setAttribute('role', 'option');
    li.dataset.href = `${document.body.dataset.root}/${s.u}`;
    name.textContent = s.h ? `${s.p} › ${s.h}` : s.p;
    text.textContent = line(s, words);
    li.append(name, text);
    li.addEventListener('click', () => go(li));
    return li;
  }));
  at('count').textContent = found.length ? `${found.length} sections` : 'nothing found';
  show(found.length > 0);
  choose(0);
};
const go = li => {
  show(false);
  location.href = li.dataset.href;
};
box.addEventListener('input', search);
box.addEventListener('keydown', e => {
  if (e.key === 'ArrowDown') choose(chosen + 1);
  else if (e.key === 'ArrowUp') choose(chosen - 1);
  else if (e.key === 'Enter' && chosen >= 0 && !list.hidden) go(list.children[chosen]);
  else if (e.key === 'Escape') {
    box.value = '';
    show(false);
    return;
  } else return;
  e.preventDefault();
});
box.addEventListener('blur', () => setTimeout(() => show(false), 150));
document.addEventListener('keydown', e => {
  if (e.key === '/' && !/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && !e.ctrlKey && !e.metaKey && !e.altKey) {
    e.preventDefault();
    box.focus();
  }
});
