// The archive of `make release`, unpacked and served from a nested path.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIST, launch, ROOT, waitForStart } from './browser.mjs';
import { changed } from './reading.mjs';
import { startServer } from './server.mjs';

test('the archive works from any static file server, under any path', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-release-'));
  execFileSync('bash', [`${ROOT}scripts/release.sh`, DIST, folder]);
  const [archive] = readdirSync(folder);
  assert.match(archive, /^lipscope-\d+\.\d+\.\d+\.zip$/);
  execFileSync('python3', ['-m', 'zipfile', '-e', join(folder, archive), folder]);
  const unpacked = join(folder, archive.replace('.zip', ''));
  assert.match(readFileSync(join(unpacked, 'README-offline.txt'), 'utf8'), /http\.server/);
  assert.ok(existsSync(join(unpacked, 'LICENSE.txt')));
  const server = await startServer({ root: join(unpacked, 'site'), base: '/a/deep/path/' });
  const context = await (await launch()).newContext({ serviceWorkers: 'block' });
  try {
    const page = await context.newPage();
    await page.goto(server.url);
    await waitForStart(page);
    assert.ok((await changed(page, 'spectral')) > 0);
    assert.deepEqual(server.requests.filter(({ status }) => status !== 200), []);
  } finally {
    await context.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
