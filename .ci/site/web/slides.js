// One slide at a time: arrows, page keys, space, or a click at the left or right edge. #3 is the third.
'use strict';
const all = [...document.querySelectorAll('section')];
let now = 0;
const show = (i, focus = true) => {
  now = Math.max(0, Math.min(all.length - 1, i));
  all.forEach((s, j) => s.classList.toggle('now', j === now));
  document.getElementById('place').textContent = `${now + 1} of ${all.length}`;
  history.replaceState(null, '', `#${now + 1}`);
  if (focus) all[now].focus();
};
const keys = { ArrowRight: 1, PageDown: 1, ' ': 1, ArrowDown: 1, ArrowLeft: -1, PageUp: -1, ArrowUp: -1 };
document.addEventListener('keydown', e => {
  if (e.target.closest?.('a, .wide') && e.key === ' ') return;
  if (e.key === 'Home') show(0);
  else if (e.key === 'End') show(all.length - 1);
  else if (keys[e.key]) show(now + keys[e.key]);
  else return;
  e.preventDefault();
});
show((parseInt(location.hash.slice(1), 10) || 1) - 1, false);
