import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router, type NextFunction } from 'express';
import { fail } from '../../errors.js';
import type { Route } from './define-route.js';
import { sendError } from './error-handler.js';
import { authenticate } from './guard.js';
import type { RouterNeeds } from './needs.js';
import { Pipeline } from './pipeline.js';
import { setCommonHeaders } from './reply.js';
import { checkUrlLength, Exchange } from './request.js';

export interface RouterOptions {
  /** Requests wait for this; it is the service's `ready()`. */
  readonly ready?: () => Promise<void>;
}

type Request = IncomingMessage & { params: Record<string, string> };

/** An Express router (4 and 5) that serves the declared routes below the path it is mounted at. */
export function createRouter<A extends RouterNeeds>(
  app: A,
  routes: readonly Route<A>[],
  options: RouterOptions = {},
): Router {
  const router = Router({ caseSensitive: false, strict: false });
  const pipeline = new Pipeline(app);
  const exchanges = new WeakMap<IncomingMessage, Exchange>();

  router.use(async (req, res, next) => {
    await guarded(app, res, async () => {
      const exchange = new Exchange(app, req, res);
      setCommonHeaders(res, exchange.id);
      exchanges.set(req, exchange);
      await options.ready?.();
      checkUrlLength(exchange);
      await authenticate(exchange, pipeline.limiter);
      // Express matches verbs by this property; the exchange stores the original verb.
      req.method = exchange.method;
      next();
    });
  });
  const noRoute = (_req: IncomingMessage, res: ServerResponse): Promise<void> =>
    guarded(app, res, () => fail('rest_no_route'));
  const section = (paths: readonly MountedPath<A>[]): Router => {
    const made = Router({ caseSensitive: false, strict: false });
    for (const { route, path } of paths) {
      made[route.method](path, async (req: Request, res: ServerResponse, next: NextFunction) => {
        await guarded(app, res, async () => {
          const params = pipeline.params(route, req.params);
          if (params === null) next();
          else await pipeline.run(route, params, exchanges.get(req) ?? new Exchange(app, req, res));
        });
      });
    }
    return made.use(noRoute);
  };
  // Express tries one path after the other. With one router per first segment only few remain to be tried.
  // Each router is made when it is first needed: making all of them would take longer than the rest of the
  // start.
  const paths = new Map<string, MountedPath<A>[]>();
  for (const mounted of inMatchingOrder(routes)) {
    const name = firstSegment(mounted.path);
    paths.set(name, [...(paths.get(name) ?? []), mounted]);
  }
  const sections = new Map<string, Router>();
  router.use((req, res, next) => {
    const name = firstSegment(req.url); // Express sets `path`, a plain server does not
    const known = paths.get(name);
    if (!known) {
      void noRoute(req, res);
      return;
    }
    const asked = sections.get(name) ?? section(known);
    sections.set(name, asked);
    asked(req, res, next);
  });
  // Express recognises error handlers by their four parameters.
  router.use((error: unknown, _req: IncomingMessage, res: ServerResponse, _next: NextFunction) =>
    sendError(app, res, error),
  );
  return router;
}

// Answers a failure here, so that it never reaches the host's own error handler.
async function guarded(app: RouterNeeds, res: ServerResponse, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    try {
      sendError(app, res, error);
    } catch (cause) {
      app.log.error('no answer could be sent', { error: cause });
      res.destroy();
    }
  }
}

const firstSegment = (address: string): string =>
  (address.split('?', 1)[0]?.split('/', 2)[1] ?? '').toLowerCase();

export interface MountedPath<A> {
  readonly route: Route<A>;
  readonly path: string;
}

/**
 * Every path of every route, fixed segments before parameters, so that `/affiliates/export` comes before
 * `/affiliates/:id`.
 */
export function inMatchingOrder<A>(routes: readonly Route<A>[]): MountedPath<A>[] {
  return routes
    .flatMap((route) => route.paths.map((path) => ({ route, path })))
    .map((mounted) => ({
      mounted,
      key: mounted.path
        .split('/')
        .map((segment) => (segment.startsWith(':') ? '1' : '0'))
        .join(''),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ mounted }) => mounted);
}
