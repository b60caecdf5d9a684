import type { IncomingMessage } from 'node:http';
import { remember, run, type BridgedService, type Mounts } from './service.js';
import { nodeRequest, WebMessage, type WebClient } from './web-message.js';

/** The host's page for an address that is not the service's. Its request has no `/ref/jo` in the path. */
export type WebPage = (request: Request) => Response | Promise<Response>;

/**
 * The service as a function from `Request` to `Response`: `const handle = toWeb(service)`. `handle(request)`
 * handles requests to the interface, the script and short links, and returns 404 for others. `handle(request,
 * page)` also tracks visits and puts their cookies on the response of `page`. A third argument `{ ip }` is
 * the visitor's address, where the platform knows it.
 */
export function toWeb(
  service: BridgedService,
  mounts: Mounts = {},
): (request: Request, page?: WebPage, client?: WebClient) => Promise<Response> {
  return async (request, page = notFound, client = {}) => {
    const req = plainRequest(request, client);
    const res = new WebMessage(req);
    request.signal.addEventListener('abort', () => res.destroy(), { once: true });
    const address = req.url;
    const outcome = run(service, mounts, req, res);
    // The head of a long response is known before it ends.
    const first = await Promise.race([res.response, outcome]);
    if (first !== 'page') return first === 'answered' ? res.response : first;
    const asked = req.url === address ? request : new Request(new URL(req.url ?? '/', request.url), request);
    return withHeaders(await page(asked), res);
  };
}

/**
 * A Web `Request` for functions that take node's: `service.conversions.record(plainRequest(request), order)`. Where
 * there are only its headers, as in an action of Next.js, these are enough: `plainRequest(await headers())`.
 */
export function plainRequest(given: Request | Headers, client: WebClient = {}): IncomingMessage {
  const request = given instanceof Headers ? withHeadersOnly(given) : given;
  const req = nodeRequest(request.bodyUsed ? new Request(request.url, headOf(request)) : request, client);
  if (request.bodyUsed) Object.defineProperty(req, 'readableDidRead', { value: true });
  remember(req, request);
  return req;
}

const withHeadersOnly = (headers: Headers): Request =>
  new Request(`http://${headers.get('host') ?? 'localhost'}/`, { headers: [...headers] });

const headOf = ({ method, headers, signal }: Request): RequestInit => ({ method, headers, signal });

/**
 * Adds the cookies and cache headers of a counted visit. Responses of `fetch` and redirects cannot be
 * changed, so they are copied.
 */
function withHeaders(response: Response, message: WebMessage): Response {
  const ours = [...message.headers()];
  if (ours.length === 0) return response;
  const merged = new Headers(response.headers);
  for (const [name, value] of ours)
    if (name === 'set-cookie' || name === 'vary') merged.append(name, value);
    else merged.set(name, value);
  return new Response(response.body, {
    status: response.status,
    statusText: response.statusText,
    headers: merged,
  });
}

const notFound: WebPage = () => new Response(null, { status: 404 });
