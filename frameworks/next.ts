import { toWeb, type WebPage } from './web.js';
import type { BridgedService, Mounts } from './service.js';

export { plainRequest } from './web.js';

/** What Next.js needs of your program. */
export interface NextProgram {
  readonly service: BridgedService;
  /** Console and portal by their path, as for `toWeb`. */
  readonly mounts?: Mounts;
  /**
   * How many proxies in front of Next write `X-Forwarded-For`: 1 behind one nginx or on Vercel. Next does not
   * expose the connection of a request, and passes on a header that a visitor forged; so with 0 (the default)
   * no address is trusted, and all visitors share the limits of one.
   */
  readonly proxies?: number;
}

type Answer = (request: Request) => Promise<Response>;
type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
type Handle = (request: Request, page?: WebPage) => Promise<Response>;

const handles = new WeakMap<NextProgram, Handle>();

/** The program is made at the first request, because `next build` loads the files of routes, too. */
function handleOf(program: () => NextProgram): Handle {
  const made = program();
  const known = handles.get(made);
  if (known) return known;
  const { service, mounts, proxies = 0 } = made;
  const handle = toWeb(service, mounts);
  const own: Handle = (request, page) => handle(request, page, { proxies });
  handles.set(made, own);
  return own;
}

/**
 * The handlers of a `route.ts`: `export const { DELETE, GET, PATCH, POST, PUT } = toNextHandlers(program)`.
 * `program` is a function that makes the program once and returns it.
 */
export function toNextHandlers(program: () => NextProgram): Readonly<Record<Method, Answer>> {
  const response: Answer = (request) => handleOf(program)(request);
  return { DELETE: response, GET: response, PATCH: response, POST: response, PUT: response };
}

/**
 * For `proxy.ts`: counts the click, then continues with the page. `export const proxy = (request) =>
 * track(program)(request, () => NextResponse.next())`.
 */
export const track =
  (program: () => NextProgram): ((request: Request, page: WebPage) => Promise<Response>) =>
  (request, page) =>
    handleOf(program)(request, page);
