// Measures how soon a slider's movement shows its number: node benches/slider.mjs [MOVES]
// Milliseconds on the built site (LIPSCOPE_DIST) from an `input` event until the number's text has changed, and until the
// frame after that begins.
import { launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { record } from './record.mjs';

const rounds = Number(process.argv[2] ?? 80);

try {
  const { page, close } = await openPage();
  const spectral = page.locator('[data-testid="spectral"]');
  await spectral.waitFor();
  await page.selectOption('#law', 'ball');
  await page.selectOption('#weights', 'random');
  for (const [id, value] of [['n', 64], ['d', 8]]) {
    await page.fill(`#${id}-number`, `${value}`);
    await page.press(`#${id}-number`, 'Enter');
  }
  await page.waitForTimeout(1500);
  const found = await page.evaluate(async (rounds) => {
    const number = () => document.querySelector('[data-testid="spectral"]').textContent;
    const input = document.querySelector('#radius');
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const samples = [];
    let timeouts = 0;
    // Steps of the slider to its neighbours, up and down, so that every move changes the number.
    const start = Math.round(0.4 * Number(input.min) + 0.6 * Number(input.max));
    for (let round = 1; round <= rounds; round++) {
      // At a random time within a frame, as for a user.
      await new Promise((resolve) => setTimeout(resolve, 120 + Math.random() * 40));
      const before = number();
      const changed = new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (number() !== before) { observer.disconnect(); resolve(true); }
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        setTimeout(() => { observer.disconnect(); resolve(false); }, 2000);
      });
      const began = performance.now();
      setValue.call(input, `${start + (round % 8 < 4 ? round % 4 : 4 - (round % 4))}`);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      if (await changed) {
        const text = performance.now() - began;
        await frame();
        samples.push({ text, frame: performance.now() - began });
      } else {
        timeouts++;
      }
    }
    const quantile = (key, q) => samples.map((sample) => sample[key]).sort((a, b) => a - b)[Math.floor(q * (samples.length - 1))];
    const of = (key) => ({ median: quantile(key, 0.5), p95: quantile(key, 0.95) });
    return { moves: samples.length, timeouts, text: of('text'), frame: of('frame') };
  }, rounds);
  if (found.moves < rounds / 2) throw new Error(`only ${found.moves} of ${rounds} movements changed the number`);
  record('slider', { n: 64, d: 8, chromium: (await launch()).version(), ...found });
  console.log(JSON.stringify(found));
  await close();
} finally {
  await shutDown();
}
