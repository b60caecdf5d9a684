import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../errors.js';
import type { Route } from './define-route.js';
import { noteRoute, sendError } from './error-handler.js';
import { authenticate } from './guard.js';
import type { RouterNeeds } from './deps.js';
import { Pipeline } from './pipeline.js';
import { setCommonHeaders } from './reply.js';
import { checkUrlLength, Exchange } from './request.js';
import { RouteTable } from './route-table.js';

export interface RouterOptions {
  /** Requests wait for this; it is the service's `ready()`. */
  readonly ready?: () => Promise<void>;
}

/**
 * A handler that serves the declared routes below the path that Express (4 or 5) mounts it at, and responds
 * to every address there. It finds routes itself: Express would try one pattern after the other.
 */
export function createRouter<A extends RouterNeeds>(
  app: A,
  routes: readonly Route<A>[],
  options: RouterOptions = {},
): (req: IncomingMessage, res: ServerResponse) => void {
  const table = new RouteTable(routes);
  const pipeline = new Pipeline(app);

  return (req, res) => {
    void guarded(app, res, async () => {
      const exchange = new Exchange(app, req, res);
      setCommonHeaders(res, exchange.id);
      await options.ready?.();
      checkUrlLength(exchange);
      await authenticate(exchange, pipeline.limiter);
      for (const match of table.find(exchange.method, exchange.target)) {
        const params = pipeline.params(match.route, match.params);
        if (params === null) continue;
        noteRoute(res, match.route.id);
        return pipeline.run(match.route, params, exchange);
      }
      return fail('rest_no_route');
    });
  };
}

// Responds to a failure here, so that it never reaches the host's own error handler.
async function guarded(app: RouterNeeds, res: ServerResponse, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    try {
      sendError(app, res, error);
    } catch (cause) {
      app.log.error('a response could not be sent', { error: cause });
      res.destroy();
    }
  }
}
