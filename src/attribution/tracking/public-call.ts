import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AffiliateError } from '../../errors.js';
import { readBody } from '../../platform/http/body.js';
import { setCommonHeaders } from '../../platform/http/reply.js';
import type { KnownHosts } from './known-hosts.js';
import type { Deps } from './deps.js';
import { addVary } from './vary.js';
import type { VisitorLimits } from './visitor-limits.js';

/** Can this be a call from a page: a POST or its preflight request? */
export const isCall = ({ method }: IncomingMessage): boolean => method === 'POST' || method === 'OPTIONS';

/** Path and query of the address that the visitor's browser requested. */
export function addressParts(req: IncomingMessage): readonly [path: string, query: string] {
  const [path = '', query = ''] = ((req as { originalUrl?: string }).originalUrl ?? req.url ?? '').split('?');
  return [path, query];
}

export interface PublicCall {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The refusal for an address with too many calls, when the caller has to send it. */
  readonly limited: AffiliateError | null;
}

/**
 * Sets the headers, permits other origins, applies the limit per address and reads the fields. Returns null
 * for a preflight request, after responding to it. With `stopAtLimit` it throws beyond the limit, before the
 * body is read.
 */
export async function readCall(
  app: Deps,
  { limits, hosts }: { readonly limits: VisitorLimits; readonly hosts: KnownHosts },
  {
    req,
    res,
    bytes,
    stopAtLimit,
  }: {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly bytes: number;
    readonly stopAtLimit: boolean;
  },
): Promise<PublicCall | null> {
  setCommonHeaders(res, app.context.current().requestId);
  await allowOrigin(hosts, req, res);
  if (req.method === 'OPTIONS') {
    res.writeHead(204).end();
    return null;
  }
  const limited = await limits.refusal(req);
  if (limited !== null && stopAtLimit) throw limited;
  return { fields: (await readBody(req, { bytes, plainText: true })).fields, limited };
}

/** Known hosts may call the endpoint, but only the host itself with credentials. */
async function allowOrigin(hosts: KnownHosts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { origin } = req.headers;
  addVary(res, 'Origin');
  const sender = URL.parse(origin ?? '');
  if (origin === undefined || sender === null || !(await hosts.isKnown(sender))) return;
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Methods', 'POST');
  res.setHeader('Access-Control-Allow-Headers', 'Content-Type');
  res.setHeader('Access-Control-Max-Age', '3600');
  if (hosts.isOwn(new URL(origin))) res.setHeader('Access-Control-Allow-Credentials', 'true');
}

/** The time in seconds, as both responses contain it. */
export const responseTime = (app: Deps): number => Math.floor(app.clock.now() / 1000);
