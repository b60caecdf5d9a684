import { once } from 'node:events';
import { ServerResponse, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { originalOf, toKoa, toWeb } from '../../frameworks/index.js';
import { consoleApp } from '../../console/server/index.js';
import { mainJourney, startShop, type Shop, type Site } from '../support/journey.js';
import { NAVIGATION } from '../support/tracker.js';
import { SITES } from './sites.js';

let shop: Shop;
let site: Site | undefined;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(async () => {
  await site?.close();
  site = undefined;
  await shop.service.close();
});

describe.each(Object.entries(SITES))('on %s', (_name, make) => {
  it('a link leads to a commission that is paid, with the sign-in of the host', async () => {
    site = await make(shop);
    await mainJourney(site, shop);
    expect(shop.problems).toEqual([]);
  });
});

describe('bridges', () => {
  const BASE = 'https://shop.test';

  it('lead from the plain request to what the framework made of it', async () => {
    const found: unknown[] = [];
    const service = {
      basePath: '/api',
      tracker: (req: IncomingMessage, _res: unknown, next: () => void) => {
        found.push(originalOf(req));
        next();
      },
      router: (_req: unknown, res: ServerResponse) => void res.end('answer'),
    };
    const request = new Request(`${BASE}/page`);
    await toWeb(service)(request);
    const plain = { url: '/page' } as IncomingMessage;
    const context = {
      req: plain,
      res: new ServerResponse(plain),
      request: { body: { a: 1 }, rawBody: '{"a":1}' },
    };
    await toKoa(service)(context, async () => {});
    expect(found).toEqual([request, context]);
    expect(plain).toMatchObject({ body: { a: 1 }, rawBody: Buffer.from('{"a":1}') });
  });

  it('leave compressing to the platform, which may drop the header that names it', async () => {
    const { basePath } = shop.service;
    const handle = toWeb(shop.service, { '/affiliate-admin': consoleApp(shop.service) });
    const packed = { headers: { 'Accept-Encoding': 'gzip, br' } };
    const page = await handle(new Request(`${BASE}/affiliate-admin/`, packed));
    const [, script] = /src="\.\/(assets\/[^"]+)"/.exec(await page.text()) ?? [];
    const answer = await handle(new Request(`${BASE}/affiliate-admin/${script}`, packed));
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
    expect(await answer.text()).toContain('import');
    expect((await handle(new Request(BASE + basePath, packed))).headers.get('content-encoding')).toBeNull();
  });

  it('send long answers as they are read, and stop when nobody reads on', async () => {
    let written = 0;
    let closed = false;
    const service = {
      basePath: '/api',
      tracker: (_req: unknown, _res: unknown, next: () => void) => next(),
      router: (_req: unknown, res: ServerResponse) => {
        res.once('close', () => {
          closed = true;
        });
        void (async () => {
          while (!res.destroyed && written < 1000) {
            written += 1;
            if (!res.write('x'.repeat(1000))) await Promise.race([once(res, 'drain'), once(res, 'close')]);
          }
          res.end();
        })();
      },
    };
    const answer = await toWeb(service)(new Request(`${BASE}/api/export`));
    const reader = answer.body?.getReader();
    for (let part = 0; part < 5; part++) expect((await reader?.read())?.value).toHaveLength(1000);
    expect(written).toBeLessThan(20);
    await reader?.cancel();
    await new Promise(setImmediate);
    expect([closed, written < 20]).toEqual([true, true]);

    written = 990;
    expect(await (await toWeb(service)(new Request(`${BASE}/api/export`))).text()).toHaveLength(10_000);
  });

  it('answer 404 where there is neither the service nor a page, and tell an error of the page to its framework', async () => {
    const handle = toWeb(shop.service);
    expect((await handle(new Request(`${BASE}/nothing`))).status).toBe(404);
    await expect(
      handle(new Request(`${BASE}/page`), () => {
        throw new Error('the page failed');
      }),
    ).rejects.toThrow('the page failed');
    const redirect = await handle(new Request(`${BASE}/old?ref=1`, { headers: NAVIGATION }), () =>
      Response.redirect(`${BASE}/new`),
    );
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, `${BASE}/new`]);
  });
});
