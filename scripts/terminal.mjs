// Takes pictures of what the command line shows at a terminal, for docs/command_line.md: each command runs in tmux, and what
// stands on its screen is written as SVG, in a light and in a dark terminal.
//
//   LIPSCOPE_BIN=target/release/lipscope node scripts/terminal.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BINARY = resolve(process.env.LIPSCOPE_BIN ?? join(ROOT, 'target/release/lipscope'));
const EXPERIMENT = '{"tokens":{"source":"adversarial","n":100,"radius":1},"weights":{"source":"identity","sign":-1}}';
// The name of a picture, its command, and the terminals that are shown.
const SCREENS = [
  ['measure', `echo '${EXPERIMENT}' | lipscope measure`, ['light', 'dark']],
  ['certify', `echo '${EXPERIMENT}' | lipscope certify --epsilon 0.01,0.1`, ['light']],
  ['model', 'lipscope model --weights random:gpt2 --layers 6 -n 8,16,32 --windows 2', ['dark']],
];
const COLUMNS = 96;
const ROWS = 50;
const MOST_SECONDS = 300;

// Sizes in pixels. Every run of text gets the width of its columns, whatever font the reader has.
const FONT = 14;
const COLUMN = 8.4;
const LINE = 19;
const MARGIN = 16;

// The colours 0 to 15, and of the text and the sheet: readable, at a contrast of 4.5 and more.
const SCHEMES = {
  light: {
    sheet: '#ffffff', text: '#1f2328', faint: '#59636e',
    colours: ['#1f2328', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#59636e',
      '#59636e', '#a40e26', '#1a7f37', '#633c01', '#0550ae', '#6639ba', '#136061', '#1f2328'],
  },
  dark: {
    sheet: '#0d1117', text: '#e6edf3', faint: '#9198a1',
    colours: ['#9198a1', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4',
      '#9198a1', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
  },
};

/** The lines that a command leaves on its screen, with their escape sequences. */
async function screen(command) {
  const folder = mkdtempSync(join(tmpdir(), 'lipscope-'));
  const done = join(folder, 'done');
  // A server of its own: one that ends could still take the next command's session.
  const tmux = (...words) => execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...words], { encoding: 'utf8' });
  try {
    const line = `export PATH='${dirname(BINARY)}':"$PATH"; cd '${folder}'; clear; ${command}; echo $? > '${done}.new'; mv '${done}.new' '${done}'; sleep 600`;
    tmux('new-session', '-d', '-s', 'screen', '-x', String(COLUMNS), '-y', String(ROWS), 'sh', '-c', line);
    for (let tenths = 0; !existsSync(done); tenths += 1) {
      if (tenths > 10 * MOST_SECONDS) throw new Error(`${command}: no end after ${MOST_SECONDS} s`);
      await wait(100);
    }
    await wait(300);
    // From the first line that has gone out of sight at the top.
    const text = tmux('capture-pane', '-e', '-p', '-S', '-', '-t', 'screen');
    if (readFileSync(done, 'utf8').trim() !== '0') throw new Error(`${command} failed:\n${text}`);
    return text.trimEnd().split('\n');
  } finally {
    try { tmux('kill-server'); } catch { /* It has not started. */ }
    rmSync(folder, { recursive: true });
  }
}

/** A line as runs of one look: {text, column, bold, faint, colour}. */
function runs(line) {
  const found = [];
  let look = {};
  let column = 0;
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1].split(';').map(Number);
    if (!codes) {
      if (part) found.push({ text: part, column, ...look });
      column += [...part].length;
      continue;
    }
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at];
      if (code === 0) look = {};
      else if (code === 1) look = { ...look, bold: true };
      else if (code === 2) look = { ...look, faint: true };
      else if (code === 22) look = { ...look, bold: false, faint: false };
      // The sheet's colour comes back; nothing here has another.
      else if (code === 49) continue;
      else if (code === 39) look = { ...look, colour: undefined };
      else if (code >= 30 && code < 38) look = { ...look, colour: code - 30 };
      else if (code >= 90 && code < 98) look = { ...look, colour: code - 82 };
      else if (code === 38 && codes[at + 1] === 5 && codes[at + 2] < 256) { look = { ...look, colour: codes[at + 2] }; at += 2; }
      else throw new Error(`the escape sequence ${JSON.stringify(part)} is not known`);
    }
  }
  return found;
}

/** One of the 256 colours of a terminal: 16 of the scheme, a cube of six steps, and greys. */
function colourOf(index, scheme) {
  if (index < 16) return scheme.colours[index];
  const steps = index < 232
    ? [36, 6, 1].map((size) => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / size) % 6])
    : Array(3).fill(8 + 10 * (index - 232));
  return `#${steps.map((step) => step.toString(16).padStart(2, '0')).join('')}`;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const EIGHTHS = ' ▏▎▍▌▋▊▉█';
const number = (x) => String(Math.round(x * 100) / 100);

/** The marks of a run. Bars and lines are drawn, so that they have no gaps in any font. */
function marks({ text, column, bold, faint, colour }, row, scheme) {
  const fill = colour === undefined ? (faint ? scheme.faint : scheme.text) : colourOf(colour, scheme);
  const top = MARGIN + row * LINE;
  const out = [];
  for (const [piece] of text.matchAll(/[▏▎▍▌▋▊▉█]+|─+|[^▏▎▍▌▋▊▉█─]+/gu)) {
    const length = [...piece].length;
    const x = MARGIN + column * COLUMN;
    if (EIGHTHS.includes(piece[0]) && piece[0] !== ' ') {
      const eighths = [...piece].reduce((sum, mark) => sum + EIGHTHS.indexOf(mark), 0);
      out.push(`<rect x="${number(x)}" y="${top + 3}" width="${number((eighths / 8) * COLUMN)}" height="${LINE - 6}" fill="${fill}"/>`);
    } else if (piece[0] === '─') {
      out.push(`<rect x="${number(x)}" y="${top + LINE / 2}" width="${number(length * COLUMN)}" height="1" fill="${fill}"/>`);
    } else if (piece.trim()) {
      // Blanks at the ends are left out: not every program that draws SVG keeps them.
      const words = piece.trim();
      const first = x + (length - [...piece.trimStart()].length) * COLUMN;
      out.push(`<text x="${number(first)}" y="${top + 14}" fill="${fill}"${bold ? ' font-weight="bold"' : ''}`
        + ` textLength="${number([...words].length * COLUMN)}" xml:space="preserve">${escaped(words)}</text>`);
    }
    column += length;
  }
  return out;
}

/** The screen as a picture. */
function picture(lines, scheme) {
  const width = MARGIN * 2 + COLUMNS * COLUMN;
  const height = MARGIN * 2 + lines.length * LINE;
  const body = lines.flatMap((line, row) => runs(line).flatMap((run) => marks(run, row, scheme)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${number(width)} ${height}" width="${number(width)}" height="${height}"`
      + ` font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}">`,
    `<rect width="100%" height="100%" rx="8" fill="${scheme.sheet}" stroke="${scheme.faint}" stroke-opacity="0.4"/>`,
    ...body, '</svg>', '',
  ].join('\n');
}

for (const [name, command, schemes] of SCREENS) {
  const shown = await screen(command);
  // What was typed: a line of it is at most as long as one of the screen.
  const typed = `$ ${command}`.match(new RegExp(`.{1,${COLUMNS}}([ ,]|$)`, 'g')).map((line) => `\u001b[1m${line}\u001b[0m`);
  for (const scheme of schemes) {
    writeFileSync(join(ROOT, `docs/screens/terminal-${name}-${scheme}.svg`), picture([...typed, ...shown], SCHEMES[scheme]));
  }
  console.log(`${name}: ${shown.length} lines`);
}
