import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { policies } from '../../src/platform/access/policies.js';
import { fail } from '../../src/errors.js';
import { routesFor, type Route } from '../../src/platform/http/define-route.js';
import { startHarness, type Harness } from './harness.js';
import type { Platform } from '../../src/platform/platform.js';

const defineRoute = routesFor<Platform>('test');

const answer = Type.Object({}, { additionalProperties: true });
const body = Type.Object({ name: Type.Optional(Type.String()) });

// Each effect is a row in skip_counts; the handler counts how often it ran.
let runs: number;
let before: () => Promise<void>;
let after: () => Promise<void>;
const effect = (
  id: `${string}.${string}`,
  path: `/${string}`,
  facts: Pick<Route, 'secret' | 'lifetimeHours'> = {},
) =>
  defineRoute({
    id,
    method: 'post',
    paths: [path],
    access: policies.signedIn,
    summary: 'Effect',
    body,
    response: answer,
    ...facts,
    handler: async ({ app, body: { name } }) => {
      runs += 1;
      const run = runs;
      await before();
      await app.transaction(async (trx) => {
        await trx('skip_counts').insert({ day: run, kind: 'test', reason: 'run', hits: 1 });
      });
      await after();
      return { run, name };
    },
  });

let t: Harness;
beforeEach(async () => {
  runs = 0;
  before = after = async () => {};
  t = await startHarness([
    effect('effects.add', '/effects'),
    effect('effects.issue', '/secret', { secret: true }),
    effect('payouts.run', '/payouts', { lifetimeHours: 72 }),
  ]);
});
afterEach(() => t.close());

const post = (key: string, sent: object = { name: 'a' }, path = '/effects', user = 2) =>
  t.send(user, 'post', path).set('Idempotency-Key', key).send(sent);
const effects = async (): Promise<number> => (await t.app.db('skip_counts').select('day')).length;
const rows = (): Promise<{ status: number | null }[]> =>
  t.app.db('idempotency_keys').select('status') as never;

describe('Idempotency-Key', () => {
  it('gives the stored answer to a repeat, without a second effect', async () => {
    const first = await post('k1', { name: 'a', query_timestamp: 1 }).expect(200);
    const again = await post('k1', { name: 'a', query_timestamp: 2 }).expect(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect([runs, await effects()]).toEqual([1, 1]);
  });

  it('keeps users, bodies and routes apart', async () => {
    await post('k1').expect(200);
    await post('k1', { name: 'a' }, '/effects', 3).expect(200, { run: 2, name: 'a' });
    expect((await post('k1', { name: 'b' }).expect(422)).body.code).toBe('idempotency_key_reused');
    expect((await post('k1', { name: 'a' }, '/payouts').expect(422)).body.code).toBe(
      'idempotency_key_reused',
    );
  });

  it.each(['', 'x'.repeat(256), 'käse'])('refuses the key %j', async (key) => {
    if (key === 'käse') await post(Buffer.from(key).toString('latin1')).expect(422);
    else await post(key).expect(422);
    expect(runs).toBe(0);
  });

  it('means nothing where the answer holds a secret', async () => {
    await post('k1', {}, '/secret').expect(200);
    await post('k1', {}, '/secret').expect(200);
    expect([runs, (await rows()).length]).toEqual([2, 0]);
  });

  it('lets a refused request be repeated with its key', async () => {
    before = async () => fail('invalid_status');
    await post('k1').expect(422);
    before = async () => {};
    await post('k1').expect(200, { run: 2, name: 'a' });
  });

  it('runs one of sixteen that arrive together and gives its answer to all', async () => {
    before = () =>
      new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    const answers = await Promise.all(Array.from({ length: 16 }, () => post('k1')));
    expect(answers.map(({ status, body: { run } }) => [status, run])).toEqual(
      Array.from({ length: 16 }, () => [200, 1]),
    );
    expect(await effects()).toBe(1);
  });

  it('forgets a key after 24 hours, that of a payout after 72', async () => {
    await post('k1').expect(200);
    await post('k2', {}, '/payouts').expect(200);
    t.clock.time += 25 * 3_600_000;
    await post('k1').expect(200, { run: 3, name: 'a' });
    expect((await post('k2', {}, '/payouts').expect(200)).body.run).toBe(2);
  });

  it('never repeats an effect whose answer was lost', async () => {
    after = async () => {
      throw new Error('process died');
    };
    await post('k1').expect(500);
    expect(await rows()).toEqual([{ status: 0 }]);
    after = async () => {};
    expect((await post('k1').expect(409)).body.code).toBe('idempotency_committed');
    expect(await effects()).toBe(1);
  });

  it('takes over a claim that was left without an effect', async () => {
    await post('k1').expect(200);
    await t.app.db('idempotency_keys').update({ status: null, answer: null, owner: 'a dead process' });
    t.clock.time += 61_000;
    await post('k1').expect(200, { run: 2, name: 'a' });
  });

  it('stops the slow owner of a claim that was taken over before its transaction opened', async () => {
    let release = (): void => {};
    let slow: Promise<{ status: number }> = Promise.resolve({ status: 0 });
    await new Promise<void>((started) => {
      before = () => {
        started();
        return runs === 1
          ? new Promise((resolve) => {
              release = resolve;
            })
          : Promise.resolve();
      };
      slow = post('k1').then((response) => response);
    });
    t.clock.time += 61_000;
    await post('k1').expect(200, { run: 2, name: 'a' });
    release();
    expect((await slow).status).toBe(409);
    expect(await effects()).toBe(1);
  });

  it('keeps the stored answer when a tap goes on working after it', async () => {
    let late = Promise.resolve();
    after = async () => {
      late = new Promise<void>((resolve) => {
        setTimeout(resolve, 50);
      }).then(() =>
        t.app.transaction(async (trx) => {
          await trx('skip_counts').insert({ day: 99, kind: 'late', reason: 'tap', hits: 1 });
        }),
      );
    };
    await post('k1').expect(200);
    await late;
    await post('k1').expect(200, { run: 1, name: 'a' });
    expect(await effects()).toBe(2);
  });
});
