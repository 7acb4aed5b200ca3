// A server for benches that serves a site as a reader has it: compressed, and over a line with a rate and a delay. The server keeps
// both, not the browser: a browser's own emulation leaves out what its workers load.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const TYPES = {
  '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.png': 'image/png',
  '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json',
};
/** A slow line: 4 Mbit/s, with 150 ms. */
export const SLOW = { bytesPerSecond: 4e6 / 8, delayMs: 150 };

/** What a server sends compressed. */
const TEXTS = /\.(css|html|js|json|svg|wasm|webmanifest)$/;
const CHUNK = 8192;

export const ENCODERS = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } }),
  gzip: (bytes) => gzipSync(bytes, { level: 9 }),
};

/** The files of a site, compressed: names to bytes. */
export function compressed(site, encoding) {
  // No visit that is measured loads the models' workers or the documents, whose compression would take most of the time.
  const isLoaded = (name) => !/^((model|train)_worker|docs[/\\])/.test(name) && statSync(join(site, name)).isFile();
  const names = readdirSync(site, { recursive: true }).filter(isLoaded);
  return new Map(names.map((name) => {
    const bytes = readFileSync(join(site, name));
    return [name.split(sep).join('/'), TEXTS.test(name) ? ENCODERS[encoding](bytes) : bytes];
  }));
}

/**
 * Serves files.
 * @param {Map<string, Buffer>} files compressed ones, by name
 * @param {'br' | 'gzip'} encoding how they are compressed
 * @param {{bytesPerSecond: number, delayMs: number} | null} line the line, which all answers share; null for none
 */
export async function serve(files, encoding, line) {
  let sent = 0;
  let freeAt = 0;
  /** Waits until the line has carried so many bytes, after all that it carries already. */
  const carry = async (bytes) => {
    if (!line) return;
    const now = performance.now();
    freeAt = Math.max(freeAt, now) + (1000 * bytes) / line.bytesPerSecond;
    await sleep(freeAt - now);
  };
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1) || 'index.html';
    if (line) await sleep(line.delayMs);
    const bytes = files.get(name);
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream', 'content-length': bytes.length, 'cache-control': 'max-age=600',
      ...(TEXTS.test(name) && { 'content-encoding': encoding }),
    });
    for (let at = 0; at < bytes.length && !response.destroyed; at += CHUNK) {
      const part = bytes.subarray(at, at + CHUNK);
      await carry(part.length);
      sent += part.length;
      response.write(part);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** Bytes sent since the last call. */
    bytes: () => {
      const now = sent;
      sent = 0;
      return now;
    },
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
