import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Platform } from '../platform.js';
import { requestId } from './request.js';

/** The request id of calls from code. */
export const NO_REQUEST = 'code';

interface Named<Req> {
  readonly req: Req;
  readonly route: string;
}

/** Runs the work of a visitor's request, whose id and route its log lines then have. */
export const forVisitor = <T>(
  { context }: Platform,
  { req, route }: Named<IncomingMessage>,
  work: () => T,
): T => context.run({ user: null, requestId: requestId(req), route, source: 'tracker' }, work);

/** The same for a call from code about a request, unless it is a part of one that log lines name already. */
export function forCall<T>(
  { context }: Platform,
  { req, route }: Named<IncomingMessage | null>,
  work: () => T,
): T {
  const current = context.current();
  if (current.requestId !== NO_REQUEST) return work();
  return context.run({ ...current, requestId: req ? requestId(req) : randomUUID(), route }, work);
}
