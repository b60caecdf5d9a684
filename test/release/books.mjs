// Rows by the ten thousand, and back again, in a few statements.
import { rowsOf } from './engines.mjs';

export const STAMP = 1_768_000_000_000;
const digits = (name) =>
  `(${Array.from({ length: 10 }, (_, digit) => `select ${digit} as d`).join(' union all ')}) ${name}`;

/** A derived table of 0 … 10^power - 1, named n. */
export function numbers(power) {
  const places = Array.from({ length: power }, (_, at) => `p${at}`);
  const sum = places.map((place, at) => `${place}.d * ${10 ** at}`).join(' + ');
  return `(select ${sum} as n from ${places.map(digits).join(' cross join ')}) numbers`;
}

export const AMOUNT = '1 + (n * 37) % 9000';

/** The sum of the amounts of `count` referrals, in whole numbers. */
export function sumOfAmounts(count) {
  let sum = 0n;
  for (let n = 0; n < count; n += 1) sum += BigInt(1 + ((n * 37) % 9000));
  return sum;
}

/**
 * Active affiliates 1 … n, and `referrals` unpaid ones dealt out among them;
 * counters and ledger agree afterwards.
 */
export async function fill(knex, { affiliates, referrals }) {
  await knex.transaction(async (trx) => {
    await trx.raw(
      'insert into fa_affiliates (user_id, rate_type, payment_email, status, settings, created_at, updated_at) ' +
        `select n + 1, 'default', 'pay@shop.test', 'active', '{"bank_details":""}', ${STAMP}, ${STAMP} ` +
        `from ${numbers(power(affiliates))} where n < ${affiliates} order by n`,
    );
    await trx.raw(
      'insert into fa_referrals (affiliate_id, status, amount_minor, currency, type, provider, created_at, ' +
        'updated_at) ' +
        `select 1 + n % ${affiliates}, 'unpaid', ${AMOUNT}, 'USD', 'sale', 'manual', ${STAMP} + n, ${STAMP} + n ` +
        `from ${numbers(power(referrals))} where n < ${referrals} order by n`,
    );
    await balance(trx, 'USD');
  });
}

export const power = (count) => Math.max(1, Math.ceil(Math.log10(count)));

/** Counters and opening entries from the referrals as they are, in the currency of the program. */
async function balance(trx, currency) {
  const counted = `coalesce(r.currency, '${currency}')`;
  const sum =
    '(select coalesce(sum(r.amount_minor), 0) from fa_referrals r where r.affiliate_id = fa_affiliates.id ' +
    `and r.status = 'unpaid' and ${counted} = '${currency}')`;
  await trx.raw(
    `update fa_affiliates set total_earnings_minor = ${sum}, unpaid_earnings_minor = ${sum}, ` +
      'referrals = (select count(*) from fa_referrals r where r.affiliate_id = fa_affiliates.id)',
  );
  await trx.raw(
    'insert into fa_ledger_entries (affiliate_id, kind, currency, total_delta_minor, unpaid_delta_minor, created_at) ' +
      `select r.affiliate_id, 'earned', ${counted}, sum(r.amount_minor), sum(r.amount_minor), ${STAMP} ` +
      `from fa_referrals r where r.status = 'unpaid' group by r.affiliate_id, ${counted}`,
  );
  await addUp(trx);
}

/**
 * Makes the referrals, all unpaid, some of dollars, some of euros, and some without a currency, which are in that
 * of the program; counters and ledger agree afterwards.
 */
export async function mixCurrencies(trx, currency) {
  await trx.raw(
    "update fa_referrals set currency = case when id % 10 = 0 then null when id % 3 = 0 then 'EUR' else 'USD' end",
  );
  await trx.raw('delete from fa_ledger_entries');
  await balance(trx, currency);
}

/** The stored totals from the referrals as they are. */
export async function addUp(trx) {
  const columns = ['paid', 'unpaid', 'pending', 'rejected']
    .map((status) => [status, status, '1'])
    .concat(
      ['paid', 'unpaid'].flatMap((status) => [
        [`${status}_minor`, status, 'amount_minor'],
        [`${status}_order_minor`, status, 'coalesce(order_total_minor, 0)'],
      ]),
    );
  const names = columns.map(([column]) => column).join(', ');
  const sums = columns
    .map(([, status, value]) => `sum(case when status = '${status}' then ${value} else 0 end)`)
    .join(', ');
  await trx.raw('delete from fa_referral_totals');
  await trx.raw(
    `insert into fa_referral_totals (affiliate_id, provider, currency, ${names}) ` +
      `select affiliate_id, coalesce(provider, ''), coalesce(currency, ''), ${sums} from fa_referrals ` +
      "group by affiliate_id, coalesce(provider, ''), coalesce(currency, '')",
  );
}

/** Takes every payout back by plain SQL: the referrals are unpaid as before, and nobody holds the lease. */
export async function undo(knex) {
  await knex.transaction(async (trx) => {
    await trx.raw(
      "update fa_referrals set status = 'unpaid', payout_id = null, payout_transaction_id = null where status = 'paid'",
    );
    for (const table of ['payout_items', 'payout_transactions', 'payouts', 'audit', 'outbox'])
      await trx(`fa_${table}`).delete();
    await trx('fa_ledger_entries').whereIn('kind', ['paid', 'payment_reversed']).delete();
    await trx.raw('update fa_affiliates set unpaid_earnings_minor = total_earnings_minor');
    await addUp(trx);
    await trx('fa_job_leases').where({ name: 'payouts.run' }).update({ owner: null, expires_at: 0 });
  });
}

/** What the rows say, counted apart from the service. */
export async function figures(knex) {
  const [row] = rowsOf(
    await knex.raw(
      'select (select count(*) from fa_referrals) as referrals, ' +
        "(select count(*) from fa_referrals where status = 'unpaid') as unpaid, " +
        '(select count(*) from fa_payouts) as payouts, ' +
        '(select count(*) from fa_payout_transactions) as transactions, ' +
        '(select count(*) from fa_payout_items) as items, ' +
        '(select count(distinct referral_id) from fa_payout_items) as once, ' +
        '(select coalesce(sum(amount_minor), 0) from fa_payout_items) as item_sum, ' +
        '(select coalesce(sum(total_amount_minor), 0) from fa_payout_transactions) as transaction_sum, ' +
        '(select coalesce(sum(total_amount_minor), 0) from fa_payouts) as payout_sum, ' +
        '(select count(*) from fa_referrals r join fa_payout_items i on i.referral_id = r.id ' +
        "and i.transaction_id = r.payout_transaction_id where r.status = 'paid') as paid",
    ),
  );
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
}
