// Checks what the packages say about themselves: one version everywhere, and what an index asks for in each of them. Also that
// lists for pip name the versions of scripts/versions.sh, and the forms for an issue the repository.
//   node scripts/packages/metadata.mjs [TAG]
// With a tag, as before a release: the tag is the version, the repository has a real address, and CHANGELOG.md has the date.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const [tag] = process.argv.slice(2);
const problems = [];
const check = (holds, problem) => holds || problems.push(problem);

const metadata = JSON.parse(execFileSync('cargo', ['metadata', '--no-deps', '--format-version=1', '--locked'], { cwd: root, maxBuffer: 1 << 26 }));
const packages = new Map(metadata.packages.map((one) => [one.name, one]));
const { version, repository } = packages.get('lipscope-cli');
const { homepage } = packages.get('lipscope');

for (const { name, version: own } of packages.values()) check(own === version, `${name} has version ${own}, and the command line ${version}`);
for (const [, name, other] of read('Cargo.toml').matchAll(/^(lipscope[\w-]*) = \{.*version = "=?([\d.]+)"/gm)) {
  check(other === version, `Cargo.toml asks for ${name} ${other}, and its version is ${version}`);
}
check(read('CITATION.cff').includes(`\nversion: ${version}\n`), `CITATION.cff has not version ${version}`);
check(read('CITATION.cff').includes(`\nurl: "${homepage}"\n`), `CITATION.cff has not the address ${homepage} of the page`);
const [, heading] = read('CHANGELOG.md').match(/^## (.*)$/m);
check(heading.startsWith(`${version}, `), `the first section of CHANGELOG.md is "${heading}", and not about ${version}`);

// Crates that an index gets, and those that the npm package, the wheel and the archives are made of.
const published = [...packages.values()].filter(({ publish }) => publish === null || publish.length > 0);
const packed = ['lipscope-cli', 'lipscope-npm', 'lipscope-python'].map((name) => packages.get(name));
for (const one of new Set([...published, ...packed])) {
  const folder = dirname(one.manifest_path);
  check(one.description, `${one.name} has no description`);
  check(one.license === 'MIT', `${one.name} has the licence ${one.license}`);
  check(one.repository === repository, `${one.name} has the repository ${one.repository}`);
  check(one.keywords.length > 0 && one.keywords.length <= 5, `${one.name} has ${one.keywords.length} keywords, and 1 to 5 are taken`);
  check(one.categories.length > 0, `${one.name} has no category`);
  check(one.readme && existsSync(join(folder, one.readme)), `${one.name} has no readme`);
  const licence = join(folder, 'LICENSE');
  check(existsSync(licence) && readFileSync(licence, 'utf8') === read('LICENSE'), `${licence} is not the licence`);
}

const [npm, python] = [packages.get('lipscope-npm'), read('crates/python/pyproject.toml')];
check(/^dynamic = \[.*"version".*\]$/m.test(python), 'crates/python/pyproject.toml has a version of its own');
check(python.includes(`description = "${npm.description}"`), 'the wheel and the npm package have different descriptions');

// The addresses beside the forms for an issue.
const addresses = [...read('.github/ISSUE_TEMPLATE/config.yml').matchAll(/^ +url: (.*)$/gm)].map(([, address]) => address);
check(addresses.length > 0, '.github/ISSUE_TEMPLATE/config.yml has no address: the scan is broken');
for (const address of addresses) {
  check(address.startsWith(`${repository}/`), `.github/ISSUE_TEMPLATE/config.yml has ${address}, and the repository is ${repository}`);
  const [, path] = address.split('/blob/HEAD/');
  check(path === undefined || existsSync(join(root, path)), `.github/ISSUE_TEMPLATE/config.yml has ${path}, which is not there`);
}

// What scripts/setup.sh installs, and what lists of packages for pip name.
const pinned = new Map([...read('scripts/versions.sh').matchAll(/^([A-Z_]+)_VERSION=([\d.]+)$/gm)].map(([, name, wanted]) => [name, wanted]));
let n_pins = 0;
for (const path of ['benches', 'scripts/models', 'tests/models'].map((folder) => `${folder}/requirements.txt`)) {
  for (const [, name, found] of read(path).matchAll(/^([\w-]+)==(\S+)$/gm)) {
    const wanted = pinned.get(name.toUpperCase().replaceAll('-', '_')) ?? found;
    n_pins += 1;
    check(found === wanted, `${path} has ${name} ${found}, and scripts/versions.sh ${wanted}`);
  }
}
check(n_pins >= 3, `only ${n_pins} packages were found in lists for pip: the scan is broken`);

if (tag !== undefined) {
  check(tag === `v${version}`, `the tag is ${tag}, and the version ${version}`);
  check(!repository.includes('.invalid'), `the repository is the placeholder ${repository}: put the address into Cargo.toml`);
  check(!homepage.includes('.invalid'), `the page has the placeholder ${homepage}: put the address into Cargo.toml`);
  check(/\d{4}-\d{2}-\d{2}$/.test(heading), `CHANGELOG.md has "${heading}" in the place of a date`);
}

for (const problem of problems) console.error(`metadata: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log(`metadata: ${packages.size} crates have version ${version}, and all packages what an index asks for`);
