// A plain static file server, as on any host: it serves a folder under a nested path of a port that the system chooses.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * @param {object} options
 * @param {string} options.root the folder to serve
 * @param {string} [options.base] the path it appears under, with a slash at both ends
 * @param {number} [options.port] 0 lets the system choose
 * @param {Record<string, string>} [options.headers] more headers for every answer
 * @returns {Promise<{url: string, origin: string, requests: {method: string, path: string, status: number, bytes: number}[], close(): Promise<void>}>}
 *   `url` is the page's address; `requests` grows with every answer, whose body has that many bytes
 */
export async function startServer({ root, base = '/some/where/', port = 0, headers: more = {} }) {
  const requests = [];

  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const answer = (status, headers = {}) => {
      const bytes = request.method === 'HEAD' ? 0 : headers['content-length'] ?? 0;
      requests.push({ method: request.method, path, status, bytes });
      response.writeHead(status, { ...more, ...headers });
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answer(405, { allow: 'GET, HEAD' });
      return response.end();
    }
    if (`${path}/` === base) {
      answer(301, { location: base });
      return response.end();
    }
    const inside = path.startsWith(base) ? path.slice(base.length) || 'index.html' : null;
    const file = inside === null ? null : normalize(join(root, inside));
    const info = file?.startsWith(normalize(root + sep)) ? await stat(file).catch(() => null) : null;
    if (!info?.isFile()) {
      answer(404, { 'content-type': TYPES['.txt'] });
      return response.end(`${path} is not here.\n`);
    }
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = first === undefined ? {} : { start: Number(first), end: Math.min(Number(last), info.size - 1) };
    answer(part.end === undefined ? 200 : 206, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': part.end === undefined ? info.size : part.end - part.start + 1,
      ...(part.end !== undefined && { 'content-range': `bytes ${part.start}-${part.end}/${info.size}` }),
      'cache-control': 'no-cache',
    });
    if (request.method === 'HEAD') return response.end();
    // A test may end, and its folder go, while a worker that the page started still loads.
    createReadStream(file, part).on('error', () => response.destroy()).pipe(response);
  });

  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: origin + base,
    origin,
    requests,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
