import { expect, it } from '@jest/globals';
import { run } from '../cli/run.js';
import { HOUR } from '../src/core/duration.js';
import type { PayoutMethod } from '../src/accounting/payouts/types.js';
import { startApp, type TestApp, type TestOptions } from './support/app.js';
import { testDatabase, testEngine } from './support/databases.js';
import { temporaryFolder } from './support/folders.js';
import { testPayer } from './support/payer.js';
import { affiliate, earn, FORM } from './support/payouts.js';
import { connectChild, signed, type Child } from './support/sites.js';

// The secret is replaced: what needs the old one, for how long, and what an operator sees of it.

const OLD = 'the secret of last year, long enough';
const NEW = 'the secret of this year, long enough';

const FORM_OF_DESK = {
  label: 'Account',
  schema: { account: { label: 'Account' } },
  mask: ({ account = '' }: Readonly<Record<string, string>>) => account.slice(-1),
};

async function emptyPlace(): Promise<{ connection: string; options: TestOptions }> {
  const database =
    testEngine() === 'sqlite'
      ? ({ client: 'better-sqlite3', connection: `${temporaryFolder()}/program.sqlite` } as const)
      : await testDatabase({ purpose: 'secrets', shared: true });
  return { connection: database.connection, options: { database, shared: true, rate: 10 } };
}

const codes = async (t: TestApp): Promise<string[]> => (await t.service.risks()).map(({ code }) => code);

async function doctor(connection: string): Promise<string> {
  let stderr = '';
  const terminal = { out: (text: string) => void (stderr += text), err: () => {}, live: false };
  await run(['doctor', '--database', connection], terminal, new AbortController().signal);
  return stderr;
}

/** Is the signature of the site accepted? */
const serves = async (t: TestApp, child: Child): Promise<boolean> =>
  (await signed(t, child, 'get', '/connected-sites/affiliates/ally')).status !== 401;

it('warns until a look an hour later finds nothing that needs the old secret', async () => {
  const { connection, options } = await emptyPlace();
  const first = await startApp({ ...options, secret: OLD });
  const child = await connectChild(first);
  expect([await serves(first, child), (await codes(first)).includes('old_secret_needed')]).toEqual([
    true,
    false,
  ]);
  const row = { site_id: child.site_id };
  const { secret: sealed } = (await first.app.db('connected_sites').where(row).first('secret')) as {
    secret: string;
  };
  await first.close();

  const both = await startApp({ ...options, keep: true, secret: NEW, previousSecrets: [OLD] });
  const isNeeded = async (): Promise<boolean> => (await codes(both)).includes('old_secret_needed');
  expect([await serves(both, child), await isNeeded()]).toEqual([true, true]);
  expect(both.log).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      fields: expect.objectContaining({ codes: expect.stringContaining('old_secret_needed') }),
    }),
  );
  await both.app.db('connected_sites').where(row).update({ secret: sealed }); // by a process that is not replaced yet
  const seen: boolean[] = [];
  for (let hour = 0; hour < 2; hour += 1) {
    both.clock.advance(HOUR);
    await both.service.jobs.runDue();
    seen.push(await isNeeded());
  }
  expect(seen).toEqual([true, false]);
  expect(both.log).toContainEqual(
    expect.objectContaining({ message: 'All stored secrets are sealed with the current `secret`.' }),
  );
  await both.close();
  expect(await doctor(connection)).not.toContain('old_secret_needed');

  const alone = await startApp({ ...options, keep: true, secret: NEW });
  expect(await codes(alone)).not.toContain('secrets_lost');
  expect(await serves(alone, child)).toBe(true);
  await alone.close();
});

it('says so when the old secret was removed too early, until sites and payments have new ones', async () => {
  const { connection, options } = await emptyPlace();
  const methods = [testPayer(() => 0, { key: 'desk', details: FORM_OF_DESK })];
  const first = await startApp({ ...options, secret: OLD, payouts: { methods } });
  const child = await connectChild(first);
  await affiliate(first, 2);
  await first.admin
    .post('/settings/payers/sending')
    .send({ offered: ['desk'] })
    .expect(200);
  const enter = (t: TestApp) =>
    t
      .as(2)
      .post('/portal/payout-methods/desk')
      .send({ details: { account: 'A-1' } })
      .expect(200);
  await enter(first);
  await first.close();

  const early = await startApp({
    ...options,
    keep: true,
    secret: NEW,
    secrets: 'replace',
    payouts: { methods },
  });
  expect(await codes(early)).toContain('secrets_lost');
  expect(early.log).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: expect.stringContaining('Stored secrets cannot be decrypted'),
      fields: expect.objectContaining({ count: 2 }),
    }),
  );
  expect(await serves(early, child)).toBe(false);
  const renewed = await connectChild(early, child.site_url);
  await enter(early);
  early.clock.advance(HOUR);
  await early.service.jobs.runDue();
  expect(await codes(early)).not.toContain('secrets_lost');
  expect(await serves(early, renewed)).toBe(true);
  await early.close();
  expect(await doctor(connection)).not.toContain('secrets_lost');
});

it('knows payment details again that were entered before', async () => {
  const { options } = await emptyPlace();
  const refused = new Set(['A-1', 'pay3@shop.test']);
  const check: PayoutMethod['check'] = ({ account, payment_email: email }) =>
    refused.has(account ?? email ?? '') ? { ok: false, reason: 'Closed.' } : { ok: true };
  const webhook: PayoutMethod['webhook'] = async ({ rawBody }) => ({
    payments: [],
    details: [JSON.parse(rawBody.toString()) as Record<string, string>],
  });
  const methods = [
    testPayer(() => 0, { key: 'desk', details: FORM_OF_DESK, check, webhook }),
    testPayer(() => 0, { key: 'post', check, webhook }),
  ];
  const first = await startApp({ ...options, secret: OLD, payouts: { methods } });
  await first.admin
    .post('/settings/payers/sending')
    .send({ offered: ['desk'] })
    .expect(200);
  for (const user of [3, 4]) await earn(first, (await affiliate(first, user)).id, 1000);
  const other = await first.records.payout({ ...FORM, payout_method: 'post' });
  const press = { method: 'post', count: 1, amount: 10 }; // without bob, whose details are refused
  await first.admin.post(`/payouts/${other.id}/send`).send(press).expect(200);
  refused.delete('A-1');
  await earn(first, (await affiliate(first, 2)).id, 1000);
  const enter = (t: TestApp) =>
    t
      .as(2)
      .post('/portal/payout-methods/desk')
      .send({ details: { account: 'A-1' } })
      .expect(200);
  await enter(first);
  const { id } = await first.records.payout({ ...FORM, payout_method: 'desk' });
  await first.close();

  const leaked = [{ secret: OLD, decryptOnly: true }];
  const t = await startApp({
    ...options,
    keep: true,
    secret: NEW,
    previousSecrets: leaked,
    payouts: { methods },
  });
  const states = async (user: number) =>
    (await t.as(user).get('/portal/payout-methods').expect(200)).body.methods.map(
      ({ key, state }: { key: string; state: string }) => `${key}: ${state}`,
    );
  const tell = (method: string, details: object) =>
    t.anonymous.post(`/webhooks/payers/${method}`).send(details).expect(200);
  expect([await states(2), await states(3)]).toEqual([['desk: ok'], ['desk: ok', 'post: refused']]);
  refused.clear();
  refused.add('A-1');
  await tell('desk', { account: 'A-1' });
  await tell('post', { payment_email: 'pay3@shop.test' });
  expect([await states(2), await states(3)]).toEqual([['desk: refused'], ['desk: ok']]);
  refused.clear();
  await enter(t); // the same as before
  const { body } = await t.admin.get(`/payouts/${id}/transactions?order_by=affiliate_id&order_type=ASC`);
  expect(body.transactions.data[0]).toMatchObject({ payee_changed: false });
  await t.close();
});
