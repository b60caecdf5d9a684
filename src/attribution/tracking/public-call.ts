import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AffiliateError } from '../../errors.js';
import { readBody } from '../../platform/http/body.js';
import { setCommonHeaders } from '../../platform/http/reply.js';
import type { KnownHosts } from './known-hosts.js';
import type { Deps } from './deps.js';
import { allowOrigin } from './cors.js';
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
  /** The refusal for an address with too many calls, when the caller has to answer it. */
  readonly limited: AffiliateError | null;
}

/**
 * Sets the headers, permits other origins, applies the limit per address and reads the fields. Returns null
 * for a preflight request, which is then answered. With `stopAtLimit` it throws beyond the limit, before the
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

/** The time in seconds, as both answers contain it. */
export const answerTime = (app: Deps): number => Math.floor(app.clock.now() / 1000);
