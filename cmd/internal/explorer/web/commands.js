// The command of each view, which draws its figure or prints its numbers in a terminal.
import { quote } from './draw.js';

// weights names the weights that a view shows: those of an epoch that has a snapshot, or else the run.
function weights(data, state) {
  const { run, snapshots } = data,
    epoch = Math.round(state.epoch);
  if (state.live || !snapshots.includes(epoch)) return quote(run.ref);
  return quote(`${run.path}/checkpoints/epoch-${String(epoch).padStart(3, '0')}.ckpt`);
}

// fileOf names the file of an image: one that the page saves, or the user's. A name that begins like a flag gets a
// folder.
export function fileOf(im) {
  if (!im.own) return `test-${im.key}.png`;
  return im.label.startsWith('-') ? './' + im.label : im.label;
}

const byPart = { weights: '', scores: ' --raw', content: ' --raw --score content', position: ' --raw --score position' };

export const commands = {
  report: () => '',
  tour: () => '',
  runs(data, state, list) {
    const refs = state.ticked.map(id => quote(list.find(r => r.id === id)?.ref ?? id));
    return refs.length ? `attnconv plot-curves ${refs.join(' ')}` : 'attnconv runs ls';
  },
  overview: (data, state) => data.run.foreign ? '' : `attnconv plot-heads ${weights(data, state)}`,
  attention(data, state) {
    if (data.run.foreign) return '';
    const query = `--query ${state.query}`,
      im = data.images[state.image];
    if (data.frames.length) return `attnconv plot-heads ${weights(data, state)} --figure maps ${query}`;
    const file = im ? quote(fileOf(im)) : 'IMAGE';
    return `attnconv plot-maps ${weights(data, state)} ${file} ${query}${byPart[state.part]}`;
  },
  compare(data, state) {
    const { other } = data; // plot-heads has no images, and one query for both
    if (!other?.counts.length || data.byImage || other.byImage || `${other.run.grid}` !== `${data.run.grid}`) return '';
    const [left, right] = [weights(data, state), weights(other, state.right)];
    if (left === right) return '';
    return `attnconv plot-heads ${left} ${right} --figure maps --layers ${data.blocks[state.head[0]]} --query ${state.query}`;
  },
  // At a small α attention is not the convolution, and prove fails: the last α is one at which it is.
  theorem(data, { theorem: t }) {
    const alpha = t.alpha < 104 ? `${+t.alpha.toFixed(2)},104` : '104';
    return `attnconv prove --kernel 3 --channels 3:3 --size 32 --alpha ${alpha} --border ${t.border} -o error.svg`;
  },
  whatif: data => `attnconv analyse ${quote(data.run.ref)} --no-images --figure kernels -o kernels.svg`,
};
