import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { guardedFetch, isPublicAddress, readText, type Resolve } from '../../src/core/guarded-fetch.js';

let server: Server;
let answer: RequestListener;
const asked: string[] = [];
let connections = 0;
beforeAll(
  () =>
    new Promise<void>((resolve) => {
      server = createServer((req, res) => {
        asked.push(`${req.method} ${req.headers.host}${req.url}`);
        answer(req, res);
      })
        .on('connection', () => {
          connections += 1;
        })
        .listen(0, '127.0.0.1', resolve);
    }),
);
afterEach(() => {
  asked.length = 0;
  connections = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
const at = (host: string, path = '/'): URL =>
  new URL(`http://${host}:${(server.address() as AddressInfo).port}${path}`);
const resolving = (...answers: readonly (readonly string[])[]): { resolve: Resolve; names: string[] } => {
  const names: string[] = [];
  return {
    names,
    resolve: async (host) => {
      names.push(host);
      return answers[Math.min(names.length, answers.length) - 1] ?? [];
    },
  };
};

describe('an address', () => {
  it.each([
    ['93.184.216.34', true],
    ['2606:2800:220:1:248:1893:25c8:1946', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['fec0::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::127.0.0.1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::a00:1', false],
    ['2002:a00:1::', false],
    ['not an address', false],
  ])('%s is public: %s', (address, expected) => {
    expect(isPublicAddress(address)).toBe(expected);
  });
});

describe('a guarded request', () => {
  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    '0.0.0.0',
  ])('to %s opens no connection', async (host) => {
    await expect(guardedFetch()(at(host))).rejects.toThrow('public internet');
    expect(connections).toBe(0);
  });

  it.each([
    ['one private address', ['127.0.0.1']],
    ['a private one beside a public one', ['93.184.216.34', '127.0.0.1']],
    ['no address', []],
    ['something else', ['127.1']],
  ])('to a name with %s opens no connection', async (_, addresses) => {
    const { resolve, names } = resolving(addresses);
    await expect(guardedFetch({ resolve })(at('shop.test'))).rejects.toThrow('public internet');
    expect([connections, names]).toEqual([0, ['shop.test']]);
  });

  it('goes to the address that was checked, whatever the name answers later', async () => {
    // The port is ours on 127.0.0.1 only: a second look-up would end elsewhere.
    const { resolve, names } = resolving(['127.0.0.1'], ['127.0.0.2']);
    answer = (_req, res) => {
      res.writeHead(200, { 'X-Two': ['a', 'b'] }).end('hello');
    };
    const get = guardedFetch({ resolve, allowPrivateNetworks: true });
    const first = await get(at('shop.test', '/x?y=1'));
    expect([first.status, first.headers.get('x-two'), await readText(first, 100)]).toEqual([
      200,
      'a, b',
      'hello',
    ]);
    expect(asked).toEqual([`GET shop.test:${at('a').port}/x?y=1`]);
    expect(names).toEqual(['shop.test']);
  });

  it('is refused when the name turns private between two requests', async () => {
    const { resolve } = resolving(['127.0.0.1']);
    answer = (_req, res) => {
      res.setHeader('Connection', 'close').end();
    };
    await guardedFetch({ resolve, allowPrivateNetworks: true })(at('shop.test'));
    await expect(guardedFetch({ resolve })(at('shop.test'))).rejects.toThrow('public internet');
    expect(connections).toBe(1);
  });

  it('sends what it is given, and hands on an answer without a body', async () => {
    let received = '';
    answer = (req, res) => {
      req.on('data', (part: Buffer) => {
        received += `${req.headers['content-type']} ${part.toString()}`;
      });
      req.on('end', () => {
        res.writeHead(204).end();
      });
    };
    const done = await guardedFetch({ allowPrivateNetworks: true })(at('127.0.0.1'), {
      method: 'PATCH',
      headers: { 'Content-Type': 'text/plain' },
      body: 'abc',
    });
    expect([done.status, received]).toEqual([204, 'text/plain abc']);
  });

  it('follows no redirect', async () => {
    answer = (_req, res) => {
      res.writeHead(302, { Location: '/elsewhere' }).end();
    };
    const get = guardedFetch({ allowPrivateNetworks: true });
    await expect(get(at('127.0.0.1'), { redirect: 'error' })).rejects.toThrow('redirected');
    expect((await get(at('127.0.0.1'))).status).toBe(302);
    expect(asked).toHaveLength(2);
  });

  it('ends in time, and with what fits', async () => {
    answer = () => {};
    const get = guardedFetch({ allowPrivateNetworks: true });
    await expect(get(at('127.0.0.1'), { signal: AbortSignal.timeout(50) })).rejects.toThrow(/abort/i);
    answer = (_req, res) => {
      res.end('x'.repeat(2000));
    };
    await expect(readText(await get(at('127.0.0.1')), 1000)).rejects.toThrow('too long');
  });
});
