import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { policies } from '../../src/platform/access/policies.js';
import { routesFor } from '../../src/platform/http/define-route.js';
import type { ExportRow } from '../../src/core/page.js';
import { exportRows } from '../../src/platform/http/export.js';
import { BASE, startHarness } from './harness.js';
import { fixtureRoutes } from './routes-fixture.js';

const defineRoute = routesFor<unknown>('big');

const CSV = 'id,title,amount\n1,\'=1+1,-2.5\n2,"Smith, ""J""\n",\n3,plain,0\n';
const ROWS = {
  things: [
    { id: 1, title: "'=1+1", amount: -2.5 },
    { id: 2, title: '"Smith, ""J"""', amount: null },
    { id: 3, title: 'plain', amount: 0 },
  ],
};

const exporting = (total: number, rows: () => AsyncGenerator<ExportRow[]>) =>
  defineRoute({
    id: 'big.export',
    method: 'get',
    paths: ['/big'],
    access: policies.signedIn,
    summary: 'Big',
    response: Type.Object({}),
    handler: async () =>
      exportRows({ name: 'big', file: 'payout_transactions_7.csv', columns: ['id'], total, rows: rows() }),
  });

async function* numbers(count: number, failAt = Infinity): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < count; from += 1000) {
    if (from >= failAt) throw new Error('lost the database');
    yield Array.from({ length: Math.min(1000, count - from) }, (_, i) => ({ id: from + i + 1 }));
  }
}

describe('exports', () => {
  it.each<[string, string, 'csv' | 'json']>([
    ['', '', 'csv'],
    ['', '*/*', 'csv'],
    ['', 'text/html,application/xhtml+xml,*/*;q=0.8', 'csv'],
    ['', 'text/csv', 'csv'],
    ['', 'application/json, text/plain, */*', 'json'],
    ['', 'application/json;q=0', 'csv'],
    ['?format=json', 'text/csv', 'json'],
    ['?format=csv', 'application/json', 'csv'],
  ])('%s with Accept "%s" is %s', async (query, accept, kind) => {
    const t = await startHarness(fixtureRoutes);
    const { headers, text, body } = await t
      .send(1, 'get', `/things/export${query}`)
      .set('Accept', accept)
      .expect(200);
    expect(headers['x-export-total']).toBe('3');
    if (kind === 'json') expect(body).toEqual({ ...ROWS, limited: false, total: 3 });
    else
      expect([text, headers['content-disposition']]).toEqual([
        CSV,
        'attachment; filename="things_export.csv"',
      ]);
    await t.close();
  });

  it('caps the JSON form alone, at 5,000 or what the filter says', async () => {
    const t = await startHarness([exporting(12_000, () => numbers(12_000))]);
    const json = await t.send(1, 'get', '/big?format=json').expect(200);
    expect([json.body.big.length, json.body.limited, json.body.total]).toEqual([5000, true, 12_000]);
    t.app.hooks.addFilter('data_export_limit', () => 10);
    expect((await t.send(1, 'get', '/big?format=json')).body.big).toHaveLength(10);
    const csv = await t.send(1, 'get', '/big').expect(200);
    expect(csv.text.split('\n')).toHaveLength(12_002);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="payout_transactions_7.csv"');
    await t.close();
  });

  it('breaks the stream when it fails half-way, and answers an error when it fails before', async () => {
    const t = await startHarness([exporting(5000, () => numbers(5000, 3000))]);
    await expect(t.send(1, 'get', '/big')).rejects.toThrow(/aborted|hang up/);
    await t.close();
    const early = await startHarness([exporting(5000, () => numbers(5000, 0))]);
    expect((await early.send(1, 'get', '/big').expect(500)).body.code).toBe('internal_error');
    await early.close();
  });

  it('runs at most six in a process, whoever asks', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let sixth = (): void => {};
    const allBegun = new Promise<void>((resolve) => {
      sixth = resolve;
    });
    let begun = 0;
    const t = await startHarness([
      exporting(1, async function* waiting() {
        begun += 1;
        if (begun === 6) sixth();
        await gate;
        yield [{ id: 1 }];
      }),
    ]);
    t.host.addUser({ id: 4, login: 'carol', email: 'carol@shop.test' });
    const running = [1, 1, 2, 2, 3, 3].map((user) =>
      t.send(user, 'get', '/big').then(({ status }) => status),
    );
    await allBegun;

    const { headers, body } = await t.send(4, 'get', '/big').expect(429);
    expect([body.code, Number(headers['retry-after']) > 0]).toEqual(['too_many_exports', true]);
    release();
    expect(await Promise.all(running)).toEqual([200, 200, 200, 200, 200, 200]);
    await t.send(4, 'get', '/big').expect(200);
    await t.close();
  });

  it('reads only as fast as the client takes, and stops when it goes; two run per user', async () => {
    let produced = 0;
    const t = await startHarness([
      exporting(1e9, async function* endless() {
        for (;;) {
          produced += 1;
          yield Array.from({ length: 1000 }, () => ({ id: 1_000_000_000 }));
        }
      }),
    ]);
    const { port } = t.server.address() as AddressInfo;
    const open = () => get({ port, path: `${BASE}/big`, headers: t.headers(1) });
    const [first, second] = [open(), open()];
    // Both are listened to at once: the second may answer while the first is waited for.
    const [[response]] = (await Promise.all([once(first, 'response'), once(second, 'response')])) as [
      [NodeJS.ReadableStream],
      unknown,
    ];
    await once(response, 'readable');
    let before = -1;
    while (before !== produced) {
      before = produced;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
    expect(produced).toBeLessThan(5000);
    expect((await t.send(1, 'get', '/big').expect(429)).body.code).toBe('too_many_exports');
    first.destroy();
    second.destroy();
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect((await t.send(1, 'head', '/big').expect(200)).headers['x-export-total']).toBe('1000000000');
    await t.close();
  });
});
