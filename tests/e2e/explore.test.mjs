// The opening view: one question, a disc, a sentence, a plot, and few controls that act on all of them.
import assert from 'node:assert/strict';
import { DESKTOP, faults, inBothSchemes, measureOnCommandLine, pageTest, PHONE } from './browser.mjs';
import { changed, digits, saved, show, still, swept, twoFramesAfterAnEdit, type, value } from './reading.mjs';

const OPENING = { hash: '', reducedMotion: 'reduce' };

/** Waits until numbers, bounds and sentence belong together; gives the sentence. */
async function settled(page) {
  await page.waitForFunction(() => {
    const sentence = document.querySelector('[data-testid=sentence]');
    return sentence?.ariaBusy === 'false' && sentence.dataset.best !== undefined && document.querySelector('[data-testid=explore-norm]')?.dataset.value;
  });
  return (await page.locator('.sentence > p').allInnerTexts()).join(' ');
}

/** The numbers of the sentence, with all digits. */
const facts = (page) => page.locator('[data-testid=sentence]').evaluate(({ dataset: { worst, best, limit } }) => ({ worst: Number(worst), best: Number(best), limit: Number(limit) }));

/** Does something and waits until the number has changed and all is settled again. */
async function after(page, act) {
  const before = await digits(page, 'explore-norm');
  await act();
  await page.waitForFunction((before) => document.querySelector('[data-testid=explore-norm]').dataset.value !== before, before);
  return settled(page);
}

pageTest('the first screen has one question, few controls and few numbers', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  const seen = await page.evaluate(() => {
    const inSight = (element) => element.checkVisibility({ contentVisibilityAuto: true }) && [...element.getClientRects()].some(({ top, bottom, width }) => width > 1 && top < innerHeight && bottom > 0);
    const controls = [...document.querySelectorAll('main :is(button, input, select, summary, textarea, a:not(.theory))')].filter(inSight);
    // The link to a proof is a reference. A switch is one control, and so are the box and the slider of one number.
    const groups = new Set(controls.map((control) => control.closest('.quick-switch, .field') ?? control));
    const texts = [];
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement.checkVisibility() && !node.parentElement.closest('.sr-only') && inSight(node.parentElement)) texts.push(node.data);
    }
    const boxes = controls.filter(({ tagName, type }) => tagName === 'INPUT' && type === 'text').map((box) => box.value);
    return { controls: [...groups].map((control) => control.id || control.className), numbers: [...texts, ...boxes].join(' ').match(/\d[\d.,]*/g) ?? [] };
  });
  assert.ok(seen.controls.length <= 12, `${seen.controls.length} controls: ${seen.controls.join(', ')}`);
  assert.ok(seen.numbers.length <= 12, `${seen.numbers.length} numbers: ${seen.numbers.join(', ')}`);
  assert.equal(await page.locator('#question').innerText(), 'How much can self-attention magnify a small change of its tokens?');
});

pageTest('the sentence, the table and the command line say the same', OPENING, async ({ page }) => {
  const sentence = await settled(page);
  const { worst, best, limit } = await facts(page);
  const measured = await value(page, 'explore-norm');
  const said = sentence.match(/^Nudge these 12 tokens a little, and the outputs move up to (\d\.\d{2}) times as far\. For the worst 12 tokens known in this disc it is (\d\.\d{2}) times\./);
  assert.ok(said, sentence);
  assert.equal(said[1], measured.toFixed(2));
  // Rounded to the side on which the sentence holds.
  assert.ok(Number(said[2]) <= worst && Number(said[2]) > worst - 1e-2, `${said[2]} for ${worst}`);
  assert.ok(measured < worst && worst <= best && best <= limit, JSON.stringify({ measured, worst, best, limit }));
  for (const [row, expected] of Object.entries({ measured, root: Math.sqrt(12), worst, best })) assert.equal(await value(page, `explore-${row}`), expected, row);
  assert.ok(Math.abs((await value(page, 'explore-mean-field')) - 697.63) < 0.01);
  const file = JSON.parse(await saved(page, '#export-explore [data-export=json]'));
  assert.deepEqual(file.tokens, { source: 'random', distribution: 'ball', n: 12, d: 2, radius: 1.5, seed: 0 });
  const { lines, stderr } = await measureOnCommandLine(file);
  assert.ok(Math.abs(measured / lines[0].spectral - 1) < 1e-9, stderr);
});

pageTest('n, R, mask and normaliser change number, sentence and table at once', OPENING, async ({ page }) => {
  await settled(page);
  const acts = [
    () => type(page, 'quick-n-number', '20'),
    () => type(page, 'quick-radius-number', '2.5'),
    () => page.click('#quick-mask-causal'),
    () => page.click('#quick-norm-rms'),
    () => page.click('#new-sample'),
  ];
  for (const act of acts) {
    const sentence = await after(page, act);
    assert.match(sentence, /these 20 tokens/);
    const measured = await value(page, 'explore-norm');
    assert.equal(await value(page, 'explore-measured'), measured);
    const { best } = await facts(page);
    assert.ok(best > measured, `${best} is no bound on ${measured}`);
    const { lines } = await measureOnCommandLine(JSON.parse(await saved(page, '#export-explore [data-export=json]')));
    assert.ok(Math.abs(measured / lines[0].spectral - 1) < 1e-9);
    // The fold with the files lies over the controls.
    await page.keyboard.press('Escape');
  }
});

pageTest('the worst tokens known follow n and R', OPENING, async ({ page }) => {
  await settled(page);
  await after(page, () => page.click('#quick-worst'));
  for (const act of [async () => {}, () => type(page, 'quick-n-number', '200'), () => type(page, 'quick-radius-number', '2')]) {
    await act();
    await settled(page);
    await page.waitForFunction(() => {
      const [norm, worst] = [document.querySelector('[data-testid=explore-norm]').dataset.value, document.querySelector('[data-testid=sentence]').dataset.worst];
      return Math.abs(norm / worst - 1) < 1e-6;
    });
  }
  assert.match(await settled(page), /No worse tokens are known\./);
  const file = JSON.parse(await saved(page, '#export-explore [data-export=json]'));
  assert.equal(file.tokens.source, 'clusters');
  // A link to them is a link to the worst of this ball.
  assert.match(new URL(page.url()).hash, /^#v3&tokens=worst/);
});

pageTest('"random" keeps the distribution that the reader chose', { ...OPENING, hash: '#v3&tokens=gaussian' }, async ({ page }) => {
  await settled(page);
  const random = await digits(page, 'explore-norm');
  await after(page, () => page.click('#quick-worst'));
  await after(page, () => page.click('#quick-random'));
  assert.equal(await digits(page, 'explore-norm'), random);
  // The pressed button changes nothing; n is changed so that the address is written after the press.
  await page.click('#quick-random');
  await after(page, () => type(page, 'quick-n-number', '32'));
  await page.waitForFunction(() => /n=32/.test(location.hash));
  assert.equal(new URL(page.url()).hash, '#v3&tokens=gaussian&n=32');
});

pageTest('under the causal mask the worst tokens are a list, and their number is the one that the sentence says', { ...OPENING, hash: '#v3&tokens=worst' }, async ({ page }) => {
  await settled(page);
  await after(page, () => page.click('#quick-mask-causal'));
  assert.equal(await page.locator('#quick-worst').getAttribute('aria-pressed'), 'true');
  assert.match(await settled(page), /No worse tokens are known\./);
  assert.equal(JSON.parse(await saved(page, '#export-explore [data-export=json]')).tokens.source, 'explicit');
});

pageTest('where no tokens are tried the disc shows those of fewer, with others behind them', { ...OPENING, hash: '#v3&tokens=worst&steps=llama&n=2048' }, async ({ page }) => {
  await page.waitForSelector('#quick-worst[aria-pressed=true]');
  assert.match(await settled(page), /At this size no others were tried, so there may be worse ones\./);
  assert.equal(await page.locator('.quick-away:visible').count(), 0);
});

pageTest('a link to the worst tokens has those whose number the sentence says, and n and R keep them', { ...OPENING, hash: '#v3&normalization=rms&scope=composed&tokens=worst' }, async ({ page }) => {
  await settled(page);
  await swept(page);
  for (const act of [async () => {}, () => type(page, 'quick-n-number', '57'), () => type(page, 'quick-radius-number', '1.2')]) {
    await act();
    await page.waitForFunction(() => {
      const [norm, worst] = [document.querySelector('[data-testid=explore-norm]').dataset.value, document.querySelector('[data-testid=sentence]').dataset.worst];
      return Math.abs(norm / worst - 1) < 1e-6;
    });
    await page.waitForSelector('#quick-worst[aria-pressed=true]');
    assert.match(await settled(page), /No worse tokens are known\./);
  }
});

pageTest('a reload keeps the worst tokens that the page has found', { ...OPENING, hash: '#v3&n=40&attention=cosine&d=4&weights=random' }, async ({ page }) => {
  await settled(page);
  await swept(page);
  await after(page, () => page.click('#quick-worst'));
  await page.waitForFunction(() => /moved-from=worst/.test(location.hash));
  // Tokens that are still carried here may raise the number, and the address follows it.
  let before = '';
  for (let now = await digits(page, 'explore-norm'); now !== before; now = await digits(page, 'explore-norm')) {
    before = now;
    await page.waitForTimeout(3000);
  }
  await page.reload();
  await settled(page);
  const found = await digits(page, 'explore-norm');
  assert.ok(Number(found) >= Number(before) * (1 - 1e-9), `${found} after ${before}`);
  assert.equal(await page.locator('#quick-worst').getAttribute('aria-pressed'), 'true');
});

pageTest('with the steps of a model the button loads the tokens whose number the sentence says, and random brings the sample back', { ...OPENING, hash: '#v3&steps=llama' }, async ({ page }) => {
  const [first, sentence] = [await digits(page, 'explore-norm'), await settled(page)];
  assert.match(sentence, /For the worst 64 tokens known in this disc it is/);
  const worst = Number(await page.getByTestId('sentence').getAttribute('data-worst'));
  assert.ok(worst > 9.1 && worst > 2 * Number(first), `${worst} from ${first}`);
  await after(page, () => page.click('#quick-worst'));
  assert.ok(Number(await digits(page, 'explore-norm')) >= worst * (1 - 1e-9));
  assert.match(await settled(page), /No worse tokens are known\./);
  await after(page, () => page.click('#quick-random'));
  assert.equal(await digits(page, 'explore-norm'), first);
});

pageTest('the button loads the tokens whose number the sentence says', { ...OPENING, hash: '#v3&mask=causal&weights=random&n=8' }, async ({ page }) => {
  await settled(page);
  await swept(page);
  const worst = Number(await page.getByTestId('sentence').getAttribute('data-worst'));
  await after(page, () => page.click('#quick-worst'));
  assert.ok(Number(await digits(page, 'explore-norm')) >= worst * (1 - 1e-9));
  assert.match(await settled(page), /No worse tokens are known\./);
});

pageTest('a token that is dragged makes the tokens yours', OPENING, async ({ page }) => {
  await settled(page);
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  const at = await page.waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
  const [x, y] = (await at.jsonValue()).split(' ').map(Number);
  const box = await still(page, '#explore-plane');
  await after(page, async () => {
    await page.mouse.move(box.x + x, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + x + 18, box.y + y - 12, { steps: 4 });
    await page.mouse.up();
  });
  assert.equal(await page.locator('#quick-yours').getAttribute('aria-pressed'), 'true');
  assert.match(await page.locator('.quick-away:visible').innerText(), /^moved; a new n or sample/);
  // No control vanishes under the hand, R stays what it was, and so do the axes.
  for (const id of ['quick-n', 'quick-radius', 'new-sample', 'quick-mask-causal']) assert.ok(await page.locator(`#${id}`).isVisible(), id);
  assert.equal(await page.locator('#quick-radius-number').inputValue(), '1.5');
  assert.ok((await saved(page, '#export-explore [data-export=svg]')).includes('\n256\n'), 'the axis ends before n = 256');
  await page.goBack();
  await page.waitForSelector('#quick-random[aria-pressed=true]');
  assert.equal(await page.locator('.quick-away:visible').count(), 0);
});

pageTest('a drag of the worst tokens is one step of undo, however many movements it has', { ...OPENING, hash: '#v3' }, async ({ page }) => {
  await settled(page);
  await after(page, () => page.click('#quick-worst'));
  const worst = await digits(page, 'explore-norm');
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  const at = await page.waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
  const [x, y] = (await at.jsonValue()).split(' ').map(Number);
  const box = await still(page, '#explore-plane');
  const entries = await page.evaluate(() => history.length);
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  for (let step = 1; step <= 6; step += 1) {
    const before = await digits(page, 'explore-norm');
    await page.mouse.move(box.x + x + 6 * step, box.y + y + 4 * step);
    await page.waitForFunction((before) => document.querySelector('[data-testid=explore-norm]').dataset.value !== before, before);
  }
  await page.mouse.up();
  await page.waitForSelector('#quick-yours[aria-pressed=true]');
  assert.match(await page.locator('.quick-away:visible').innerText(), /^moved; a new n or sample/);
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  await page.click('#quick-random');
  await page.waitForSelector('#quick-random[aria-pressed=true]');
  // One undo returns to the dragged tokens, one more to the worst tokens.
  await page.click('#undo');
  await page.waitForSelector('#quick-yours[aria-pressed=true]');
  await page.click('#undo');
  await page.waitForSelector('#quick-worst[aria-pressed=true]');
  await page.waitForFunction((worst) => document.querySelector('[data-testid=explore-norm]').dataset.value === worst, worst);
});

pageTest('n and a new sample draw the tokens anew that were moved by hand', OPENING, async ({ page }) => {
  await settled(page);
  for (const act of [() => page.click('#new-sample'), () => type(page, 'quick-n-number', '20')]) {
    await page.focus('#explore-plane');
    await page.keyboard.press('Home');
    await after(page, () => page.keyboard.press('Shift+ArrowLeft'));
    assert.equal(await page.locator('#quick-yours').getAttribute('aria-pressed'), 'true');
    await after(page, act);
    assert.equal(await page.locator('#quick-random').getAttribute('aria-pressed'), 'true');
  }
});

pageTest('the picture says how many tokens and outputs lie at one place', OPENING, async ({ page }) => {
  await settled(page);
  await after(page, () => page.click('#quick-worst'));
  assert.match(await page.locator('#explore-plane').getAttribute('aria-label'), /Up to 11 tokens and 11 outputs lie at one place\./);
  assert.match(await page.locator('[data-testid=crowd-legend]').innerText(), /^11 equal arrows at one place/);
  await page.click('#explore-tokens');
  await page.click('#plane-pair');
  await page.waitForFunction(() => /σ = L/.test(document.querySelector('[data-testid=plane-legend]').innerText));
  const svg = await saved(page, '#export-tokens-stage [data-export=svg]');
  for (const label of ['11 outputs here', '1 output']) assert.ok(svg.includes(`\n${label}\n`), label);
  await page.click('#view-explore');
  await after(page, () => page.click('#quick-random'));
  assert.ok(await page.locator('[data-testid=crowd-legend]').isHidden());
});

pageTest('a pinned state keeps its number and its curves while another is moved', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  const first = await digits(page, 'explore-norm');
  await page.click('#pin-state');
  const pin = page.locator('[data-testid=pin-1]');
  const L = Number(first).toPrecision(4);
  assert.equal(await pin.innerText(), `1: as now, L = ${L}`);
  await after(page, () => type(page, 'quick-radius-number', '2'));
  assert.equal(await pin.innerText(), `1: R = 1.5, L = ${L}`);
  assert.equal(await pin.getAttribute('data-value'), first);
  await swept(page);
  const csv = await saved(page, '#export-explore [data-export=csv]');
  for (const series of ['pin-1-mean', 'pin-1-best', 'pin-1-here']) assert.match(csv, new RegExp(`^${series},`, 'm'));
  for (let pins = 2; pins <= 3; pins += 1) await page.click('#pin-state');
  assert.ok(await page.locator('#pin-state').isDisabled(), 'three are the most');
  // By the keyboard: away with two, and back to the first.
  for (let left = 2; left >= 1; left -= 1) {
    await page.locator('[data-testid=pins] .pin-remove:visible').last().press('Enter');
    await page.waitForFunction((left) => [...document.querySelectorAll('[data-testid=pins] li')].filter((line) => line.checkVisibility()).length === left, left);
    await page.waitForFunction(() => document.activeElement.id === 'pin-state');
  }
  await after(page, () => pin.press('Enter'));
  assert.equal(await digits(page, 'explore-norm'), first);
  assert.equal(await page.locator('#quick-radius-number').inputValue(), '1.5');
});

pageTest('the attention that is shown is said, and one press changes the sign of A', OPENING, async ({ page }) => {
  await settled(page);
  assert.match(await page.getByTestId('attention-line').innerText(), /A = −I, V = I/);
  await after(page, () => page.click('#other-sign'));
  assert.match(await page.getByTestId('attention-line').innerText(), /A = I, V = I/);
  assert.ok(await page.getByText('more below').isVisible());
  await page.click('#why summary');
  // On a busy machine the details open a moment after the click.
  for (const words of [/^√n: /, /^Mean-field: /, /^A and V: /]) await page.locator('#why p').filter({ hasText: words }).waitFor();
});

pageTest('on the phone the disc is wide enough for a finger', { ...OPENING, viewport: PHONE }, async ({ page }) => {
  await settled(page);
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  const place = async () => {
    await page.waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
    return Number((await page.locator('#explore-plane').getAttribute('data-at')).split(' ')[0]);
  };
  // Ten steps of 0.02 R are a tenth of the disc, which had 115 px and has more than 160 px.
  const before = await place();
  for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight');
  await page.waitForFunction((before) => Number(document.querySelector('#explore-plane').dataset.at.split(' ')[0]) - before > 15, before);
});

pageTest('nothing of an earlier state is shown undimmed', OPENING, async ({ page }) => {
  await settled(page);
  await page.waitForSelector('.numbers');
  await type(page, 'quick-n-number', '4096');
  await page.waitForSelector('.headline.stale');
  // A picture fades after a tenth of a second, since a moving slider would make it flicker.
  const undimmed = await page.evaluate(() => new Promise((done) => setTimeout(() => {
    const isSeen = (part) => part.checkVisibility({ contentVisibilityAuto: true }) && part.getClientRects().length > 0;
    const opacity = (part) => part ? Number(getComputedStyle(part).opacity) * opacity(part.parentElement) : 1;
    // These two fade their series one by one, which tests of the charts hold.
    const pictures = [...document.querySelectorAll('main canvas:not(#explore-plot, #growth-plot)')].filter(isSeen);
    const numbers = [...document.querySelectorAll('main [data-testid][data-value]:not([data-value=""])')].filter(isSeen);
    done({
      isStale: document.querySelector('.headline').classList.contains('stale'),
      seen: [pictures.length, numbers.length],
      undimmed: [...pictures.filter((part) => opacity(part) > 0.5), ...numbers.filter((part) => !part.closest('.stale, .sr-only'))].map((part) => part.id || part.dataset.testid),
    });
  }, 250)));
  assert.ok(undimmed.isStale, 'the number came too soon to see anything');
  assert.ok(undimmed.seen[0] >= 4 && undimmed.seen[1] >= 5, JSON.stringify(undimmed));
  assert.deepEqual(undimmed.undimmed, []);
});

/** Where the tokens of the page lie, as its file has them: null where they are drawn at random or the worst known. */
const rowsOf = async (page) => JSON.parse(await saved(page, '#export-explore [data-export=json]')).tokens;

pageTest('one press moves the tokens to the worst known, measured on the way, and one press back', { hash: '' }, async ({ page }) => {
  await settled(page);
  await page.waitForSelector('#find-worst:not([aria-disabled=true])');
  const [first, { worst }] = [await digits(page, 'explore-norm'), await facts(page)];
  const entries = await page.evaluate(() => history.length);
  const climb = await page.evaluate((worst) => new Promise((resolve) => {
    const number = document.querySelector('[data-testid=explore-norm]');
    const seen = [];
    new MutationObserver(() => {
      seen.push(Number(number.dataset.value));
      if (Math.abs(seen.at(-1) / worst - 1) < 1e-9) setTimeout(() => resolve(seen), 100);
    }).observe(number, { attributes: true });
    document.querySelector('#find-worst').click();
  }), worst);
  assert.ok(climb.length > 4, `${climb.length} numbers on the way`);
  assert.ok(Math.abs(climb.at(-1) / worst - 1) < 1e-9, `${climb.at(-1)} for ${worst}`);
  await page.waitForFunction(() => document.querySelector('#find-worst').textContent.startsWith('Back'));
  assert.match(await settled(page), /No worse tokens are known\./);
  // One step of undo, however many pictures there were.
  assert.equal(await page.evaluate(() => history.length), entries + 1);
  assert.equal((await rowsOf(page)).source, 'clusters');
  await page.keyboard.press('Escape');
  await page.click('#find-worst');
  await page.waitForFunction((first) => document.querySelector('[data-testid=explore-norm]').dataset.value === first, first);
  assert.equal((await rowsOf(page)).source, 'random');
});

pageTest('with reduced motion the worst tokens are there at once, and where there are none the button says so', OPENING, async ({ page }) => {
  await settled(page);
  await after(page, () => page.click('#find-worst'));
  assert.match(await settled(page), /No worse tokens are known\./);
  await after(page, () => page.click('#find-worst'));
  await after(page, () => page.click('#new-sample'));
  await after(page, () => page.click('#quick-worst'));
  // Nothing leads back from what this button has not done.
  assert.equal(await page.locator('#find-worst').getAttribute('aria-disabled'), 'true');
  assert.equal(await page.locator('#find-worst').getAttribute('title'), 'These are the worst tokens known');
});

pageTest('at rest the largest arrows are drawn, and all under the pointer', OPENING, async ({ page }) => {
  await settled(page);
  await page.mouse.move(2, 2);
  const rest = await page.locator('#explore-plane').screenshot();
  const box = await still(page, '#explore-plane');
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.waitForTimeout(200);
  const pointed = await page.locator('#explore-plane').screenshot();
  assert.ok(!rest.equals(pointed), 'no further arrow under the pointer');
  await page.mouse.move(2, 2);
  await page.waitForTimeout(200);
  assert.ok(rest.equals(await page.locator('#explore-plane').screenshot()), 'the arrows stay after the pointer has left');
});

pageTest('a token that is dragged over the rim stays on it, and the slider of R where it is', OPENING, async ({ page }) => {
  await settled(page);
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  const at = await page.waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
  const [x, y] = (await at.jsonValue()).split(' ').map(Number);
  const box = await still(page, '#explore-plane');
  const slider = () => page.locator('#quick-radius').inputValue();
  const before = await slider();
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await page.waitForSelector('#quick-yours[aria-pressed=true]');
  assert.equal(await page.locator('#quick-radius-number').inputValue(), '1.5');
  assert.equal(await slider(), before);
  const { rows } = await rowsOf(page);
  const largest = Math.max(...rows.map((row) => Math.hypot(...row)));
  assert.ok(Math.abs(largest / 1.5 - 1) < 1e-12, `${largest}`);
});

pageTest('a token that is moved out of the disc takes R along', OPENING, async ({ page }) => {
  await settled(page);
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  // The token leaves the disc: R grows, and texts at the disc and at the control of R say so.
  for (let step = 0; step < 24; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.waitForSelector('#quick-yours[aria-pressed=true]');
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=radius]')?.dataset.value) > 1.6);
  assert.ok(Number(await page.locator('#quick-radius-number').inputValue()) > 1.6);
  const svg = await saved(page, '#export-tokens [data-export=svg]');
  assert.match(svg, /R = [\d.]+ \(farthest\)/);
});

for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
  pageTest(`a number that cannot be is answered at its box, in sight (${name})`, { ...OPENING, viewport }, async ({ page }) => {
    await settled(page);
    for (const id of ['quick-n', 'quick-radius']) {
      await type(page, `${id}-number`, 'abc');
      const sentence = page.locator(`#${id}-problem`);
      await sentence.waitFor();
      assert.equal(await page.locator(`#${id}-number`).getAttribute('aria-describedby'), `${id}-problem`);
      const [said, box] = [await sentence.boundingBox(), await page.locator(`#${id}-number`).boundingBox()];
      assert.ok(said.y >= 0 && said.y + said.height <= viewport.height && said.x >= 0 && said.x + said.width <= viewport.width, JSON.stringify(said));
      const apart = Math.max(box.y - said.y - said.height, said.y - box.y - box.height);
      assert.ok(apart >= 0 && apart < 24, `${apart} px from its box`);
      await page.keyboard.press('Escape');
      await sentence.waitFor({ state: 'hidden' });
    }
  });
}

pageTest('a number is taken when it is typed, not digit by digit', OPENING, async ({ page }) => {
  await settled(page);
  const seen = await page.evaluate(() => new Promise((resolve) => {
    const sentence = document.querySelector('.sentence > p');
    const said = [];
    new MutationObserver(() => {
      said.push(sentence.textContent.match(/these (\d+) tokens/)[1]);
      if (said.at(-1) === '200') resolve(said);
    }).observe(sentence, { subtree: true, childList: true, characterData: true });
    const box = document.querySelector('#quick-n-number');
    box.focus();
    for (const words of ['2', '20', '200']) {
      box.value = words;
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }));
  assert.ok(!seen.includes('20'), seen.join(', '));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash === '#v3&n=200');
  await page.click('#undo');
  await page.waitForFunction(() => location.hash === '' && document.querySelector('#quick-n-number').value === '12');
});

pageTest('at large n a line says why there are no arrows', { ...OPENING, hash: '#v3&n=300' }, async ({ page }) => {
  await settled(page);
  assert.match(await page.getByTestId('no-arrows').innerText(), /at most 256 tokens/);
});

pageTest('the phone\u2019s first screen has the sentence, the number, the disc and the plot, and Escape closes the sheet', { ...OPENING, viewport: PHONE }, async ({ page }) => {
  await settled(page);
  const foot = (await page.locator('.quick-place').boundingBox()).y;
  for (const id of ['.said', '.headline', '#explore-plane', '#find-worst', '#explore-plot']) {
    const box = await page.locator(id).boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= foot, `${id}: ${JSON.stringify(box)} over ${foot}`);
  }
  assert.ok((await page.locator('#explore-plane').boundingBox()).height > 180);
  await page.click('#more-controls');
  await page.waitForSelector('#preset');
  await page.keyboard.press('Escape');
  await page.waitForSelector('#more-controls[aria-expanded=false]');
  assert.ok(await page.locator('#preset').isHidden());
});

for (const [width, height, hash] of [[1005, 760, ''], [1220, 760, ''], [1240, 760, ''], [1339, 760, ''], [1340, 760, ''], [1280, 720, ''], [1280, 720, '#v3&view=teacher'], [720, 900, '']]) {
  pageTest(`nothing in the head or the main controls is cut at ${width} x ${height} ${hash}`, { ...OPENING, viewport: { width, height }, hash }, async ({ page }) => {
    await settled(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll('header > :not(.head-rest, dialog), .head-rest > *, .quick button, .quick .field')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => {
        const { left, right, bottom } = element.getBoundingClientRect();
        return left < 0 || right > innerWidth || element.scrollWidth > element.clientWidth + 1 || (innerWidth > 860 && bottom > innerHeight);
      })
      .map((element) => element.id || element.className || element.tagName));
    assert.deepEqual(cut, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
}

pageTest('what the head has no room for is behind one button', { ...OPENING, viewport: { width: 1005, height: 760 } }, async ({ page }) => {
  await settled(page);
  assert.ok(await page.locator('#language').isHidden());
  await page.click('#head-more');
  await page.waitForSelector('#language', { state: 'visible' });
  assert.deepEqual(await faults(page), []);
  await page.keyboard.press('Escape');
  await page.waitForSelector('#language', { state: 'hidden' });
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  assert.ok(await page.locator('#keys').isVisible());
});

pageTest('a curve has one name in plot, readout, table and list', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  const names = ['best bound (ours)', 'worst tokens known', 'mean-field [C]'];
  const svg = await saved(page, '#export-explore [data-export=svg]');
  await page.keyboard.press('Escape');
  await page.focus('#explore-plot');
  await page.keyboard.press('End');
  const readout = await page.getByTestId('explore-readout').innerText();
  const table = await page.locator('#explore-table').textContent();
  for (const name of names) assert.ok([svg, readout, table].every((where) => where.includes(name)), `${name}: ${readout}`);
  assert.match(readout, /mean of 8 samples [\d.]+ \(least [\d.]+, greatest [\d.]+\)/);
  await show(page, 'growth');
  const list = page.locator('.growth-list');
  await page.waitForFunction(() => document.querySelector('[data-testid=growth-sharp]')?.dataset.value);
  for (const name of names) assert.ok((await list.innerText()).includes(name), name);
  // The measured norms are those of these tokens at their n, and of samples elsewhere.
  assert.match(await list.innerText(), /these tokens/);
  await page.focus('#growth-plot');
  await page.keyboard.press('End');
  await page.waitForFunction(() => /largest of 8 samples/.test(document.querySelector('.growth-list').textContent));
});

pageTest('what does not apply is named with its reason', { ...OPENING, hash: '#v3&mask=causal' }, async ({ page }) => {
  await settled(page);
  assert.match(await page.getByTestId('explore-absent').innerText(), /mean-field \[C\]: not proved for the causal mask/);
  assert.equal(await page.getByTestId('explore-mean-field').count(), 0);
});

pageTest('tokens are called the worst known only where nothing that the page knows is worse', { ...OPENING, hash: '#v3&mask=causal' }, async ({ page }) => {
  await settled(page);
  await swept(page);
  for (const act of [async () => {}, () => page.click('#new-sample'), () => type(page, 'quick-n-number', '8')]) {
    await act();
    const sentence = await settled(page);
    // The page knows no worst tokens under the mask, and says so at the switch.
    assert.doesNotMatch(sentence, /No worse tokens/);
    assert.match(sentence, /For the worst \d+ tokens known in this disc it is/);
  }
});

pageTest('with n past the sweep the curves reach n, and a line says where the samples end', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  assert.doesNotMatch(await page.getByTestId('explore-absent').textContent(), /up to n/);
  await after(page, () => type(page, 'quick-n-number', '3756'));
  assert.match(await page.getByTestId('explore-absent').innerText(), /mean of 8 samples: up to n = 256; set by “Up to n” under “More”/);
  // The table of the plot has the bounds past n, and the samples that were measured before.
  await page.waitForFunction(() => document.querySelector('.page').dataset.sweep === 'done');
  const rows = (await saved(page, '#export-explore [data-export=csv]')).trim().split('\n').map((line) => line.split(','));
  const lengths = (name) => rows.filter(([, label]) => label.startsWith(name)).map(([, , n]) => Number(n));
  for (const name of ['best bound', 'worst tokens known', 'mean-field']) assert.ok(Math.max(...lengths(name)) >= 3756, name);
  assert.equal(Math.max(...lengths('mean of 8 samples')), 256);
});

for (const viewport of [DESKTOP, { width: 1280, height: 720 }]) {
  pageTest(`why it matters is on the first screen at ${viewport.width} x ${viewport.height}`, { ...OPENING, viewport }, async ({ page }) => {
    await settled(page);
    const [why, quick] = [await page.locator('#why summary').boundingBox(), await page.locator('.quick-place').boundingBox()];
    assert.ok(why.y >= 0 && why.y + why.height <= Math.min(quick.y, viewport.height), JSON.stringify({ why, quick }));
  });
}

pageTest('the open panel is closed by the button at its top, wherever it is scrolled to', { ...OPENING, viewport: { width: 1280, height: 720 } }, async ({ page }) => {
  await settled(page);
  await page.click('#more-controls');
  await page.waitForSelector('#preset');
  await page.locator('#control-list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  const [less, panel] = [await page.locator('.sheet-handle').boundingBox(), await page.locator('#controls').boundingBox()];
  assert.equal(await page.locator('.sheet-handle').innerText(), 'Less');
  assert.ok(less.y - panel.y < 4, JSON.stringify({ less, panel }));
  await page.click('.sheet-handle');
  await page.waitForSelector('#more-controls[aria-expanded=false]');
  await page.waitForFunction(() => document.activeElement.id === 'more-controls');
});

pageTest('the names in the plot and the moving arrows are explained beside them', { hash: '' }, async ({ page }) => {
  await settled(page);
  await page.locator('.explore-plot .theory').waitFor();
  assert.match(await page.locator('.explore-plot figcaption').innerText(), /\[C\]: Castin, Ablin, Peyré; ours: Statement and proof/);
  assert.equal(await page.getByTestId('swing-legend').innerText(), 'animated: both move along their arrows and back');
});

pageTest('a place where the growth ends past every number is written with its power of ten', { ...OPENING, hash: '#v3&R=66' }, async ({ page }) => {
  // The best bound grows at every n in the range of f64. Its limit is far below the mean-field bound, which is about its square.
  assert.match(await settled(page), /ends by n ≈ \d\.\d × 10[⁰¹²³⁴⁵⁶⁷⁸⁹]{4}; no number of tokens exceeds 1\.74 × 10¹⁸⁹⁵\./);
});

pageTest('LayerNorm in two dimensions says that it collapses the disc, and offers more', OPENING, async ({ page }) => {
  await settled(page);
  assert.ok(await page.getByTestId('collapse-note').isHidden());
  await after(page, () => page.click('#quick-norm-layer'));
  assert.match(await page.getByTestId('collapse-note').innerText(), /maps every token to one of two points/);
  assert.ok(await page.locator('.collapse-picture').isVisible());
  assert.match(await page.getByTestId('scope-note').innerText(), /attention alone, at tokens of norm √d = 1\.414/);
  assert.match(await saved(page, '#export-explore [data-export=svg]'), /L of attention alone, after LayerNorm/);
  assert.match(await page.getByTestId('sentence').innerText(), /^Nudge these 12 tokens a little, once normalised, and the outputs move up to/);
  await after(page, () => page.click('#roomy-dim'));
  assert.ok(await page.getByTestId('collapse-note').isHidden());
  await page.click('#more-controls');
  assert.equal(await page.locator('#d-number').inputValue(), '8');
});

pageTest('a bound far above all others stands in the strip with its value', { ...OPENING, hash: '#v3&R=3&axis=log' }, async ({ page }) => {
  await settled(page);
  await swept(page);
  const svg = await saved(page, '#export-explore [data-export=svg]');
  assert.match(svg, /mean-field \[C\] ≤ 1\.839 × 10⁹, \d decades up/);
});

pageTest('a number that is not of the present state says that it is being computed', { ...OPENING, hash: '#v3' }, async ({ page }) => {
  await settled(page);
  await page.click('#more-controls');
  await page.waitForSelector('#n');
  const { isBusy, hasNote } = await twoFramesAfterAnEdit(page);
  assert.ok(isBusy && hasNote, `busy: ${isBusy}, note: ${hasNote}`);
  await settled(page);
});

pageTest('four views, each with its own way in, and Back', OPENING, async ({ page }) => {
  await settled(page);
  for (const [plot, canvas] of [['growth', '#growth-plot'], ['model', '[data-testid=model-empty]'], ['estimators', '[data-testid=estimators-lab]'], ['explore', '#explore-plot']]) {
    await show(page, plot);
    await page.locator(canvas).waitFor();
    assert.equal(await page.locator('.views [aria-current=page]').count(), 1);
  }
  await page.goBack();
  await page.locator('[data-testid=estimators-lab]').waitFor();
  assert.ok(await page.locator('#explore').isHidden());
});

pageTest('the plot is read by keyboard', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  await page.focus('#explore-plot');
  await page.keyboard.press('End');
  assert.match(await page.getByTestId('explore-readout').innerText(), /n = 256/);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#quick-n-number').value === '256');
});

pageTest('a click in the plot moves the cursor and no token; a button sets n there', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  await page.focus('#explore-plane');
  await page.keyboard.press('Home');
  await after(page, () => page.keyboard.press('Shift+ArrowLeft'));
  const moved = await digits(page, 'explore-norm');
  const box = await still(page, '#explore-plot');
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height / 2);
  await page.mouse.move(2, 2);
  assert.equal(await digits(page, 'explore-norm'), moved);
  const words = await page.locator('#set-n').innerText();
  const n = Number(words.match(/^Set n = (\d+)$/)[1]);
  assert.match(await page.getByTestId('explore-readout').innerText(), new RegExp(`n = ${n}\\b`));
  await page.click('#set-n');
  await page.waitForFunction((n) => document.querySelector('#quick-n-number').value === n, String(n));
  assert.ok(await page.locator('#set-n').isHidden());
});

pageTest('logarithmic axes are one press away, and back', OPENING, async ({ page }) => {
  await settled(page);
  await page.click('#explore-log');
  await page.waitForFunction(() => /axis=log/.test(location.hash));
  assert.equal(await page.locator('#explore-axis').inputValue(), 'log');
  await page.click('#explore-log');
  await page.waitForFunction(() => !/axis=/.test(location.hash));
  assert.equal(await page.locator('#explore-axis').inputValue(), 'sqrt');
});

for (const [name, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE, narrow: { width: 360, height: 740 } })) {
  pageTest(`no fault, nothing wider than the window (${name})`, { ...OPENING, viewport }, async ({ page }) => {
    await settled(page);
    assert.deepEqual(await inBothSchemes(page), []);
    const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(scroll <= client, `${scroll} > ${client}`);
  });
}

pageTest('with normaliser and attention together sentence, plot and list have one bound for all tokens, and the ladder names its own', { ...OPENING, hash: '#v3&normalization=rms&scope=composed&R=0.1' }, async ({ page }) => {
  assert.match(await settled(page), /No choice of 64 tokens of any length exceeds \S+.*; no number of tokens exceeds \S+/);
  const { best, limit } = await facts(page);
  assert.ok((await value(page, 'explore-norm')) < best && best <= limit, JSON.stringify({ best, limit }));
  assert.equal(await value(page, 'explore-best'), best);
  await swept(page);
  assert.ok((await saved(page, '#export-explore [data-export=svg]')).includes('best bound (ours)'));
  await page.keyboard.press('Escape');
  await show(page, 'growth');
  await changed(page, 'growth-sharp');
  const listed = [];
  for (const id of ['sharp', 'unified', 'castin_general', 'castin_mean_field']) listed.push(await value(page, `growth-${id}`));
  assert.ok(Math.abs(Math.min(...listed) / best - 1) < 1e-9, `${listed}, and ${best} in the sentence`);
  // The ladder's bound has the slope of the normaliser at these tokens, which is smaller, and its name says so.
  assert.ok((await value(page, 'bound-sharp')) < 0.9 * Math.min(...listed));
  assert.equal(await page.locator('dt:has(+ [data-testid=bound-sharp])').first().textContent(), 'best bound (ours), at these tokens');
  assert.equal(await page.locator('.slack-name').innerText(), 'best bound (ours), at these tokens');
  assert.match(await page.getByTestId('ladder-note').innerText(), /at these tokens only/);
  assert.match(await page.getByTestId('slack-reach').innerText(), /^These tokens reach at most/);
});

pageTest('while R is dragged the curves and samples of another R are faded, and they come back when it rests', OPENING, async ({ page }) => {
  await settled(page);
  await swept(page);
  // The colours of lines that are drawn faded: those of the bounds, and of the samples' mean.
  await page.evaluate(() => {
    window.__faded = new Set();
    const { stroke } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (...given) {
      if (this.canvas.id === 'explore-plot' && /, 0\.45\d*\)$/.test(this.strokeStyle)) window.__faded.add(this.strokeStyle);
      return stroke.apply(this, given);
    };
  });
  const faded = () => page.evaluate(() => window.__faded.size);
  const box = await still(page, '#quick-radius');
  const at = (step) => page.mouse.move(box.x + box.width * (0.3 + step / 100), box.y + box.height / 2);
  await at(0);
  await page.mouse.down();
  // On a busy machine the last numbers come late.
  for (let step = 1; step <= 20 || (step <= 60 && (await faded()) < 4); step++) {
    await at(step);
    await page.waitForTimeout(30);
  }
  assert.ok((await faded()) >= 4, `${await faded()} colours are faded`);
  await page.mouse.up();
  await page.waitForTimeout(300);
  await swept(page);
  await settled(page);
  await page.waitForTimeout(200);
  await page.evaluate(() => window.__faded.clear());
  await page.focus('#explore-plot');
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.querySelector('#explore-readout').textContent.includes('n ='));
  await page.waitForTimeout(100);
  assert.equal(await faded(), 0);
});

pageTest('clusters of the reader stand among the bounds of their ball', { ...OPENING, hash: '#v3&plot=growth&range=1e18&at=1e9&axis=log' }, async ({ page }) => {
  await page.waitForSelector('#load-two_clusters:enabled');
  await page.click('#load-two_clusters');
  await show(page, 'explore');
  await settled(page);
  const svg = await saved(page, '#export-explore [data-export=svg]');
  for (const name of ['best bound (ours)', 'worst tokens known', 'mean-field [C]']) assert.ok(svg.includes(name), name);
});

pageTest('while a slider moves, every new number has its picture', OPENING, async ({ page }) => {
  await settled(page);
  const seen = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const number = () => document.querySelector('[data-testid=explore-norm]').dataset.value;
    const { stroke } = CanvasRenderingContext2D.prototype;
    let isPainted = false;
    CanvasRenderingContext2D.prototype.stroke = function (...given) {
      isPainted ||= this.canvas.id === 'explore-plot';
      return stroke.apply(this, given);
    };
    const slider = document.querySelector('#quick-radius');
    const [middle, seen] = [Math.round(Number(slider.max) / 2), { numbers: 0, pictures: 0 }];
    slider.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    let shown = number();
    for (let move = 1; move <= 90; move++) {
      await frame();
      if (isPainted) seen.pictures++;
      if (number() !== shown) seen.numbers++;
      [isPainted, shown] = [false, number()];
      slider.value = `${middle + (move % 20)}`;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    }
    slider.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
    return seen;
  });
  assert.ok(seen.numbers >= 15, `only ${seen.numbers} numbers in 90 frames`);
  assert.ok(seen.pictures >= 0.8 * seen.numbers, `${seen.pictures} pictures of ${seen.numbers} numbers`);
});
