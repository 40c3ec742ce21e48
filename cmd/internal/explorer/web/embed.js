// A frame in another page (#theorem&bare=1) shows one view without the bar and the commands around it. It tells the page
// how high it is, and takes the page's theme.
import { address } from './address.js';

export function embed() {
  if (!address()[1].bare || parent === window) return;
  document.body.classList.add('bare');
  const tell = () => parent.postMessage({ attnconv: document.body.scrollHeight }, '*');
  new ResizeObserver(tell).observe(document.body);
  addEventListener('message', e => {
    if (e.source !== parent || !['light', 'dark'].includes(e.data?.theme)) return;
    document.documentElement.dataset.theme = e.data.theme;
    dispatchEvent(new Event('themed'));
  });
}
