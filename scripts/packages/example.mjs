// Prints the first example in one language of a document: example.mjs FILE LANGUAGE
import { readFileSync } from 'node:fs';

const [path, language] = process.argv.slice(2);
const fence = '```';
const found = readFileSync(path, 'utf8').match(new RegExp(`^${fence}${language}\\r?\\n(.*?)^${fence}`, 'ms'));
if (!found) {
  console.error(`${path} has no example in ${language}`);
  process.exit(1);
}
process.stdout.write(found[1]);
