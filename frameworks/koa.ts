import type { IncomingMessage, ServerResponse } from 'node:http';
import { passBody, remember, run, type BridgedService, type Mounts } from './service.js';

/** What the bridge uses of Koa's context (2 and 3). */
export interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: object;
  respond?: boolean;
}

/** Koa middleware: `app.use(toKoa(service))` after the session, before body parsers and routes. */
export function toKoa(
  service: BridgedService,
  mounts: Mounts = {},
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  return async (context, next) => {
    const { req, res } = context;
    remember(req, context);
    const { body, rawBody } = context.request as { body?: unknown; rawBody?: unknown };
    passBody(req, body, rawBody);
    const before = { respond: context.respond, status: res.statusCode };
    // Koa starts with 404 and sends what it has when the middleware is done, but the service writes its
    // responses itself.
    context.respond = false;
    res.statusCode = 200;
    const outcome = await run(service, mounts, req, res);
    if (outcome === 'answered') return;
    if (before.respond === undefined) delete context.respond;
    else context.respond = before.respond;
    res.statusCode = before.status;
    await next();
  };
}
