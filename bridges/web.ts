import type { IncomingMessage } from 'node:http';
import { remember, run, type BridgedService, type Mounts } from './service.js';
import { nodeRequest, WebMessage, type WebClient } from './web-message.js';

/** The page behind an address that is not the service's; gets the request without a link's `/ref/jo`. */
export type WebPage = (request: Request) => Response | Promise<Response>;

/**
 * The service as `Request` → `Response`: `const handle = toWeb(service)`.
 * `handle(request)` answers the interface, the script and short links, and 404 elsewhere;
 * `handle(request, page)` also tracks visits and puts their cookies on what `page` answers.
 * A third argument `{ ip }` tells the visitor's address where the platform knows it.
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
    // The head is known before a long answer has ended.
    const first = await Promise.race([res.response, outcome]);
    if (first !== 'page') return first === 'answered' ? res.response : first;
    const asked = req.url === address ? request : new Request(new URL(req.url ?? '/', request.url), request);
    return withHeaders(await page(asked), res);
  };
}

/**
 * A Web `Request` for functions that take node's: `service.conversions.record(plainRequest(request), order)`.
 */
export function plainRequest(request: Request, client: WebClient = {}): IncomingMessage {
  const req = nodeRequest(request.bodyUsed ? new Request(request.url, headOf(request)) : request, client);
  remember(req, request);
  return req;
}

const headOf = (request: Request): RequestInit => ({ headers: request.headers, signal: request.signal });

/**
 * Cookies and caching that a counted visit asks for; answers of `fetch` and redirects can not be
 * changed, so they are made anew.
 */
function withHeaders(answer: Response, message: WebMessage): Response {
  const ours = [...message.headers()];
  if (ours.length === 0) return answer;
  const merged = new Headers(answer.headers);
  for (const [name, value] of ours)
    if (name === 'set-cookie' || name === 'vary') merged.append(name, value);
    else merged.set(name, value);
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers: merged });
}

const notFound: WebPage = () => new Response(null, { status: 404 });
