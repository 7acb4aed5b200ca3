// Measures how soon a slider's movement shows its number: node benches/slider.mjs [ROUNDS]
// On the built site (LIPSCOPE_DIST), at the shapes of settings.json under a causal mask with RMSNorm: in the opening view, whose plot
// is on screen, and in the view over n, where the movement also draws curves up to the largest n. Isolated movements find the page
// at rest; those of a series find everything warm. Each is measured with nothing beside it, and with one core taken by a program.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openPage, shutDown } from '../tests/e2e/browser.mjs';
import { GAPS, moves } from './moves.mjs';
import { record } from './record.mjs';

const { slider: shapes } = JSON.parse(readFileSync(join(import.meta.dirname, 'settings.json'), 'utf8'));
/** An isolated movement takes fifteen times as long as one of a series. */
const ROUNDS = { series: Number(process.argv[2] ?? 30), isolated: Number(process.argv[2] ?? 10) };
/** The views: fields of the link, the slider, and the number that follows it. */
const VIEWS = {
  explore: { fields: '', slider: 'quick-radius', shown: 'explore-norm' },
  growth: { fields: '&plot=growth&range=1e18', slider: 'radius', shown: 'spectral' },
};

/** Calls `body` while another program takes one core. */
async function besideBusyCore(body) {
  const other = spawn(process.execPath, ['-e', 'for (;;);']);
  try {
    return await body();
  } finally {
    other.kill('SIGKILL');
  }
}

const LOADS = { alone: (body) => body(), busy: besideBusyCore };

try {
  const cases = [];
  for (const [n, d] of shapes) {
    for (const [view, { fields, slider, shown }] of Object.entries(VIEWS)) {
      const hash = `#v3&R=1.5&tokens=ball&weights=random&mask=causal&normalization=rms&scope=composed&n=${n}&d=${d}&k=${d}${fields}`;
      const { page, close } = await openPage({ hash, controls: view === 'growth' ? 'open' : 'closed' });
      await page.waitForTimeout(1500);
      for (const [load, beside] of Object.entries(LOADS)) {
        for (const [way, gap] of Object.entries(GAPS)) {
          const found = await beside(() => moves(page, { slider, shown, rounds: ROUNDS[way], gap }));
          cases.push({ n, d, view, load, way, ...found });
        }
      }
      await close();
    }
  }
  record('slider', { chromium: (await launch()).version(), cases });
  console.log(JSON.stringify(cases));
} finally {
  await shutDown();
}
