import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AffiliateError } from '../../errors.js';
import { readBody } from '../../platform/http/body.js';
import { setCommonHeaders } from '../../platform/http/reply.js';
import type { KnownHosts } from './known-hosts.js';
import type { Needs } from './needs.js';
import { allowOrigin } from './cors.js';
import type { VisitorLimits } from './visitor-limits.js';

/** May this be one of the calls pages make: a POST, or the question before it? */
export const isCall = ({ method }: IncomingMessage): boolean => method === 'POST' || method === 'OPTIONS';

/** Path and query of the address the visitor's browser asked for. */
export function addressParts(req: IncomingMessage): readonly [path: string, query: string] {
  const [path = '', query = ''] = ((req as { originalUrl?: string }).originalUrl ?? req.url ?? '').split('?');
  return [path, query];
}

export interface PublicCall {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The refusal of an address with too many calls, where the caller answers it himself. */
  readonly limited: AffiliateError | null;
}

/**
 * Headers, permission for other origins, the limit per address, then the fields;
 * null when the question before the call was all, and is answered.
 * `stopAtLimit` throws beyond the limit, before the body is read.
 */
export async function readCall(
  app: Needs,
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

/** Seconds, as both answers tell the time. */
export const answerTime = (app: Needs): number => Math.floor(app.clock.now() / 1000);
