// One life of the kills of long work: looks at what the life before left, begins the operation or goes on with it,
// and is ended by SIGKILL.
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { addUp, fill, STAMP } from './books.mjs';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const say = (message) =>
  new Promise((resolve) => {
    process.send(message, undefined, undefined, resolve);
  });

const VISITS = 4000;
const DAY = 86_400_000;
const FORM = { title: 'Kill', description: 'Kill' };
let app;

const number = async (table, where = {}) =>
  Number((await app.db(table).count({ n: '*' }).where(where).first()).n);
const newest = async () => Number((await app.db('payouts').orderBy('id', 'desc').first('id')).id);
const expect = (holds, text) => (holds ? [] : [text]);

/** A payout of everything, so that there is something to mark or to undo. */
async function payOutAll() {
  if ((await number('payouts', { status: 'processing' })) > 0) return;
  await freeAll();
  await app.payouts.process(FORM);
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

const sumOf = async (table, column, where = {}) =>
  Number((await app.db(table).where(where).sum({ sum: column }).first()).sum ?? 0);

/**
 * `prepare` makes what the operation needs; `ended` says what is wrong after it has ended; `during` may be asked
 * after each kill.
 */
const OPERATIONS = {
  payout: {
    prepare: freeAll,
    act: () => app.payouts.process(FORM),
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
    act: async () => app.payouts.markAllPaid(await newest()),
    ended: async () =>
      expect(
        (await number('payout_transactions', { status: 'processing' })) === 0,
        'some are not marked paid',
      ),
  },
  'undo of a payout': {
    prepare: payOutAll,
    act: async () => {
      await app.payouts.undo(await newest(), { later: true });
      await app.operations.settled();
    },
    ended: async () => expect((await number('payout_items')) === 0, 'some commissions are still claimed'),
  },
  merge: {
    prepare: async () => {
      const { id } = await app.affiliates.create({
        user_id: await freeUser(),
        status: 'active',
        payment_email: 'p@shop.test',
      });
      await visitsOf(id, STAMP);
      await app.referrals.create({ affiliate_id: id, amount: 3.21, status: 'unpaid', type: 'sale' });
    },
    act: async () => {
      merged = await newestAffiliate();
      await app.affiliates.merge(1, merged);
    },
    ended: async () =>
      expect((await number('affiliates', { id: merged })) === 0, 'the merged account is still there'),
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
    act: () => app.ledger.reconcile(),
    ended: async () => [],
  },
  wipe: {
    isWrong: true, // the program is closed until it has ended
    prepare: async ({ referrals, affiliates }) => {
      if ((await number('affiliates')) > 0) return;
      await emptied(app.db.knex);
      await fill(app.db.knex, { affiliates, referrals });
    },
    act: () => app.imports.wipe('WIPE ALL DATA'),
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
  await opened.service.ready();
  app = opened.app;
  // The lease of the killed life would end by itself after ten seconds.
  await app.db('job_leases').update({ owner: null, expires_at: 0 });
}

/** Work to go on with. A payout that was killed before its plan was frozen has claimed nothing: there is nothing to resume. */
const unfinished = () =>
  app
    .db('works')
    .where((work) => work.whereNot('kind', 'payout').orWhere('object_id', '>', 0))
    .first('kind', 'object_id');

/** Tells what is wrong before it begins, and after it has ended. */
async function live(given) {
  order = given;
  await open(order);
  const { prepare, act, ended, during, isWrong = false } = OPERATIONS[order.operation];
  const work = await unfinished();
  const goesOn = work !== undefined;
  merged = Number(work?.object_id ?? 0);
  const verify = async () => (await app.ledger.verify()).map((row) => JSON.stringify(row));
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
