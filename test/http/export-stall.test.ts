import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import type { ExportRow } from '../../src/core/page.js';
import { exportRows } from '../../src/platform/http/export.js';
import { Exporter } from '../../src/platform/http/exporter.js';
import type { Exchange } from '../../src/platform/http/request.js';

const PAGE = Array.from({ length: 1000 }, (_, id) => ({ id, text: 'x'.repeat(200) }));

async function* pages(count: number): AsyncGenerator<readonly ExportRow[]> {
  for (let page = 0; page < count; page++) yield PAGE;
}

const source = (count: number) =>
  exportRows({ name: 'rows', columns: ['id', 'text'], total: count * PAGE.length, rows: pages(count) });

/** An exporter behind a plain server; `admin` says who asks. */
async function serve(exporter: Exporter, count: number) {
  const ended: unknown[] = [];
  const server = createServer((req, res) => {
    const admin = req.headers['x-admin'] === 'yes';
    const exchange = {
      app: {},
      req,
      res,
      method: 'GET',
      query: {},
      user: { id: Number(req.headers['x-user']) },
      access: { can: async () => admin },
    } as unknown as Exchange;
    exporter.send(exchange, source(count)).then(
      () =>
        ended.push({
          drain: res.listenerCount('drain'),
          close: res.listenerCount('close'),
          destroyed: res.destroyed,
        }),
      (error: { code?: string }) => {
        ended.push(error.code);
        res.writeHead(429).end();
      },
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (user: number, admin = false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpRequest(
        {
          port,
          host: '127.0.0.1',
          headers: { 'x-user': user, 'x-admin': admin ? 'yes' : 'no' },
          agent: false,
        },
        resolve,
      )
        .on('error', reject)
        .end();
    });
  return { server, ask, ended };
}

const drained = async (answer: IncomingMessage): Promise<number> => {
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return bytes;
};

it('an export nobody reads from is broken off, and its slot is free again', async () => {
  const { server, ask, ended } = await serve(new Exporter(1500), 400);
  const stalled = [await ask(1), await ask(1)];
  expect((await ask(1)).statusCode).toBe(429);
  while (ended.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ended.slice(1)).toEqual([
    expect.objectContaining({ destroyed: true }),
    expect.objectContaining({ destroyed: true }),
  ]);
  await expect(drained(stalled[0]!)).rejects.toThrow(/aborted/);
  const free = await ask(1);
  expect(free.statusCode).toBe(200);
  free.destroy();
  stalled[1]!.destroy();
  server.closeAllConnections();
  server.close();
});

it('a long one that is read leaves no listeners behind', async () => {
  const { server, ask, ended } = await serve(new Exporter(30_000), 60);
  expect(await drained(await ask(1))).toBeGreaterThan(60 * 1000 * 200);
  expect(ended).toEqual([expect.objectContaining({ drain: 0 })]);
  expect((ended[0] as { close: number }).close).toBeLessThan(3);
  server.closeAllConnections();
  server.close();
});

it('an administrator gets the seventh place, nobody else', async () => {
  const { server, ask } = await serve(new Exporter(30_000), 400);
  const running = await Promise.all([1, 1, 2, 2, 3, 3].map((user) => ask(user)));
  expect((await ask(4)).statusCode).toBe(429);
  const admin = await ask(5, true);
  expect(admin.statusCode).toBe(200);
  expect((await ask(6, true)).statusCode).toBe(429);
  for (const answer of [...running, admin]) answer.destroy();
  server.closeAllConnections();
  server.close();
});
