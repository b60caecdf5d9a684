import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import { temporaryFolder } from '../support/folders.js';
import { NAVIGATION } from '../support/tracker.js';

/** A page behind a proxy that connects over a UNIX socket, as nginx does with `proxy_pass http://unix:…`. */
async function clicksOf(trustProxy: readonly string[], addresses: readonly string[]): Promise<unknown[]> {
  const t = await startApp({ tracking: { trustProxy, ip: 'raw' } });
  await t.records.affiliate({ user_id: 2 });
  const server = createServer((req, res) => t.service.tracker(req, res, () => res.end('page')));
  const socketPath = join(temporaryFolder(), 'host.sock');
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve);
  });
  const open = (headers: IncomingHttpHeaders): Promise<void> =>
    new Promise((resolve, reject) => {
      request({ socketPath, path: '/?ref=alice', headers }, (answer) => {
        answer.resume().on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  for (const address of addresses) await open({ ...NAVIGATION, 'x-forwarded-for': address });
  server.close();
  const { rows } = await t.service.visits.list();
  return rows.map(({ ip }) => String(ip)).toSorted();
}

it('takes the forwarded address of a proxy on a UNIX socket that is trusted by the word "unix"', async () => {
  expect(await clicksOf(['unix'], ['198.51.100.7', '203.0.113.9'])).toEqual(['198.51.100.7', '203.0.113.9']);
  expect(await clicksOf(['127.0.0.1'], ['198.51.100.7', '203.0.113.9'])).not.toContain('198.51.100.7');
});
