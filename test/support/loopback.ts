import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Headers } from './tracker.js';

const open = new Set<Server>();

/** The port on 127.0.0.1 where it listens until `stopServers`. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.add(server);
  return (server.address() as AddressInfo).port;
}

/** An answer as it came, for headers that `fetch` would not show. */
export const fetched = (port: number, path: string, headers: Headers): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get({ port, path, headers, host: '127.0.0.1', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer));
    }).on('error', reject);
  });

export function stopServers(): void {
  for (const server of open) {
    server.closeAllConnections();
    server.close();
  }
  open.clear();
}
