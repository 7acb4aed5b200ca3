// The explorer in JupyterLab and in Notebook: LIPSCOPE_LAB=/path/to/python node --test lab.mjs
// That Python has JupyterLab, Notebook, anywidget and the wheel of scripts/python.sh with the site in it; the part `python`
// of scripts/test.sh makes one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, shutDown } from './browser.mjs';

const CELLS = [
  'import lipscope\nw = lipscope.explore([[-1.0, 0.0], [1.0, 0.5], [0.5, -1.0]], *[[[1.0, 0.0], [0.0, 1.0]]] * 3)\nw',
  'print("tokens", w.experiment.to_dict()["tokens"]["rows"])',
  'w.experiment = {"tokens": {"source": "random", "n": 17, "d": 2, "radius": 2}, "weights": {"source": "identity", "sign": -1}}',
];

/** Starts a JupyterLab without a password on a free port, over a folder with a notebook of the cells in `CELLS`. */
async function startLab() {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-lab-'));
  const cells = CELLS.map((source, at) => ({ cell_type: 'code', id: `c${at}`, metadata: {}, source, outputs: [], execution_count: null }));
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  writeFileSync(join(folder, 'explore.ipynb'), JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }));
  // Its question about news would lie over the page, and a test asks nothing of the network.
  const settings = join(folder, 'lab', 'user-settings', '@jupyterlab', 'apputils-extension');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'notification.jupyterlab-settings'), JSON.stringify({ fetchNews: 'false', checkForUpdates: false }));
  const lab = spawn(process.env.LIPSCOPE_LAB, [
    '-m', 'jupyterlab', '--no-browser', '--allow-root', '--ip=127.0.0.1', '--port=0', '--IdentityProvider.token=', `--ServerApp.root_dir=${folder}`,
  ], { env: { ...process.env, HOME: folder, JUPYTER_CONFIG_DIR: folder } });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    const hear = (chunk) => {
      text += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(text);
      if (found && found[1] !== '0') resolve(found[0]);
    };
    lab.stdout.on('data', hear);
    lab.stderr.on('data', hear);
    lab.on('exit', () => reject(new Error(`JupyterLab ended:\n${text}`)));
  });
  return {
    url,
    close: async () => {
      lab.removeAllListeners('exit');
      const ended = new Promise((resolve) => lab.once('exit', resolve));
      lab.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Repeats `act` until it has worked: the cells can be seen before JupyterLab has arranged itself and reached its
 * kernel.
 */
async function until(act, hasWorked) {
  for (let tries = 5; ; tries -= 1) {
    await act();
    try {
      return await hasWorked();
    } catch (problem) {
      if (tries === 1) throw problem;
    }
  }
}

/**
 * Waits until a cell has run: its prompt is [*] until then, and the number of the run afterwards. A kernel that is not ready yet
 * loses the request, and the prompt soon returns to what it was before.
 */
async function hasRun(prompt, before) {
  for (const began = Date.now(); ;) {
    const now = await prompt.innerText();
    if (/\d/.test(now) && now !== before) return;
    const patience = now === '[*]:' ? 100_000 : 5_000;
    if (Date.now() - began > patience) throw new Error(`the prompt is still ${now}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let lab;
before(async () => { lab = await startLab(); }, { timeout: 240_000 });
after(async () => {
  await lab?.close();
  await shutDown();
});

// One server offers both programs for the same notebook.
for (const [name, path] of [['JupyterLab', 'lab/tree/explore.ipynb'], ['Notebook', 'notebooks/explore.ipynb']]) {
  test(`the page in ${name} follows the notebook, and the notebook the page`, { timeout: 540_000 }, async () => {
    const context = await (await launch()).newContext({ viewport: { width: 1440, height: 1100 } });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(240_000);
      await page.goto(lab.url + path);
      const cell = (at) => page.locator('.jp-Notebook .jp-Cell').nth(at);
      const run = async (at) => {
        const prompt = cell(at).locator('.jp-InputArea-prompt').first();
        const before = await prompt.innerText();
        await until(
          async () => {
            await cell(at).locator('.jp-InputArea-editor').click();
            await page.keyboard.press('Shift+Enter');
          },
          () => hasRun(prompt, before),
        );
      };
      await cell(2).waitFor();
      // The kernel is there when the line at the top says so.
      await page.waitForSelector('.jp-Notebook-ExecutionIndicator[data-status=idle]');
      await run(0);
      const element = await page.waitForSelector('iframe[title=Lipscope]');
      const frame = await element.contentFrame();
      await frame.waitForFunction(() => document.querySelector('[data-testid=explore-norm]')?.dataset.value);
      await frame.waitForSelector('#quick-yours[aria-pressed=true]');
      if (process.env.LIPSCOPE_LAB_SCREEN) await page.screenshot({ path: `${process.env.LIPSCOPE_LAB_SCREEN}-${name}.png` });

      // Dragged in the page, read in the notebook.
      const plane = frame.locator('#explore-plane');
      await plane.scrollIntoViewIfNeeded();
      const before = await frame.evaluate(() => document.querySelector('[data-testid=explore-norm]').dataset.value);
      await until(
        async () => {
          await plane.focus();
          await page.keyboard.press('Home');
          const at = await frame.waitForFunction(() => document.querySelector('#explore-plane').dataset.at);
          const [x, y] = (await at.jsonValue()).split(' ').map(Number);
          const box = await plane.boundingBox();
          await page.mouse.move(box.x + x, box.y + y);
          await page.mouse.down();
          await page.mouse.move(box.x + x + 20, box.y + y - 15, { steps: 4 });
          await page.mouse.up();
        },
        () => frame.waitForFunction((before) => document.querySelector('[data-testid=explore-norm]').dataset.value !== before, before, { timeout: 10_000 }),
      );
      let said = '';
      // A change is on its way to the kernel for a moment.
      for (let tries = 0; tries < 20 && (said === '' || said.includes('[-1.0, 0.0]')); tries += 1) {
        await run(1);
        said = await cell(1).locator('.jp-OutputArea-output').last().innerText();
      }
      assert.match(said, /^tokens \[\[/);
      assert.ok(!said.includes('[-1.0, 0.0]') && said.includes('[1.0, 0.5]'), said);

      // Set in the notebook, shown in the page.
      await run(2);
      await frame.waitForFunction(() => document.querySelector('.sentence')?.innerText.includes('17 tokens'));
    } finally {
      await context.close();
    }
  });
}
