import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { HookVeto } from '../../hooks/index.js';
import { policies } from '../../src/platform/access/policies.js';
import { AffiliateError, ERRORS, fail } from '../../src/errors.js';
import { routesFor } from '../../src/platform/http/define-route.js';
import { startHarness } from './harness.js';

const defineRoute = routesFor<unknown>('failing');

const failing = (error: () => unknown) => [
  defineRoute({
    id: 'failing.now',
    method: 'get',
    paths: ['/failing'],
    access: policies.signedIn,
    summary: 'Fails',
    response: Type.Object({}),
    handler: async () => {
      throw error();
    },
  }),
];

async function answerTo(error: () => unknown) {
  const t = await startHarness(failing(error));
  const { status, body, headers } = await t.send(1, 'get', '/failing');
  await t.close();
  return { status, body, headers, log: t.log.filter(({ level }) => level === 'error') };
}

describe('error answers', () => {
  it('says what went wrong below 500', async () => {
    const { status, body } = await answerTo(() => new AffiliateError('affiliate_not_found'));
    expect([status, body]).toEqual([
      404,
      { code: 'affiliate_not_found', message: ERRORS.affiliate_not_found[1], data: { status: 404 } },
    ]);
  });

  it('adds the extra keys of an error', async () => {
    const { status, body } = await answerTo(
      () => new AffiliateError('group_not_found', { status: 422, data: { a: 1 }, extra: { b: 2 } }),
    );
    expect([status, body]).toMatchObject([
      422,
      { code: 'group_not_found', b: 2, data: { status: 422, a: 1 } },
    ]);
  });

  it('gives the text of an extension that stopped the operation', async () => {
    const { status, body } = await answerTo(() => new HookVeto('Not today.', 409));
    expect([status, body]).toEqual([
      409,
      { code: 'hook_aborted', message: 'Not today.', data: { status: 409 } },
    ]);
  });

  it('keeps the cause of a 500 for the log', async () => {
    const { status, body, log, headers } = await answerTo(
      () => new Error("insert into `fa_x` values ('secret')"),
    );
    expect([status, body]).toEqual([
      500,
      { code: 'internal_error', message: ERRORS.internal_error[1], data: { status: 500 } },
    ]);
    expect(String(log[0]?.fields?.['error'])).toContain('insert into');
    expect(log[0]?.fields?.['request_id']).toBe(headers['x-request-id']);
  });

  it.each([
    ['a busy database', () => Object.assign(new Error('SQLITE_BUSY'), { code: 'SQLITE_BUSY' }), 'busy'],
    ['an exhausted pool', () => Object.assign(new Error('Timeout'), { name: 'KnexTimeoutError' }), 'busy'],
    [
      'a lost connection',
      () => {
        try {
          return fail('outcome_unknown');
        } catch (error) {
          return error;
        }
      },
      'outcome_unknown',
    ],
  ])('asks to come back after %s', async (_name, error, code) => {
    const { status, body, headers } = await answerTo(error);
    expect([status, body.code, Number(headers['retry-after']) > 0]).toEqual([503, code, true]);
  });

  it.each([undefined, null, 'text', { code: 'x' }])('survives a thrown %j', async (thrown) => {
    expect((await answerTo(() => thrown)).body.code).toBe('internal_error');
  });
});
