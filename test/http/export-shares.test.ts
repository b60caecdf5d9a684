import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate } from '../support/payouts.js';
import { insertMany } from '../support/rows.js';

const ROWS = 20_000;
/** Rows that are made into CSV at once. */
const SLICE = 250;
/** Half for the export, and what reading it takes in the same process. */
const SHARE = 0.75;

async function fill(t: TestApp): Promise<void> {
  const { id } = await affiliate(t, 2);
  const stamps = { created_at: t.clock.now(), updated_at: t.clock.now() };
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    affiliate_id: id,
    url: `https://shop.test/page/${at}?text="quoted, and long enough to be work"`,
    referrer: 'https://search.test/',
    ...stamps,
  }));
  await insertMany(t, 'visits', rows);
  await t.app.ledger.reconcile();
}

/** Reads an export as a client that does nothing with it; returns its number of bytes. */
async function download(t: TestApp): Promise<number> {
  const { port } = t.server.address() as AddressInfo;
  const path = `${t.service.basePath}/visits/export?format=csv`;
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, headers: t.headers(1), agent: false }, resolve).on('error', reject);
  });
  expect(res.statusCode).toBe(200);
  let bytes = 0;
  for await (const chunk of res) bytes += (chunk as Buffer).length;
  return bytes;
}

it('takes about half of the event loop, and gives it back after each slice of CSV', async () => {
  const t = await startApp();
  await fill(t);
  let [turns, ended] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!ended) setTimeout(count, 0);
  };
  const before = performance.eventLoopUtilization();
  setTimeout(count, 0);

  const bytes = await download(t);

  const { utilization } = performance.eventLoopUtilization(before);
  ended = true;
  expect(bytes).toBeGreaterThan(ROWS * 80);
  expect(turns).toBeGreaterThan(ROWS / SLICE);
  expect(utilization).toBeLessThan(SHARE);
});
