import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import request, { type Response } from 'supertest';
import { allRoutes } from '../src/http/routes.js';
import { AnswerCheck } from './support/answers.js';
import { startApp, type TestApp, type Verb } from './support/app.js';
import { stopwatch } from './support/cpu.js';
import { flatten, randomRequests, type RandomRequest } from './support/random-requests.js';

// A fresh service for every batch, because the requests delete what there is; FUZZ=10000 asks for more of them.
const BATCH = 1000;
const BATCHES = Math.ceil(Number(process.env['FUZZ'] ?? 5000) / BATCH);
const SEED = process.env['FUZZ_SEED'];
const MINUTE = 60_000;
const routes = allRoutes();
const answers = new AnswerCheck(routes);

async function startSeeded(): Promise<TestApp> {
  const t = await startApp();
  for (const userId of [2, 3, 4]) {
    await t.records.group();
    const affiliate = await t.records.affiliate({ user_id: userId });
    await t.records.visit({ affiliate_id: affiliate.id });
    await t.records.referral({ affiliate_id: affiliate.id });
    await t.records.payout();
    await t.records.referral({ affiliate_id: affiliate.id });
  }
  return t;
}

const encoded = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .map((pair) => pair.map((part) => encodeURIComponent(Buffer.from(part).toString())).join('='))
    .join('&');

async function send(
  t: TestApp,
  { method, path, query, user, encoding, body, raw, headers }: RandomRequest,
): Promise<Response> {
  const verb = method as Verb;
  const call = request(t.server)
    [verb](`${t.service.basePath}${path}?${encoded(query)}`)
    .set(t.headers(user));
  if (verb !== 'get' && verb !== 'head') {
    // Text stays as it is; supertest would encode it a second time.
    const sent =
      encoding === 'json' ? JSON.stringify(body ?? null) : encoding === 'form' ? encoded(flatten(body)) : raw;
    call
      .type(encoding === 'form' ? 'form' : 'json')
      .serialize((text: unknown) => text as string)
      .send(sent);
  }
  return call.set(headers).ok(() => true);
}

describe('random requests', () => {
  it.each(Array.from({ length: BATCHES }, (_, i) => i + 1))(
    'never get a 5xx, a slow answer or one that does not match its schema (batch %i)',
    async (batch) => {
      const t = await startSeeded();
      const statuses = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(randomRequests(routes), async (one) => {
          t.clock.advance(MINUTE / 500); // below the limit of requests per minute
          const ms = stopwatch();
          const { status, body, headers } = await send(t, one);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          expect([status < 500, ms() < 1000, headers['x-request-id']]).toEqual([
            true,
            true,
            expect.any(String),
          ]);
          if (one.method === 'head') return;
          if (status >= 400)
            expect(body).toMatchObject({
              code: expect.any(String),
              message: expect.any(String),
              data: { status },
            });
          const route = answers.find(methodOf(one), one.path);
          if (status === 200 && route && headers['content-type']?.startsWith('application/json'))
            answers.check(route, body);
        }),
        {
          numRuns: BATCH,
          ...(SEED === undefined ? { endOnFailure: true } : { seed: Number(SEED) + batch - 1 }),
        },
      );
      process.stdout.write(
        `${BATCH} requests: ${[...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, times]) => `${times} × ${status}`)
          .join(', ')}\n`,
      );
    },
    300_000,
  );
});

const methodOf = ({ method, headers }: RandomRequest): string =>
  method === 'post' && headers['X-HTTP-Method-Override'] ? headers['X-HTTP-Method-Override'] : method;
