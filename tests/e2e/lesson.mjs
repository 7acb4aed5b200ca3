// Steps that the lesson tests share.
import assert from 'node:assert/strict';

/** Waits until every place of the text is filled by what is set now; the place that is not is named. What training says stands in
 *  paragraphs that are hidden until it is there. */
export async function filled(page) {
  const wait = () => page.waitForFunction(
    () => [...document.querySelectorAll('.lesson .slot:not([data-slot^="trained-"])')].every((slot) => slot.dataset.value && !slot.classList.contains('old')),
    undefined, { timeout: 30_000 },
  );
  await wait().catch(async () => {
    const empty = await page.$$eval('.lesson .slot', (slots) => slots.filter((slot) => !slot.dataset.value || slot.classList.contains('old')).map((slot) => slot.dataset.slot));
    assert.fail(`nothing stands at ${empty}`);
  });
}

/** Begins a lesson from the list. */
export async function startLesson(page, id) {
  await page.click('#lessons-open');
  await page.click(`.lesson-pick[data-lesson="${id}"]`);
}

/** The lesson that is open, and its step. */
export const at = (page) => page.locator('#lesson-panel').evaluate((panel) => [panel.dataset.lesson, panel.dataset.step]);
