import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the bridges use of a service made by `createAffiliateService`. */
export interface BridgedService {
  readonly basePath: string;
  readonly tracker: Handler;
  readonly router: Handler;
}
export type Handler = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void;

/**
 * More handlers, by the path they are mounted at: `{ '/affiliate-admin': consoleApp(service), '/partners':
 * portalApp(service) }`.
 */
export type Mounts = Readonly<Record<string, Handler>>;

/** What became of a request. */
export type Outcome =
  /** The service responds, or has responded. */
  | 'answered'
  /** A page of the host has to respond; cookies of the service are on the response. */
  | 'page';

type Request = IncomingMessage & { originalUrl?: string };

/**
 * Does what `app.use` does in Express: runs the tracker for every page, then the interface below its base
 * path and everything else that is mounted.
 */
export async function run(
  service: BridgedService,
  mounts: Mounts,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Outcome> {
  if (!(await passed(service.tracker, req, res))) return 'answered';
  for (const [path, handler] of [[service.basePath, service.router] as const, ...Object.entries(mounts)]) {
    if (!(await passedBelow(path, handler, req, res))) return 'answered';
  }
  return 'page';
}

/**
 * Calls a handler with the address below the path it is mounted at. True when the request is for another
 * path, or the handler called `next`.
 */
async function passedBelow(
  path: string,
  handler: Handler,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const address = req.url ?? '/';
  const below = pathBelow(address, path);
  if (below === null) return true;
  const request = req as Request;
  request.originalUrl ??= address;
  request.url = below;
  if (!(await passed(handler, req, res))) return false;
  request.url = address;
  return true;
}

/**
 * Resolves with true when the handler called `next`, with false when it has responded; rejects with the error
 * it passed on.
 */
function passed(handler: Handler, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onResponse = (): void => resolve(false);
    res.once('finish', onResponse);
    res.once('close', onResponse);
    handler(req, res, (error) => {
      res.off('finish', onResponse);
      res.off('close', onResponse);
      if (error === undefined || error === null) resolve(true);
      else reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

/** `/api/x?y` below `/api` is `/x?y`; null for another path. Letter case does not matter, as in Express. */
export function pathBelow(address: string, base: string): string | null {
  const [path = '', ...query] = address.split('?');
  const start = path.slice(0, base.length);
  const rest = path.slice(base.length);
  if (start.toLowerCase() !== base.toLowerCase() || (rest !== '' && !rest.startsWith('/'))) return null;
  return [rest === '' ? '/' : rest, ...query].join('?');
}

const ORIGINALS = new WeakMap<IncomingMessage, unknown>();

/** Remembers which request of the framework belongs to a plain one. */
export function remember(req: IncomingMessage, original: unknown): void {
  ORIGINALS.set(req, original);
}

/**
 * The framework's own object behind a plain request: Koa's context, Fastify's request, the Web `Request`.
 * With it, `session(req)` of an adapter reads what plugins of the framework left there:
 * `originalOf<FastifyRequest>(req)?.session`.
 */
// The caller knows its framework, so it names the type.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export const originalOf = <T>(req: IncomingMessage): T | undefined => ORIGINALS.get(req) as T | undefined;

/** Passes on what a parser of the framework has read: the value, and the bytes that signatures cover. */
export function passBody(req: IncomingMessage, body: unknown, raw: unknown): void {
  const target = req as IncomingMessage & { body?: unknown; rawBody?: unknown };
  if (body !== undefined) target.body ??= body;
  if (typeof raw === 'string') target.rawBody ??= Buffer.from(raw);
  else if (raw instanceof Uint8Array) target.rawBody ??= Buffer.from(raw);
}
