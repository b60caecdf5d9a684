import type { IncomingMessage, ServerResponse } from 'node:http';
import { run, type BridgedService, type Mounts } from './service.js';

/**
 * For plain `node:http`: tracks visits, handles requests to the service, and passes every other request to
 * `page`; without one they get a 404. `createServer(toNode(service, (req, res) => res.end('page')))`
 */
export function toNode(
  service: BridgedService,
  page: (req: IncomingMessage, res: ServerResponse) => unknown = notFound,
  mounts: Mounts = {},
): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    void (async () => {
      try {
        if ((await run(service, mounts, req, res)) === 'page') await page(req, res);
      } catch {
        // An error of the page is the host's to log; the request is ended, so that the client does not wait
        // for a response that never comes.
        if (!res.headersSent) res.writeHead(500);
        res.end();
      }
    })();
  };
}

const notFound = (_req: IncomingMessage, res: ServerResponse): void => {
  res.writeHead(404).end();
};
