import type { ServerResponse } from 'node:http';

const UNCACHED = 'no-store, private';
/**
 * Headers that shared caches read before or in addition to `Cache-Control`. The host's values for a page must
 * not apply to a click.
 */
const FOR_CACHES: Readonly<Record<string, string>> = {
  expires: '0',
  'x-accel-expires': '0',
  'cdn-cache-control': 'no-store',
  'cloudflare-cdn-cache-control': 'no-store',
  'netlify-cdn-cache-control': 'no-store',
  'vercel-cdn-cache-control': 'no-store',
  'surrogate-control': 'no-store',
  'edge-control': 'no-store',
};
const VALUES = Object.entries(FOR_CACHES);
const OURS = new Set(['cache-control', ...Object.keys(FOR_CACHES)]);
const done = new WeakSet<ServerResponse>();

/**
 * Keeps shared caches from storing a page whose address names an affiliate. Otherwise a visitor would get the
 * cookie of another one, or everybody would get the page without cookie that a robot requested. The host's
 * cache headers are replaced when the headers are sent.
 */
export function keepUncached(res: ServerResponse): void {
  if (done.has(res) || res.headersSent) return;
  done.add(res);
  res.setHeader('Cache-Control', UNCACHED);
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  res.writeHead = (...args: unknown[]) => {
    if (res.headersSent) return writeHead(...args);
    const given = new Set(args.flatMap(namesOf));
    const rest = args.map(withoutOurs);
    res.setHeader('Cache-Control', UNCACHED);
    res.setHeader('X-Accel-Expires', '0');
    for (const [name, value] of VALUES)
      if (res.hasHeader(name) || given.has(name)) res.setHeader(name, value);
    return writeHead(...rest);
  };
}

const isHeaders = (arg: unknown): arg is object => typeof arg === 'object' && arg !== null;

/** `writeHead` accepts headers as an object, as pairs, or as alternating names and values. */
function entriesOf(arg: object): [string, unknown][] {
  if (!Array.isArray(arg)) return Object.entries(arg);
  if (arg.every((each) => Array.isArray(each))) return arg as [string, unknown][];
  return arg.flatMap((name, at) => (at % 2 === 0 ? [[String(name), arg[at + 1]] as [string, unknown]] : []));
}

const namesOf = (arg: unknown): string[] =>
  isHeaders(arg) ? entriesOf(arg).map(([name]) => name.toLowerCase()) : [];

function withoutOurs(arg: unknown): unknown {
  if (!isHeaders(arg)) return arg;
  const kept = entriesOf(arg).filter(([name]) => !OURS.has(name.toLowerCase()));
  return Array.isArray(arg) ? kept.flat() : Object.fromEntries(kept);
}
