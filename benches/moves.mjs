// Moves a slider of a page again and again, and notes how soon its effect is seen, and where the time until then goes.

/** Milliseconds between two steps, the least and the most. After the longer ones the page is at rest. */
export const GAPS = { isolated: [1500, 2500], series: [120, 160] };

/**
 * Steps the slider with the id `slider` to its neighbours, `rounds` times. With a `gap` a step comes that long after the effect of
 * the last one, at a random time within a frame, as from a key. Without it a step comes at the beginning of a frame, as from a
 * dragged handle: browsers hold back the movements of a pointer until the next frame begins. Three frames pass before each such step.
 * Returns medians and 95th percentiles over the steps, in milliseconds from the `input` event:
 *   - `order`: the page has sent its first order to a worker;
 *   - `reply`: the page has begun to hear the reply that brings the number. Until then the worker computes, and the main thread
 *     may be busy with something else;
 *   - `text`: the text of the element with the test id `shown` has changed;
 *   - `frame`: the first frame after that begins.
 * If `canvas` is the id of a canvas, `drawn` is the first frame after that change in which the canvas is drawn, counted from the
 * event: 1 is the frame that follows the event.
 */
export async function moves(page, { slider, shown, canvas, rounds, gap }) {
  const found = await page.evaluate(async ({ slider, shown, canvas, rounds, gap }) => {
    const number = () => document.querySelector(`[data-testid="${shown}"]`).textContent;
    const input = document.querySelector(`#${slider}`);
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let frames = 0;
    const count = () => { frames++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
    let strokes = () => {};
    const { stroke } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (...given) {
      if (this.canvas.id === canvas) strokes();
      return stroke.apply(this, given);
    };
    let sent = [];
    let heard = [];
    const listen = ({ timeStamp }) => heard.push(timeStamp);
    const workers = new Set();
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (...given) {
      sent.push(performance.now());
      if (!workers.has(this)) this.addEventListener('message', listen);
      workers.add(this);
      return postMessage.apply(this, given);
    };
    const samples = [];
    let timeouts = 0;
    // Steps of the slider to its neighbours, up and down, so that every move changes the number.
    const start = Math.round(0.4 * Number(input.min) + 0.6 * Number(input.max));
    for (let round = 1; round <= rounds; round++) {
      if (gap) await new Promise((resolve) => setTimeout(resolve, gap[0] + Math.random() * (gap[1] - gap[0])));
      else for (let wait = 0; wait < 3; wait++) await frame();
      const before = number();
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (number() !== before) { observer.disconnect(); resolve(performance.now()); }
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        setTimeout(() => { observer.disconnect(); resolve(); }, 2000);
      });
      [sent, heard] = [[], []];
      const began = performance.now();
      const from = frames;
      let drawn;
      // A redraw of the old curves, while the new ones are on their way, does not count.
      strokes = () => { if (number() !== before) drawn ??= frames - from; };
      setValue.call(input, `${start + (round % 8 < 4 ? round % 4 : 4 - (round % 4))}`);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      const text = await changed;
      if (text === undefined) {
        timeouts++;
        continue;
      }
      await frame();
      const sample = { frame: performance.now() - began, text: text - began, reply: heard.findLast((at) => at <= text) - began, order: sent[0] - began };
      for (let wait = 0; canvas && drawn === undefined && wait < 30; wait++) await frame();
      if (canvas && drawn === undefined) timeouts++;
      else samples.push({ ...sample, drawn });
    }
    CanvasRenderingContext2D.prototype.stroke = stroke;
    Worker.prototype.postMessage = postMessage;
    for (const worker of workers) worker.removeEventListener('message', listen);
    const quantile = (key, q) => samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (samples.length - 1))];
    const of = (key) => ({ median: quantile(key, 0.5), p95: quantile(key, 0.95) });
    const keys = ['order', 'reply', 'text', 'frame', ...(canvas ? ['drawn'] : [])];
    return { moves: samples.length, timeouts, ...Object.fromEntries(keys.map((key) => [key, of(key)])) };
  }, { slider, shown, canvas, rounds, gap });
  if (found.moves < rounds / 2) throw new Error(`only ${found.moves} of ${rounds} movements of ${slider} changed ${shown}`);
  return found;
}
