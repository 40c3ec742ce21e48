// The bar above every view while the run trains.
import { $, duration } from './draw.js';

const count = n => Math.round(n).toLocaleString('en');

// drawTraining shows how far a run is, from its last step; nothing if it does not train.
export function drawTraining(run) {
  const box = $('#training'),
    trains = run?.state === 'running',
    state = trains ? `training, epoch ${Math.min(run.epochs, run.epoch + 1)} of ${run.epochs}` : '';
  box.hidden = !trains;
  if ($('#run-state').textContent !== state) $('#run-state').textContent = state; // it is read out: not at each step
  if (!trains) return;
  const { step, steps } = run,
    bar = $('#run-bar');
  if (step && steps) bar.value = step.step / steps;
  else bar.removeAttribute('value');
  $('#run-step').textContent = step
    ? [
        `step ${count(step.step)} of ${count(steps)}`,
        `loss ${step.loss.toFixed(3)}`,
        `${count(step.img_s)} images a second`,
        `${duration(step.eta_s)} left`,
      ].join(' · ')
    : 'The first steps are under way.';
}
