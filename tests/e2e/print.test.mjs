// What comes out on paper: a figure with its caption and its numbers, or a lesson with all its steps; no toolbars.
import assert from 'node:assert/strict';
import { pageTest, waitForStart } from './browser.mjs';
import { changed, PLOTS, settled, swept } from './reading.mjs';

const TOOLS = 'header, .controls, .quick, .explore-ways, .growth-tools, .tabs, .export, button, select, input[type=range]';

/** Lays the page out as for paper, as the browser does when it prints. */
async function onPaper(page) {
  await page.setViewportSize({ width: 680, height: 960 });
  await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
  await page.emulateMedia({ media: 'print' });
  await page.waitForSelector('.print-caption, .handout', { state: 'visible' });
  await page.waitForTimeout(300);
}

/** The type in pictures that is smaller than 8 pt on a sheet of 180 mm, and how many parts have the colour of the page. */
const onSheet = (page) => page.$$eval('.on-paper svg', (all) => {
  const points = (text) => Number.parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width * 0.75;
  const texts = all.flatMap((svg) => [...svg.querySelectorAll('text')]);
  return {
    small: texts.filter((text) => points(text) < 7.99).map((text) => `${text.textContent}: ${points(text)}`),
    coloured: all.flatMap((svg) => [...svg.querySelectorAll('rect')]).filter((rect) => /^#fcfbf[0-9a-f]$/i.test(rect.getAttribute('fill'))).length,
  };
});

const visible = (page, selector) => page.$$eval(selector, (all) => all.filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length).map((element) => element.id || element.className || element.tagName));

pageTest('a state is printed as its figure, with sentence, numbers, settings and link', { hash: '#v3&theme=dark&n=50', context: {} }, async ({ page, url }) => {
  await changed(page, 'explore-norm');
  await swept(page);
  await onPaper(page);
  assert.deepEqual(await visible(page, TOOLS), []);
  for (const shown of ['#question', '.sentence > p', '.explore-plot svg', '.disc-stage svg', '#explore-table', '.print-caption']) assert.ok(await page.locator(shown).first().isVisible(), shown);
  assert.match(await page.locator('.print-caption').innerText(), /L = 1\.\d+ at n = 50, R = 1\.5[^]*n = 50, d = 2, R = 1\.5/);
  assert.ok((await page.locator('.print-caption').innerText()).includes(`${url}#v3`));
  assert.ok((await page.locator('#explore-table tbody tr').count()) >= 4);
  // Disc and plot are drawn anew, light and on white; the plot is as wide as the sheet, its type has 8 pt at least.
  assert.deepEqual(await visible(page, '.page canvas'), []);
  assert.deepEqual(await onSheet(page), { small: [], coloured: 0 });
  const widths = await page.$$eval('.on-paper svg', (all) => all.map((svg) => svg.getBoundingClientRect().width));
  assert.ok(widths.length === 2 && widths[1] > 0.98 * (await page.evaluate(() => innerWidth)), `${widths}`);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), 'rgb(255, 255, 255)');
  // Nothing can be dragged on paper.
  assert.doesNotMatch(await page.locator('.disc figcaption').innerText(), /drag/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  // Afterwards the page is as it was.
  await page.evaluate(() => { dispatchEvent(new Event('afterprint')); });
  await page.emulateMedia({ media: 'screen' });
  await page.waitForFunction(() => !document.querySelector('.print-caption') && !('printing' in document.documentElement.dataset));
  assert.ok(await page.locator('header').isVisible());
  assert.equal(await page.locator('.on-paper').count(), 0);
});

pageTest('the plot over n is printed with the values of its curves', { hash: '#v3&plot=growth', context: {} }, async ({ page }) => {
  await settled(page);
  await onPaper(page);
  assert.deepEqual(await visible(page, TOOLS), []);
  for (const shown of ['.growth-plot svg', '#growth-gap', '[data-testid=growth-sharp]', '.print-caption']) assert.ok(await page.locator(shown).first().isVisible(), shown);
});

const BARE = ['model', 'train', 'lab'];

pageTest('every plot is printed on one sheet, of either size, light or for an audience', { hash: '#v3&n=50', context: {} }, async ({ page, url }) => {
  for (const plot of Object.keys(PLOTS)) {
    for (const fields of plot === 'explore' ? ['', '&view=teacher'] : ['']) {
      await page.goto('about:blank');
      await page.goto(`${url}#v3&n=50&plot=${plot}${fields}`);
      await waitForStart(page);
      if (!BARE.includes(plot)) await page.waitForFunction(() => [...document.querySelectorAll('.explore canvas, .plot canvas')].some((canvas) => canvas.offsetWidth > 0 && canvas.width > 300));
      await page.waitForTimeout(600);
      if (plot === 'explore') {
        // The numbers are there in the teacher's view too.
        await page.emulateMedia({ media: 'print' });
        await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
        assert.ok(await page.locator('#explore-table').isVisible(), fields);
        await page.evaluate(() => { dispatchEvent(new Event('afterprint')); });
        await page.emulateMedia({ media: null });
      }
      for (const format of ['A4', 'Letter']) {
        const pdf = (await page.pdf({ format })).toString('latin1');
        assert.equal(pdf.match(/\/Type\s*\/Page\b/g).length, 1, `${plot}${fields} on ${format}`);
      }
    }
  }
});

pageTest('a lesson is printed as a handout of all its steps', { hash: '#v3&lesson=sink.2', context: {} }, async ({ page, url }) => {
  await page.waitForSelector('#lesson-panel[data-step="1"]');
  await onPaper(page);
  assert.ok(await page.locator('.page').isHidden());
  const steps = page.locator('.handout-step');
  assert.equal(await steps.count(), 6);
  const text = await page.locator('.handout').innerText();
  for (const words of ['The sink and √n', '1. Draw it first', 'Recap', 'Raise the largest column sum to 13.', 'R = 2', '________', 'On the page you can set R, the radius, from 0.5 to 3.', 'Goals']) assert.ok(text.includes(words), words);
  // What the page shows after a goal is the answer.
  assert.ok(!text.includes('Without large scores there is no sink.'));
  assert.ok(!/[{}[\]]/.test(text.replaceAll(/\[[CK]\]/g, '')), 'markup of a lesson stands on the paper');
  // The formula of step 3 has two parts.
  assert.equal(await page.locator('.handout math').count(), 3);
  // Axes to draw on where the step says to draw; a number at the token that a step names; lines to write on.
  assert.equal(await steps.nth(0).locator('.handout-axes svg').count(), 1);
  assert.ok((await steps.nth(0).locator('.handout-axes').innerText()).includes('number of tokens n'));
  assert.deepEqual(await steps.nth(1).locator('.handout-figure text').allTextContents(), ['1']);
  assert.match(await steps.nth(2).innerText(), /Find the R at which L passes 13\.\s+R = _+\s+L = _+/);
  assert.match(await page.locator('.handout-who').innerText(), /Name[^]*Date/);
  // What a button does is said as what can be chosen, and a room for a number has its sign and unit.
  assert.match(await steps.nth(3).innerText(), /of radius R = 3\.\s+To choose on the page:\s+sample A: L = _+/);
  assert.match(await steps.nth(4).innerText(), /gives L ≤\s_+\. Here L =\s_+, so the bound for any n is _+\s× the norm\./);
  // Five figures of tokens, none of which answers a question. The recap has no number, as in the panel.
  assert.equal(await page.locator('.handout-figure svg circle.rim').count(), 5);
  assert.match(await steps.last().innerText(), /^Recap/);
  assert.equal(await steps.nth(2).locator('.handout-link').innerText(), `${url}#v3&lesson=sink.3`);
});

pageTest('the browser’s own printing has the handout', { hash: '#v3&lesson=mask.1', context: {} }, async ({ page }) => {
  await page.waitForSelector('#lesson-panel[data-step="0"]');
  // The page lays the paper out when its style is asked for: the handout is there by then.
  await page.evaluate(() => matchMedia('print').addEventListener('change', ({ matches }) => { if (matches) window.printed = document.querySelectorAll('.handout-step').length; }));
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.equal(await page.evaluate(() => window.printed), 6);
  const sheets = pdf.match(/\/Type\s*\/Page\b/g).length;
  assert.ok(sheets >= 2 && sheets <= 6, `${sheets} sheets`);
});
