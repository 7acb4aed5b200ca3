// The script that takes the pictures of docs/screens: it takes one, in every window and in light and dark.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './browser.mjs';

const take = (...names) => spawnSync(process.execPath, [`${ROOT}tests/e2e/screens.mjs`, ...names], { encoding: 'utf8', timeout: 120_000 });

test('a screen is taken in every window, in light and in dark', { timeout: 150_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-screens-'));
  try {
    const { status, stderr } = take(folder, 'collapse');
    assert.equal(status, 0, stderr);
    const sizes = readdirSync(folder).sort().map((name) => {
      const png = readFileSync(join(folder, name));
      return [name, png.readUInt32BE(16), png.readUInt32BE(20)];
    });
    assert.deepEqual(sizes, [
      ['collapse-1440x900-dark.png', 1440, 900],
      ['collapse-1440x900-light.png', 1440, 900],
      ['collapse-390x844-dark.png', 390, 844],
      ['collapse-390x844-light.png', 390, 844],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a screen that there is not is named with those that there are', () => {
  const { status, stderr } = take('nowhere', 'nothing');
  assert.equal(status, 2);
  assert.match(stderr, /screens: explore, /);
});
