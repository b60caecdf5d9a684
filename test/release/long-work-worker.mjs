// One life of the kills of long work: looks at what the life before left, begins the operation or goes on with it,
// and is ended by SIGKILL.
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { addUp, fill, mixCurrencies, STAMP } from './books.mjs';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const say = (message) =>
  new Promise((resolve) => {
    process.send(message, undefined, undefined, resolve);
  });

const VISITS = 4000;
const DAY = 86_400_000;
const FORM = { title: 'Kill', description: 'Kill' };
let app;
let service;

const number = async (table, where = {}) =>
  Number((await app.db(table).count({ n: '*' }).where(where).first()).n);
const newest = async () => Number((await app.db('payouts').orderBy('id', 'desc').first('id')).id);
const expect = (holds, text) => (holds ? [] : [text]);

/** A payout of everything, so that there is something to mark or to undo. */
async function payOutAll() {
  if ((await number('payouts', { status: 'processing' })) > 0) return;
  await freeAll();
  await service.payouts.process(FORM);
}

/** Whatever was paid is owed again. */
async function freeAll() {
  await app.transaction(async (trx) => {
    await trx('referrals')
      .where({ status: 'paid' })
      .update({ status: 'unpaid', payout_id: null, payout_transaction_id: null });
    for (const table of ['payout_payees', 'payout_items', 'payout_transactions', 'payouts', 'outbox'])
      await trx(table).delete();
    await trx('ledger_entries').whereIn('kind', ['paid', 'payment_reversed']).delete();
    await trx.execute(`update ${trx.name('affiliates')} set unpaid_earnings_minor = total_earnings_minor`);
    await addUp(trx.knex);
  });
}

/** Visits of an affiliate, counted; `at` is when they were made. */
async function visitsOf(id, at) {
  await app.transaction(async (trx) => {
    const rows = Array.from({ length: VISITS }, (_, n) => ({
      affiliate_id: id,
      url: `https://shop.test/${n}`,
      created_at: at + n,
      updated_at: at + n,
    }));
    for (let from = 0; from < rows.length; from += 500)
      await trx('visits').insert(rows.slice(from, from + 500));
    await trx('affiliates').where({ id }).increment('visits', VISITS);
  });
}

/** Nobody has more in the payout than its plan says, and nothing is in it twice. */
async function asPlanned() {
  const rows = await app.db.raw(
    `select p.affiliate_id, p.amount_minor, coalesce(sum(i.amount_minor), 0) as claimed ` +
      `from ${app.db.name('payout_plan')} p left join ${app.db.name('payout_transactions')} t ` +
      `on t.payout_id = p.payout_id and t.affiliate_id = p.affiliate_id ` +
      `left join ${app.db.name('payout_items')} i on i.transaction_id = t.id ` +
      'group by p.affiliate_id, p.amount_minor',
  );
  return rows.flatMap((row) =>
    expect(
      Number(row.claimed) <= Number(row.amount_minor),
      `affiliate ${row.affiliate_id}: more than planned`,
    ),
  );
}

/** Nobody has two payments of the one payout, and nobody is paid more than the commissions come to. */
async function paidOnce() {
  const rows = await app.db.raw(
    'select t.affiliate_id, count(*) as payments, sum(t.total_amount_minor) as paid, ' +
      `(select sum(r.amount_minor) from ${app.db.name('referrals')} r where r.affiliate_id = t.affiliate_id) as earned ` +
      `from ${app.db.name('payout_transactions')} t group by t.affiliate_id`,
  );
  return rows.flatMap((row) => [
    ...expect(Number(row.payments) === 1, `affiliate ${row.affiliate_id}: ${row.payments} payments`),
    ...expect(Number(row.paid) <= Number(row.earned), `affiliate ${row.affiliate_id}: more than was earned`),
  ]);
}

const programCurrency = async () => (await service.settings.referralConfig()).currency;

/** Every affiliate's earnings are the sum of the commissions in the currency of the program. */
async function countedIn(currency) {
  const rows = await app.db.raw(
    `select a.id, a.counted_in, a.total_earnings_minor, a.unpaid_earnings_minor, coalesce(sum(r.amount_minor), 0) ` +
      `as earned from ${app.db.name('affiliates')} a left join ${app.db.name('referrals')} r ` +
      'on r.affiliate_id = a.id and r.currency = ? ' +
      'group by a.id, a.counted_in, a.total_earnings_minor, a.unpaid_earnings_minor',
    [currency],
  );
  return rows.flatMap((row) =>
    expect(
      [row.total_earnings_minor, row.unpaid_earnings_minor].every(
        (stored) => Number(stored) === Number(row.earned),
      ) && (row.counted_in ?? currency) === currency,
      `affiliate ${row.id} is not counted in ${currency}`,
    ),
  );
}

const sumOf = async (table, column, where = {}) =>
  Number((await app.db(table).where(where).sum({ sum: column }).first()).sum ?? 0);

/**
 * `prepare` makes what the operation needs; `ended` says what is wrong after it has ended; `during` may be asked
 * after each kill.
 */
const OPERATIONS = {
  payout: {
    prepare: freeAll,
    act: () => service.payouts.process(FORM),
    during: asPlanned,
    ended: async () => {
      const left = await number('referrals', { status: 'unpaid' });
      const [items, sum] = [await number('payout_items'), await sumOf('payout_items', 'amount_minor')];
      return [
        ...expect(left === 0 && items === (await number('referrals')), `${left} commissions are not paid`),
        ...expect(sum === (await sumOf('referrals', 'amount_minor')), 'the payout is not the sum of all'),
        ...expect((await number('payouts')) === 1, 'there is not exactly one payout'),
      ];
    },
  },
  'all marked paid': {
    prepare: payOutAll,
    act: async () => service.payouts.markAllPaid(await newest()),
    during: paidOnce,
    ended: async () => {
      const paid = await number('payout_transactions', { status: 'paid' });
      return [
        ...expect(paid === (await number('payout_transactions')), 'some are not marked paid'),
        ...expect(
          (await sumOf('payout_transactions', 'total_amount_minor')) ===
            (await sumOf('referrals', 'amount_minor')),
          'what was paid is not the sum of all',
        ),
      ];
    },
  },
  'undo of a payout': {
    prepare: payOutAll,
    act: async () => {
      await service.payouts.undo(await newest(), { later: true });
      await app.operations.settled();
    },
    during: paidOnce,
    ended: async () => {
      const unpaid = await number('referrals', { status: 'unpaid' });
      return [
        ...expect((await number('payout_items')) === 0, 'some commissions are still claimed'),
        ...expect(unpaid === (await number('referrals')), 'some commissions are not owed again'),
      ];
    },
  },
  merge: {
    prepare: async () => {
      const { id } = await service.affiliates.create({
        user_id: await freeUser(),
        status: 'active',
        payment_email: 'p@shop.test',
      });
      await visitsOf(id, STAMP);
      await service.referrals.create({ affiliate_id: id, amount: 3.21, status: 'unpaid', type: 'sale' });
    },
    act: async () => {
      merged = await newestAffiliate();
      await service.affiliates.merge(1, merged);
    },
    ended: async () =>
      expect((await number('affiliates', { id: merged })) === 0, 'the merged account is still there'),
  },
  'change of the currency': {
    prepare: async () => {
      const now = await programCurrency();
      await app.transaction((trx) => mixCurrencies(trx.knex, now));
      wanted = now === 'USD' ? 'EUR' : 'USD';
    },
    act: () => service.settings.saveReferralConfig({ currency: wanted }, { confirm: true }),
    ended: async () => [
      ...expect((await programCurrency()) === wanted, `the program is not in ${wanted}`),
      ...expect((await number('referrals', { currency: null })) === 0, 'some commissions have no currency'),
      ...(await countedIn(wanted)),
    ],
  },
  retention: {
    prepare: () => visitsOf(2, STAMP - 1000 * DAY),
    act: () => app.visits.purgeBefore(STAMP - 10 * DAY),
    ended: async () => {
      const old = await app
        .db('visits')
        .where('created_at', '<', STAMP - 10 * DAY)
        .first('id');
      return expect(old === undefined, 'old visits are still there');
    },
  },
  recount: {
    isWrong: true, // what it repairs is broken on purpose, also when it is killed before it begins
    prepare: () => app.db('affiliates').update({ referrals: 7, unpaid_earnings_minor: 1 }),
    act: () => service.ledger.reconcile(),
    ended: async () => [],
  },
  wipe: {
    isWrong: true, // the program is closed until it has ended
    prepare: async ({ referrals, affiliates }) => {
      if ((await number('affiliates')) > 0) return;
      await emptied(app.db.knex);
      await fill(app.db.knex, { affiliates, referrals });
    },
    act: () => service.imports.wipe('WIPE ALL DATA'),
    ended: async () => {
      const left =
        (await number('affiliates')) + (await number('referrals')) + (await number('ledger_entries'));
      return expect(left === 0 && !(await app.settings.isClosed()), 'something is left');
    },
  },
};

/** SQLite and MySQL would go on counting ids where they were. */
async function emptied(knex) {
  const { engine } = order;
  for (const table of ['fa_affiliates', 'fa_referrals']) {
    if (engine === 'sqlite') await knex('sqlite_sequence').where({ name: table }).delete();
    if (engine === 'postgres') await knex.raw(`alter sequence ${table}_id_seq restart`);
    if (engine === 'mysql') await knex.raw(`alter table ${table} auto_increment = 1`);
  }
}

const newestAffiliate = async () => Number((await app.db('affiliates').orderBy('id', 'desc').first('id')).id);
const freeUser = async () => {
  const row = await app.db('affiliates').max({ id: 'user_id' }).first();
  return Number(row.id) + 1;
};

let order;
let merged = 0;
/** The currency of the program after the change. One that was killed before the program changed is over. */
let wanted;
const wantedBy = ({ phase, from, to }) => (phase === 'mark' ? from : to);

async function open({ database, users }) {
  const host = createMemoryHost({
    users: Array.from({ length: users }, (_, at) => ({
      id: at + 1,
      login: `u${at + 1}`,
      email: `u${at + 1}@shop.test`,
    })),
  });
  const opened = openService(host, {
    database,
    jobs: false,
    logger: quiet,
    secret: 'a secret that is long enough for the tests',
  });
  ({ app, service } = opened);
  await service.ready();
  // The lease of the killed life would end by itself after ten seconds.
  await app.db('job_leases').update({ owner: null, expires_at: 0 });
}

/** Work to go on with. A payout that was killed before its plan was frozen has claimed nothing: there is nothing to resume. */
const unfinished = () =>
  app
    .db('works')
    .where((work) => work.whereNot('kind', 'payout').orWhere('object_id', '>', 0))
    .first('kind', 'object_id', 'details');

/** Tells what is wrong before it begins, and after it has ended. */
async function live(given) {
  order = given;
  await open(order);
  const { prepare, act, ended, during, isWrong = false } = OPERATIONS[order.operation];
  const work = await unfinished();
  const goesOn = work !== undefined;
  merged = Number(work?.object_id ?? 0);
  if (work?.kind === 'currency') wanted = wantedBy(JSON.parse(work.details));
  const verify = async () => (await service.ledger.verify()).map((row) => JSON.stringify(row));
  const problems = [...(isWrong ? [] : await verify()), ...((await during?.()) ?? [])];
  if (goesOn) {
    await say({ stage: 'running', problems, began: false });
    await app.operations.resume();
  } else {
    await prepare(order);
    await say({ stage: 'running', problems, began: true });
    await act();
  }
  const isOver = (await unfinished()) === undefined;
  const left = isOver ? [...(await ended()), ...(await verify())] : ['it did not end'];
  await say({ stage: 'ended', problems: left });
}

process.on('message', async (message) => {
  try {
    if (message.do === 'open') await open(message);
    else await live(message);
    await say({ stage: 'done' });
  } catch (error) {
    await say({ stage: 'failed', error: `${message.operation}: ${String(error.stack ?? error)}` });
  }
});
void say({ stage: 'up' });
