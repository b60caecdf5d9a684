// One payout run of 100,000 referrals beside the bare SQL statements it consists of, on the same rows.
import { fill, sumOfAmounts, undo } from './books.mjs';
import { newDatabase, rowsOf, TITLES, versionOf } from './engines.mjs';
import { Child } from './processes.mjs';

const REFERRALS = 100_000;
const AFFILIATES = 2000;
const REPEATS = Number(process.env.RELEASE_REPEATS ?? 3);

export async function runCost(engine) {
  const database = await newDatabase(engine);
  const knex = database.knex();
  try {
    return {
      title: TITLES[engine],
      version: await versionOf(database),
      ...(await payoutCost({ engine, config: database.config, knex })),
    };
  } finally {
    await knex.destroy();
    await database.drop();
  }
}

/**
 * Milliseconds of the service and of the bare statements, the best of `repeats` in
 * turns, on an empty database.
 */
export async function payoutCost({ engine, config, knex }) {
  const child = new Child();
  try {
    await child.next();
    await child.ask({ do: 'open', database: config, users: AFFILIATES });
    await fill(knex, { affiliates: AFFILIATES, referrals: REFERRALS });
    if (engine === 'sqlite')
      for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on'])
        await knex.raw(`pragma ${pragma}`);
    let service = Infinity;
    let bare = Infinity;
    const codes = new Set();
    const sums = new Set();
    for (let at = 0; at < REPEATS; at += 1) {
      let began = performance.now();
      codes.add(await child.ask({ do: 'process' }));
      service = Math.min(service, performance.now() - began);
      sums.add(
        String(rowsOf(await knex.raw('select total_amount_minor as total from fa_payouts'))[0]?.total),
      );
      await undo(knex);
      began = performance.now();
      await bareRun(knex);
      bare = Math.min(bare, performance.now() - began);
      await undo(knex);
    }
    return {
      referrals: REFERRALS,
      affiliates: AFFILIATES,
      repeats: REPEATS,
      service,
      bare,
      codes: [...codes],
      exact: [...sums].join() === String(sumOfAmounts(REFERRALS)),
    };
  } finally {
    await child.kill();
  }
}

/**
 * What must be written whoever writes it: payout, transactions, items, referrals, counters, entries;
 * no checks, one transaction.
 */
async function bareRun(knex) {
  await knex.transaction(async (trx) => {
    const open = "status = 'unpaid' and payout_transaction_id is null and currency = 'USD'";
    await trx.raw(
      'insert into fa_payouts (total_amount_minor, payout_method, status, currency, title, created_at, updated_at) ' +
        `select sum(amount_minor), 'manual', 'processing', 'USD', 'Bare', 1, 1 from fa_referrals where ${open}`,
    );
    const id = Number(rowsOf(await trx.raw('select max(id) as id from fa_payouts'))[0].id);
    await trx.raw(
      'insert into fa_payout_transactions (affiliate_id, payout_id, total_amount_minor, payout_method, status, ' +
        'currency, created_at, updated_at) ' +
        `select affiliate_id, ${id}, sum(amount_minor), 'manual', 'processing', 'USD', 1, 1 from fa_referrals ` +
        `where ${open} group by affiliate_id order by affiliate_id`,
    );
    await trx.raw(
      'insert into fa_payout_items (referral_id, transaction_id, affiliate_id, amount_minor, currency) ' +
        'select r.id, t.id, r.affiliate_id, r.amount_minor, r.currency from fa_referrals r ' +
        `join fa_payout_transactions t on t.affiliate_id = r.affiliate_id and t.payout_id = ${id} ` +
        "where r.status = 'unpaid' and r.payout_transaction_id is null and r.currency = 'USD'",
    );
    await trx.raw(
      `update fa_referrals set status = 'paid', payout_id = ${id}, updated_at = 1, ` +
        'payout_transaction_id = (select i.transaction_id from fa_payout_items i where i.referral_id = ' +
        `fa_referrals.id) where ${open}`,
    );
    await trx.raw(
      'update fa_affiliates set unpaid_earnings_minor = unpaid_earnings_minor - ' +
        `(select coalesce(sum(t.total_amount_minor), 0) from fa_payout_transactions t where t.payout_id = ${id} ` +
        'and t.affiliate_id = fa_affiliates.id) ' +
        `where id in (select affiliate_id from fa_payout_transactions where payout_id = ${id})`,
    );
    await trx.raw(
      'insert into fa_ledger_entries (affiliate_id, referral_id, payout_id, transaction_id, kind, currency, ' +
        'total_delta_minor, unpaid_delta_minor, created_at) ' +
        `select i.affiliate_id, i.referral_id, ${id}, i.transaction_id, 'paid', i.currency, 0, -i.amount_minor, ` +
        '1 from fa_payout_items i join fa_payout_transactions t on t.id = i.transaction_id ' +
        `where t.payout_id = ${id}`,
    );
  });
}
