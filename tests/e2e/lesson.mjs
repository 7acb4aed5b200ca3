// Steps that the lesson tests share.
import assert from 'node:assert/strict';

/** Waits until every number in the lesson's text belongs to the current settings; fails with the name of a number that does not.
 *  Numbers of training are left out: their paragraphs are hidden until training has results. */
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
