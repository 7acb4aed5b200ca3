// Moves a slider of a page again and again, and notes how soon its effect is seen.

/**
 * Steps the slider with the id `slider` to its neighbours, `rounds` times. With `as: 'key'` a step comes at a random
 * time within a frame, as from a key. With `as: 'drag'` it comes at the beginning of a frame, as from a dragged handle:
 * browsers hold back the movements of a pointer until the next frame begins. Three frames pass before each such step.
 * Returns medians and 95th percentiles over the steps. `text` is the milliseconds from the `input` event until the
 * text of the element with the test id `shown` has changed. `frame` is the milliseconds from the event until the first
 * frame after that change begins. If `canvas` is the id of a canvas, `drawn` is the first frame after that change in
 * which the canvas is drawn, counted from the event: 1 is the frame that follows the event.
 */
export async function moves(page, { slider, shown, canvas, rounds, as = 'key' }) {
  const found = await page.evaluate(async ({ slider, shown, canvas, rounds, as }) => {
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
    const samples = [];
    let timeouts = 0;
    // Steps of the slider to its neighbours, up and down, so that every move changes the number.
    const start = Math.round(0.4 * Number(input.min) + 0.6 * Number(input.max));
    for (let round = 1; round <= rounds; round++) {
      if (as === 'drag') for (let wait = 0; wait < 3; wait++) await frame();
      else await new Promise((resolve) => setTimeout(resolve, 120 + Math.random() * 40));
      const before = number();
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (number() !== before) { observer.disconnect(); resolve(true); }
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        setTimeout(() => { observer.disconnect(); resolve(false); }, 2000);
      });
      const began = performance.now();
      const from = frames;
      let drawn;
      // A redraw of the old curves, while the new ones are on their way, does not count.
      strokes = () => { if (number() !== before) drawn ??= frames - from; };
      setValue.call(input, `${start + (round % 8 < 4 ? round % 4 : 4 - (round % 4))}`);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      if (!(await changed)) {
        timeouts++;
        continue;
      }
      const text = performance.now() - began;
      await frame();
      const sample = { text, frame: performance.now() - began };
      for (let wait = 0; canvas && drawn === undefined && wait < 30; wait++) await frame();
      if (canvas && drawn === undefined) timeouts++;
      else samples.push({ ...sample, drawn });
    }
    CanvasRenderingContext2D.prototype.stroke = stroke;
    const quantile = (key, q) => samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (samples.length - 1))];
    const of = (key) => ({ median: quantile(key, 0.5), p95: quantile(key, 0.95) });
    return { moves: samples.length, timeouts, text: of('text'), frame: of('frame'), ...(canvas && { drawn: of('drawn') }) };
  }, { slider, shown, canvas, rounds, as });
  if (found.moves < rounds / 2) throw new Error(`only ${found.moves} of ${rounds} movements of ${slider} changed ${shown}`);
  return found;
}
