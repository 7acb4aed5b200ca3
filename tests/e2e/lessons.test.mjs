// The lessons: every one to its end with the keyboard, numbers in the text against those on screen, goals, hints and answers,
// leaving. Predictions and the teacher's view have files of their own.
import assert from 'node:assert/strict';
import { inBothSchemes, pageTest, PHONE } from './browser.mjs';
import { at, filled, startLesson } from './lesson.mjs';
import { changed, reaches, reveal, value } from './reading.mjs';

const LESSONS = ['lipschitz', 'jacobian', 'sink', 'regime', 'mask', 'layer-norm', 'whole-space', 'inverse', 'slack', 'token-norm', 'soft-cap', 'train', 'own'];

/**
 * For a place in the text: where the same number stands on screen, and what of it must agree, its digits or their
 * logarithm.
 */
function onScreen(place) {
  const [name, rest] = place.split(' ');
  const simple = {
    measured: 'spectral', ratio: 'ratio', radius: 'radius', 'column-sum': 'column-sum', frobenius: 'frobenius', linf: 'linf', l1: 'l1',
    'large-radius': 'large-radius', steps: 'iterations', residual: 'residual', slope: 'slope', gap: 'growth-gap', 'radius-there': 'growth-radius',
    'exact-there': 'growth-exact', 'scaled-slope-dot': 'scale-slope-dot', 'scaled-slope-l2': 'scale-slope-l2', 'scaled-radius': 'scale-radius',
    'scaled-dot': 'scale-dot', 'scaled-l2': 'scale-l2', 'tight-n': 'tight-n', 'tight-found': 'tight-found', 'tight-bound': 'tight-bound',
    'tight-ratio': 'tight-ratio', c: 'inverse-c',
  };
  if (name === 'bound') return `bound-${rest}`;
  if (name === 'there') return `growth-${rest}`;
  if (name === 'inverse-l2') return `inverse-l2-${rest}`;
  if (name === 'inverse-dot') return `inverse-dot-${rest}`;
  return simple[name];
}

/** Compares every number of the text with the one on screen, at one moment; returns how many are on screen. */
async function compareNumbers(page, where) {
  // An answered question keeps its own numbers.
  const text = (await page.locator('.lesson-choice[aria-pressed=true]').count()) ? '.lesson-after' : '.lesson';
  const places = await page.$$eval(`${text} .slot`, (slots) => slots.map((slot) => slot.dataset.slot));
  const pairs = places.map((place) => [place, onScreen(place)]).filter(([, id]) => id);
  const read = () => page.evaluate(([pairs, text]) => pairs.map(([place, id]) => {
    const screen = document.querySelector(`[data-testid="${id}"]`);
    return { place, text: document.querySelector(`${text} .slot[data-slot="${place}"]`)?.dataset.value, screen: screen?.dataset.value };
  }), [pairs, text]);
  let count = 0;
  for (const { place, text, screen } of await read()) {
    // The row of a curve that is switched off, or of a bound that is in no list, has no number.
    if (!screen) continue;
    count += 1;
    const [a, b] = [Number(text), Number(screen)];
    if (Number.isNaN(a)) assert.equal(text, screen, `${where}: {${place}}`);
    else assert.ok(Math.abs(a - b) <= 1e-12 * Math.abs(b), `${where}: {${place}} is ${text}, on screen ${screen}`);
  }
  return count;
}

pageTest('every lesson to its end with the keyboard alone, its numbers those on screen', { timeout: 420_000 }, async ({ page }) => {
  await changed(page, 'spectral');
  let compared = 0;
  const wide = [];
  for (const [number, id] of LESSONS.entries()) {
    // The list is open from the second lesson on: the end of a lesson leads there.
    if (number === 0) {
      await page.keyboard.press('l');
      await page.waitForFunction(() => document.activeElement?.id === 'lesson-heading');
      assert.equal(await page.locator('.lesson-pick').count(), LESSONS.length);
    }
    await page.locator(`.lesson-pick[data-lesson="${id}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'lesson-heading');
    const tasks = Number((await page.getByTestId('lesson-progress').innerText()).split(' ').at(-1));
    // The recap is not counted.
    const steps = tasks + 1;
    for (let step = 0; step < steps; step += 1) {
      const where = `${id}, step ${step + 1}`;
      assert.deepEqual(await at(page), [id, String(step)]);
      await page.waitForFunction((link) => location.hash === link, `#v3&lesson=${id}.${step + 1}`);
      assert.equal(await page.getByTestId('lesson-progress').innerText(), step < tasks ? `${step + 1} of ${tasks}` : 'recap');
      assert.match(await page.getByTestId('lesson-said').innerText(), step < tasks ? new RegExp(`^Step ${step + 1} of ${tasks}: `) : /^Recap$/);
      assert.equal(await page.locator('.problem:not([hidden])').count(), 0, where);
      for (const press of ['#guess-reveal', '.lesson-choice']) {
        if (!(await page.locator(press).count())) continue;
        if (press === '.lesson-choice') {
          await filled(page);
          compared += await compareNumbers(page, `${where}, before the answer`);
        }
        await page.locator(press).first().focus();
        await page.keyboard.press('Enter');
      }
      await filled(page);
      compared += await compareNumbers(page, where);
      const cut = await page.$$eval('.lesson-formula', (formulas) => formulas.filter((formula) => formula.scrollWidth > formula.clientWidth).map((formula) => formula.textContent));
      wide.push(...cut.map((formula) => `${where}: ${formula}`));
      await page.keyboard.press('Alt+ArrowRight');
    }
    await page.waitForSelector('.lesson-pick');
  }
  assert.deepEqual(wide, [], 'formulas wider than the panel');
  assert.ok(compared > 90, `only ${compared} numbers were compared`);
});

pageTest('back, the controls beside a lesson, and my configuration again', async ({ page }) => {
  await page.fill('#n-number', '48');
  await page.press('#n-number', 'Enter');
  await page.click('#growth-range-1e6');
  const before = await changed(page, 'spectral');
  await page.click('#lessons-open');
  await page.click('.lesson-pick[data-lesson="mask"]');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  assert.equal(await page.locator('#lesson-back').getAttribute('aria-disabled'), 'true');
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.click('#lesson-next');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.keyboard.press('Alt+ArrowLeft');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  // A toggle opens the controls. A change there is in the text at once, and a button sets the step up again.
  assert.ok(await page.locator('#lesson-again').isHidden());
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'causal');
  await page.click('.sheet-handle');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await filled(page);
  assert.ok((await compareNumbers(page, 'after a change')) > 1);
  await page.click('#lesson-again');
  await reaches(page, 'spectral', 2.0504, 5e-5);
  // Leaving asks which configuration to go on with.
  await page.click('#lesson-close');
  await page.waitForFunction(() => document.activeElement?.id === 'lesson-keep');
  await page.click('#lesson-stay');
  assert.ok(await page.locator('.lesson-leaving').isHidden());
  await page.click('#lesson-close');
  await page.click('#lesson-keep');
  assert.ok(await page.locator('#lesson-panel').isHidden());
  await page.waitForFunction(() => document.activeElement?.id === 'lessons-open');
  assert.equal(await page.locator('#n-number').inputValue(), '100');
  await page.click('#lessons-open');
  await page.click('#lesson-restore');
  await reaches(page, 'spectral', before, 1e-9);
  // The user's own settings can also be restored directly when the lesson is left.
  await page.click('#lessons-open');
  await page.click('.lesson-pick[data-lesson="mask"]');
  await reaches(page, 'spectral', 12.1275, 5e-5);
  await page.click('#lesson-close');
  await page.click('#lesson-mine');
  await reaches(page, 'spectral', before, 1e-9);
  assert.equal(await page.locator('#n-number').inputValue(), '48');
  assert.equal(await page.locator('#growth-range-1e6').getAttribute('aria-pressed'), 'true');
  assert.ok(await page.locator('#lesson-panel').isHidden());
});

const goal = (page, id) => page.locator(`.goal[data-goal="${id}"]`);
const reached = (page, id) => page.waitForSelector(`.goal[data-goal="${id}"][data-reached="true"]`, { timeout: 30_000 });
/** Waits for words at a goal: some come with a number, after the goal is marked. */
const says = (page, id, words) => page.waitForFunction(
  ([at, source, flags]) => new RegExp(source, flags).test(document.querySelector(at)?.innerText ?? ''),
  [`.goal[data-goal="${id}"]`, words.source, words.flags],
  { timeout: 30_000 },
);

pageTest('tokens are pushed, two goals reached, and the third is found to be impossible', async ({ page }) => {
  await changed(page, 'spectral');
  await startLesson(page, 'lipschitz');
  await filled(page);
  assert.equal(await page.locator('#lesson-next').innerText(), 'Skip');
  const told = page.locator('.lesson-after');
  assert.ok(await told.isHidden());
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await reached(page, 'move');
  assert.ok(await told.isVisible());
  assert.equal(await page.locator('#lesson-next').innerText(), 'Next');
  await page.click('#lesson-next');
  await filled(page);
  // A token stays in the disc, however far it is pulled.
  await page.focus('#token-stage');
  await page.keyboard.press('Home');
  for (let press = 0; press < 16; press += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.waitForTimeout(600);
  await filled(page);
  assert.ok((await value(page, 'radius')) <= 1.5 + 1e-9);
  assert.equal(await goal(page, 'four').getAttribute('data-reached'), 'false');
  await goal(page, 'four').locator('.goal-impossible').click();
  // The sentence stands at the goal that it is about, until the next answer.
  await says(page, 'four', /This goal can be reached\./);
  assert.doesNotMatch(await goal(page, 'ten').innerText(), /can be reached/);
  await goal(page, 'ten').locator('.goal-impossible').click();
  await reached(page, 'ten');
  assert.equal(await page.getByText('This goal can be reached.').count(), 0);
  await says(page, 'ten', /impossible.*it is proved that L ≤ \d/s);
  await page.click('#lesson-show-all');
  assert.ok(await page.getByTestId('lesson-hint').isVisible());
  // Goals that are reached stay reached: the button for the answer reaches the first goal that is not.
  for (const id of ['two', 'four']) {
    if ((await goal(page, id).getAttribute('data-reached')) === 'false') await page.click('#lesson-answer');
    await reached(page, id);
  }
  await reaches(page, 'spectral', 4.4603, 1e-3);
  assert.ok(await page.locator('#lesson-answer').isHidden());
});

pageTest('a slider in the text reaches a goal; after the third try the answer is offered', async ({ page }) => {
  await changed(page, 'spectral');
  await page.goto(`${page.url().split('#')[0]}#v3&lesson=lipschitz.3`);
  await filled(page);
  const slider = page.locator('#lesson-slider-R');
  const before = Number(await slider.inputValue());
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    assert.ok(await page.locator('#lesson-answer').isHidden(), `after ${attempt - 1}`);
    await slider.fill(String(before + attempt));
    await page.waitForTimeout(1500);
  }
  await page.waitForSelector('#lesson-answer:not([hidden])');
  assert.ok(await page.getByTestId('lesson-hint').isVisible());
  await slider.focus();
  await page.keyboard.press('End');
  await reached(page, 'large');
  await page.keyboard.press('Home');
  await reached(page, 'small');
  assert.equal(await value(page, 'spectral') <= 1, true);
  assert.ok(await page.locator('.lesson-after').isVisible());
});

// Playwright's clock is that of a whole context.
pageTest('the hint comes after half a minute', { context: {} }, async ({ page }) => {
  await page.clock.install();
  await page.goto('about:blank');
  await page.goBack();
  await changed(page, 'spectral');
  await startLesson(page, 'jacobian');
  await filled(page);
  assert.ok(await page.getByTestId('lesson-hint').isHidden());
  await page.clock.fastForward(31_000);
  await page.waitForSelector('[data-testid="lesson-hint"]:not([hidden])');
  assert.ok(await page.locator('#lesson-answer').isHidden());
});

pageTest('an answer is chosen before the page shows it, and answered by name', { hash: '#v3&lesson=mask.2' }, async ({ page }) => {
  await filled(page);
  await reaches(page, 'spectral', 2.0504, 5e-5);
  await page.click('.lesson-choice[data-choice="lower"]');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  await page.waitForFunction(() => /The page says/.test(document.querySelector('[data-testid="guess-words"]').textContent));
  assert.equal(await page.getByTestId('guess-words').innerText(), 'You said: It lowers L. The page says: It raises L. Before: L = 2.050.');
  await reached(page, 'seen');
  // The step is done, and the answer was wrong.
  assert.equal(await goal(page, 'seen').getAttribute('data-mark'), 'wrong');
  assert.match(await goal(page, 'seen').innerText(), /^✗.*the page says otherwise/s);
  assert.deepEqual(await page.locator('.lesson-choice').allInnerTexts(), ['✗ It lowers L.', 'It hardly changes L.', '✓ It raises L.']);
  assert.ok(await page.locator('.lesson-choice').first().isDisabled());
});

/** The text of the question, without what stands after the choices. */
const question = (page) => page.$$eval('.lesson-body > p', (paragraphs) => paragraphs.filter((p) => p.checkVisibility()).map((p) => p.innerText).filter((text) => /\d/.test(text)).join(' | '));
const answered = (page) => page.waitForSelector('.goal[data-goal=seen][data-mark=right], .goal[data-goal=seen][data-mark=wrong]', { timeout: 60_000 });

for (const [step, choice] of [['lipschitz.6', 'ball'], ['mask.5', 'little'], ['regime.7', 'little'], ['inverse.4', 'converges'], ['layer-norm.5', 'lower'], ['whole-space.1', 'flat']]) {
  pageTest(`the question of ${step} keeps its numbers; a reset asks it again without conclusion`, { hash: `#v3&lesson=${step}`, timeout: 120_000 }, async ({ page }) => {
    await filled(page);
    const before = await question(page);
    assert.ok(!before.includes('…'), before);
    await page.click(`.lesson-choice[data-choice=${choice}]`);
    await answered(page);
    await filled(page);
    assert.equal(await question(page), before);
    assert.match(await page.getByTestId('guess-words').innerText(), /Before: .*[A-Za-z].*\d/);
    assert.ok(await page.locator('.lesson-after').first().isVisible());
    await page.click('#lesson-again');
    await page.waitForSelector('.goal[data-goal=seen][data-mark=open]');
    assert.equal(await page.locator('.lesson-after:visible').count(), 0);
    assert.equal(await page.getByTestId('guess-words').innerText(), '');
    await filled(page);
    assert.equal(await question(page), before);
  });
}

pageTest('while a search runs there is no number of it, no verdict and no conclusion', { hash: '#v3&lesson=whole-space.5', timeout: 120_000 }, async ({ page }) => {
  await filled(page);
  await page.evaluate(() => {
    window.seen = [];
    const note = () => {
      const mark = document.querySelector('.goal[data-goal=seen]').dataset.mark;
      const conclusion = [...document.querySelectorAll('.lesson-after')].some((text) => text.checkVisibility());
      const next = document.querySelector('#lesson-next').className.includes('skips');
      window.seen.push([mark, conclusion, next].join());
    };
    new MutationObserver(note).observe(document.querySelector('.lesson'), { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await page.click('.lesson-choice[data-choice=between]');
  await answered(page);
  await filled(page);
  const seen = await page.evaluate(() => [...new Set(window.seen)]);
  assert.ok(seen.includes('waiting,false,true'), seen.join(' '));
  assert.ok(!seen.some((state) => /^(open|waiting),true/.test(state)), seen.join(' '));
});

pageTest('keys stay in the lesson: after an answer and after the next step', { hash: '#v3&lesson=jacobian.1' }, async ({ page }) => {
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.dataset.choice);
  await filled(page);
  await page.focus('.lesson-choice[data-choice=lower]');
  await page.keyboard.press('Enter');
  await answered(page);
  assert.equal(await focused(), 'lower');
  // The answer stays.
  await page.focus('.lesson-choice[data-choice=much]');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.lesson-choice[data-choice=much]').getAttribute('aria-pressed'), 'false');
  await page.focus('#lesson-next');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'lesson-heading');
  let tabs = 0;
  while (tabs < 8 && (await focused()) !== 'lesson-slider-R') {
    await page.keyboard.press('Tab');
    tabs += 1;
  }
  assert.ok(tabs < 8, 'the slider of the text is many keys away from the heading');
  await page.focus('#lesson-heading');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'main');
});

pageTest('a conclusion is dimmed where the settings no longer meet its goal', { hash: '#v3&lesson=regime.5' }, async ({ page }) => {
  await filled(page);
  const at = page.locator('#lesson-slider-at');
  const set = (value) => at.evaluate((slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); slider.dispatchEvent(new Event('change', { bubbles: true })); }, value);
  const conclusion = page.locator('.lesson-after');
  await set(2);
  await reached(page, 'near');
  await page.waitForFunction(() => !document.querySelector('.lesson-after').classList.contains('elsewhere'));
  await set(0);
  await page.waitForFunction(() => document.querySelector('.lesson-after').classList.contains('elsewhere'));
  assert.ok(await conclusion.isVisible());
  assert.match(await conclusion.innerText(), /the settings on screen differ/);
  assert.equal(await goal(page, 'near').getAttribute('data-reached'), 'true');
});

pageTest('no two ends of the axis of n are the same', { hash: '#v3&lesson=mask.5' }, async ({ page }) => {
  await filled(page);
  await page.click('.lesson-choice[data-choice=little]');
  await answered(page);
  const ends = (await page.locator('[id^=growth-range-]:visible').allInnerTexts()).map((text) => text.replaceAll(/\s/g, ''));
  assert.equal(new Set(ends).size, ends.length, ends.join(' '));
});

pageTest('on a phone the figure of a step is above its panel', { viewport: PHONE, hash: '' }, async ({ page }) => {
  for (const [step, figure] of [['jacobian.1', 'blocks-map'], ['inverse.1', 'inverse-plot'], ['train.1', 'train-run']]) {
    await page.evaluate((step) => { location.hash = `#v3&lesson=${step}`; }, step);
    await page.waitForFunction((figure) => {
      const seen = document.getElementById(figure)?.getBoundingClientRect();
      const panel = document.querySelector('#lesson-panel')?.getBoundingClientRect();
      return panel && seen?.height > 0 && seen.top >= -1 && seen.top + Math.min(seen.height, 100) <= panel.top;
    }, figure, { timeout: 30_000 });
  }
});

pageTest('on a phone a question is in sight with all its answers, under a part of the plot', { viewport: PHONE, hash: '' }, async ({ page }) => {
  for (const step of ['mask.1', 'mask.2', 'jacobian.1', 'lipschitz.5', 'lipschitz.6', 'layer-norm.2', 'whole-space.5', 'inverse.1', 'inverse.2', 'own.1']) {
    await page.evaluate((step) => { location.hash = `#v3&lesson=${step}`; }, step);
    await page.waitForSelector(`#lesson-panel[data-lesson="${step.split('.')[0]}"][data-step="${step.split('.')[1] - 1}"] .lesson-choice`);
    const seen = await page.evaluate(async () => {
      // The reader scrolls the text until the last answer is there.
      document.querySelector('.lesson-choice:last-child').scrollIntoView({ block: 'end' });
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const body = document.querySelector('.lesson-body').getBoundingClientRect();
      const inside = (element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= body.top - 1 && bottom <= body.bottom + 1;
      };
      const question = [...document.querySelectorAll('.lesson-body > p')].filter((p) => p.checkVisibility() && /\?\s*$/.test(p.textContent)).at(-1);
      const choices = [...document.querySelectorAll('.lesson-choice')];
      return { question: question ? inside(question) : 'none', choices: choices.filter(inside).length, of: choices.length, above: document.querySelector('#lesson-panel').getBoundingClientRect().top };
    });
    assert.deepEqual([seen.question, seen.choices], [true, seen.of], `${step}: ${JSON.stringify(seen)}`);
    assert.ok(seen.above >= 240, `${step}: only ${seen.above} px are left for the plot`);
  }
});

pageTest('a question of one’s own ends in a link to share', { hash: '#v3&lesson=own.2', context: {} }, async ({ page, context, url }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await filled(page);
  await page.click('.lesson-press[data-sets="mask=causal"]');
  await reached(page, 'asked');
  await page.click('#lesson-copy');
  await reached(page, 'shared');
  const link = await page.locator('#lesson-link').inputValue();
  assert.ok(link.startsWith(url) && !link.includes('lesson') && link.includes('mask=causal'), link);
  const here = await value(page, 'spectral');
  await page.goto('about:blank');
  await page.goto(link);
  await reaches(page, 'spectral', here, 0);
});

for (const unknown of ['foo.9', 'sink.60']) {
  pageTest(`a link to ${unknown} is answered with a sentence`, { hash: `#v3&lesson=${unknown}&n=12` }, async ({ page }) => {
    await page.waitForSelector('.link-problem .problem:not([hidden])');
    assert.match(await page.locator('.link-problem').innerText(), new RegExp(`“${unknown}”`));
    await page.waitForFunction(() => document.querySelector('[data-testid="n"]').dataset.value === '12');
    assert.equal(await page.locator('.lesson:not([hidden])').count(), 0);
  });
}

pageTest('the name of a step in the address sets the page to it, and what differs from it is told', { hash: '#v3&lesson=mask.2' }, async ({ page, url }) => {
  await reaches(page, 'spectral', 2.0504, 5e-5);
  assert.deepEqual(await at(page), ['mask', '1']);
  await filled(page);
  await page.click('.sheet-handle');
  await page.selectOption('#mask', 'causal');
  await reaches(page, 'spectral', 5.3135, 5e-5);
  const link = '#v3&lesson=mask.2&mask=causal';
  await page.waitForFunction((link) => location.hash === link, link);
  await page.goto('about:blank');
  await page.goto(url + link);
  await reaches(page, 'spectral', 5.3135, 5e-5);
  assert.deepEqual(await at(page), ['mask', '1']);
});

pageTest('axe-core finds nothing in any lesson', { reducedMotion: 'reduce', timeout: 240_000 }, async ({ page }) => {
  const look = async (where) => assert.deepEqual(await inBothSchemes(page), [], where);
  await changed(page, 'spectral');
  await page.click('#lessons-open');
  await look('the list');
  for (const id of LESSONS) {
    await page.click(`.lesson-pick[data-lesson="${id}"]`);
    // Where something is to be guessed, the page is checked with the answer covered and revealed.
    if (await page.locator('#guess-reveal').count()) {
      await look(`${id}, covered`);
      await page.click('#guess-reveal');
    }
    await filled(page);
    await look(id);
    await page.click('#lesson-list');
  }
  await look('the list, with lessons begun');
  await page.click('.lesson-pick[data-lesson="sink"]');
  await page.keyboard.press('t');
  await look('the teacher’s view');
});

pageTest('two models are trained in a lesson, and both are run backwards', { timeout: 600_000, hash: '#v3&lesson=train.1' }, async ({ page }) => {
  const long = { timeout: 280_000 };
  const isReached = (id) => page.waitForSelector(`.goal[data-goal="${id}"][data-reached="true"]`, { state: 'attached', ...long });
  const said = (place) => page.locator(`.lesson .slot[data-slot="${place}"]`).first().getAttribute('data-value').then(Number);
  await page.waitForSelector('#train-run:visible', long);
  const small = { blocks: '2', width: '16', heads: '2', context: '16', batch: '4', steps: '120', every: '20' };
  for (const [name, words] of Object.entries(small)) {
    await reveal(page, `#train-${name}`);
    await page.fill(`#train-${name}`, words);
  }
  await page.click('#train-run');
  await isReached('trained');
  assert.ok((await said('trained-loss dot')) < Math.log(66) && (await said('trained-step dot')) >= 40);
  await page.click('#lesson-next');
  await page.click('#train-show-dot');
  await isReached('grown');
  assert.ok((await said('trained-norm dot')) > (await said('trained-first dot')));
  await page.click('#lesson-next');
  for (const [kind, goal] of [['invertible', 'back'], ['dot', 'tried']]) {
    await page.click(`#train-show-${kind}`);
    await page.waitForSelector('#train-backwards-run:not([disabled])', long);
    await page.click('#train-backwards-run');
    await isReached(goal);
    if (kind === 'invertible') {
      assert.equal(await said('trained-back invertible'), await said('trained-sent invertible'));
      await page.click('#lesson-next');
    }
  }
  assert.ok((await said('trained-sent dot')) > 0);
});
