import { describe, expect, it } from '@jest/globals';
import { fc } from './support/random.js';
import request, { type Response } from 'supertest';
import { allRoutes } from '../src/app/routes.js';
import { AnswerCheck } from './support/answers.js';
import { startApp, type TestApp, type Verb } from './support/app.js';
import { liveIn, readEverything } from './support/lived-in.js';
import { SEED } from './support/seed.js';
import { stopwatch } from './support/cpu.js';
import {
  BOUNDARY,
  flatten,
  KEY_CALLER,
  parts,
  randomRequests,
  type Encoding,
  type RandomRequest,
} from './support/random-requests.js';
import { KEY_RIGHTS } from '../src/platform/access/key-rights.js';

// A fresh service for every batch, because the requests delete what there is;
// FUZZ=10000 asks for more of them.
const BATCH = 1000;
const BATCHES = Math.ceil(Number(process.env['FUZZ'] ?? 5000) / BATCH);
const TOLD = process.env['FUZZ_SEED'] !== undefined;
const MINUTE = 60_000;
const routes = allRoutes();
const answers = new AnswerCheck(routes);

async function startSeeded(): Promise<TestApp> {
  const t = await startApp({ clawback: 'adjust', providers: [] });
  await liveIn(t);
  return t;
}

/** An API key of the administrator with every right. */
async function madeKey(t: TestApp): Promise<string> {
  const { body } = await t.admin.post('/settings/api-keys').send({ name: 'All', rights: [...KEY_RIGHTS] });
  return body.key;
}

const encoded = (pairs: readonly (readonly [string, string])[]): string =>
  pairs
    .map((pair) => pair.map((part) => encodeURIComponent(Buffer.from(part).toString())).join('='))
    .join('&');

const WRITTEN: Record<Encoding, (one: RandomRequest) => [type: string, text: string]> = {
  json: ({ body }) => ['json', JSON.stringify(body ?? null)],
  form: ({ body }) => ['form', encoded(flatten(body))],
  parts: ({ body }) => [`multipart/form-data; boundary=${BOUNDARY}`, parts(body)],
  raw: ({ raw }) => ['json', raw],
};

async function send(t: TestApp, key: string, one: RandomRequest): Promise<Response> {
  const verb = one.method as Verb;
  const call = request(t.server)
    [verb](`${t.service.basePath}${one.path}?${encoded(one.query)}`)
    .set(one.user === KEY_CALLER ? { Authorization: `Bearer ${key}` } : t.headers(one.user));
  if (verb !== 'get' && verb !== 'head') {
    // Text stays as it is; supertest would encode it a second time.
    const [type, text] = WRITTEN[one.encoding](one);
    call
      .type(type)
      .serialize((sent: unknown) => sent as string)
      .send(text);
  }
  return call.set(one.headers).ok(() => true);
}

describe('answers of a program that has been used for a while', () => {
  it('match their schemas in every list and view', async () => {
    const t = await startSeeded();
    const read = await readEverything(t, routes);
    const readable = routes.filter(({ method, access }) => method === 'get' && access.kind !== 'site');
    // The others ask for a word or a parameter that only their own tests know.
    expect(read.size).toBeGreaterThan(0.7 * readable.length);
    for (const list of [
      'affiliates.list',
      'referrals.list',
      'payouts.list',
      'payouts.transactions',
      'visits.list',
    ])
      expect(read.has(list)).toBe(true);
  });
});

describe('random requests', () => {
  it.each(Array.from({ length: BATCHES }, (_, i) => i + 1))(
    'never get a 5xx, a slow answer or one that does not match its schema (batch %i)',
    async (batch) => {
      const t = await startSeeded();
      const key = await madeKey(t);
      const statuses = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(randomRequests(routes), async (one) => {
          t.clock.advance(MINUTE / 500); // below the limit of requests per minute
          const ms = stopwatch();
          const { status, body, headers } = await send(t, key, one);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          expect([status < 500, ms() < 5000, headers['x-request-id']]).toEqual([
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
          seed: SEED + batch - 1,
          endOnFailure: !TOLD,
        },
      );
      t.clock.advance(5 * MINUTE);
      await readEverything(t, routes);
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
