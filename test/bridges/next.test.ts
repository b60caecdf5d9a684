import { expect, it } from '@jest/globals';
import { plainRequest, toNextHandlers, track } from '../../frameworks/next.js';
import { BROWSER } from '../support/tracker.js';
import { testProgram } from '../../testing/index.js';

// What `npx affiliate-service init --framework next` writes calls these.

const ask = (path: string, forwarded?: string): Request =>
  new Request(`https://shop.test${path}`, {
    headers: {
      accept: 'text/html',
      'sec-fetch-dest': 'document',
      'user-agent': BROWSER,
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    },
  });

it('counts a click before the page, and answers the routes of the interface', async () => {
  await using program = await testProgram();
  await program.affiliate('alice');
  let made = 0;
  const start = { service: program.service, proxies: 1 };
  const lazy = () => {
    made += 1;
    return start;
  };
  const { GET, POST } = toNextHandlers(lazy);
  const counted = track(lazy);
  expect(made).toBe(0); // `next build` loads the files and needs no database

  const page = await counted(ask('/?ref=alice', '203.0.113.7'), () => new Response('page'));
  expect([page.status, await page.text()]).toEqual([200, 'page']);
  const cookie = String(page.headers.getSetCookie()[0]).split(';')[0] ?? '';
  const bought = plainRequest(new Headers({ host: 'shop.test', cookie }));
  const order = {
    provider: 'shop',
    reference: 'N-1',
    status: 'unpaid',
    order: { subtotal: '100.00' },
  } as const;
  expect(await program.service.conversions.record(bought, order)).toMatchObject({ created: true });
  expect((await GET(ask(`${program.service.basePath}/affiliates`))).status).toBe(401);
  expect((await POST(ask('/nothing'))).status).toBe(404);
});

it.each<[string, number | undefined, string | undefined, string | null]>([
  ['the one proxy', 1, '198.51.100.9, 203.0.113.7', '203.0.113.0'],
  ['the outer one of two', 2, '198.51.100.9, 203.0.113.7, 10.0.0.2', '203.0.113.0'],
  ['nobody, when none is named', undefined, '198.51.100.9', null],
  ['nobody, when there is none', 0, '198.51.100.9', null],
  ['nobody, when a proxy is missing', 2, '198.51.100.9', null],
])('believes what %s says about the address', async (_who, proxies, forwarded, expected) => {
  await using program = await testProgram();
  await program.affiliate('alice');
  const start = { service: program.service, ...(proxies !== undefined && { proxies }) };
  await track(() => start)(ask('/?ref=alice', forwarded), () => new Response('page'));
  await program.advance('1m');
  const { rows } = await program.service.visits.list();
  expect(rows.map(({ ip }) => ip)).toEqual([expected]);
});
