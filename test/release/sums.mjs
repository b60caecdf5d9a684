// A million random amounts per number of decimals: read as text, added in the database and by the service,
// compared with whole numbers.
import '../support/ts-loader.mjs';
import { addUp } from './books.mjs';
import { newDatabase, rowsOf } from './engines.mjs';
import { Child } from './processes.mjs';

const { currencies, parseAmount, toDecimal } = await import('../../src/core/money.js');

const COUNT = 1_000_000;
const CHUNK = 5000;

/**
 * Sums of the text's own digits, the library's numbers and SQLite's, and the totals
 * of a payout over all of them.
 */
export async function exactSums(random) {
  const byDigits = Map.groupBy ? Map.groupBy(currencies(), ({ digits }) => digits) : grouped(currencies());
  const rows = [];
  for (const [digits, list] of [...byDigits].sort(([a], [b]) => a - b))
    rows.push({
      digits,
      ...inMemory(
        digits,
        list.map(({ code }) => code),
        random,
      ),
    });
  return { rows, stored: await inDatabase(random) };
}

function grouped(list) {
  const groups = new Map();
  for (const each of list) groups.set(each.digits, [...(groups.get(each.digits) ?? []), each]);
  return groups;
}

function inMemory(digits, codes, random) {
  let expected = 0n;
  let sum = 0;
  let wrong = 0;
  for (let at = 0; at < COUNT; at += 1) {
    const minor = Math.floor(random() * 10 ** (1 + Math.floor(random() * 8)));
    const text = decimal(minor, digits);
    const code = codes[at % codes.length];
    const read = parseAmount(text, code);
    if (read !== minor || toDecimal(read, code) !== text) wrong += 1;
    expected += BigInt(minor);
    sum += read;
  }
  return {
    codes: codes.length,
    wrong,
    exact: Number.isSafeInteger(sum) && BigInt(sum) === expected,
    total: String(expected),
  };
}

function decimal(minor, digits) {
  if (digits === 0) return String(minor);
  const text = String(minor).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** A million unpaid referrals of a hundred affiliates in one payout. */
async function inDatabase(random) {
  const database = await newDatabase('sqlite');
  const child = new Child();
  const knex = database.knex();
  try {
    await child.next();
    await child.ask({ do: 'open', database: database.config });
    let expected = 0n;
    await knex.transaction(async (trx) => {
      await trx('fa_affiliates').insert(
        Array.from({ length: 100 }, (_, at) => ({
          id: at + 1,
          user_id: at + 1,
          rate_type: 'default',
          status: 'active',
          settings: '{}',
          created_at: 1,
          updated_at: 1,
        })),
      );
      for (let at = 0; at < COUNT; at += CHUNK) {
        const amounts = Array.from({ length: CHUNK }, () => 1 + Math.floor(random() * 10_000_000));
        for (const amount of amounts) expected += BigInt(amount);
        await trx.raw(
          'insert into fa_referrals (affiliate_id, status, amount_minor, currency, type, created_at, updated_at) ' +
            `select 1 + value % 100, 'unpaid', value, 'USD', 'sale', 1, 1 from json_each('[${amounts.join(',')}]')`,
        );
      }
      await trx.raw(
        'update fa_affiliates set total_earnings_minor = ' +
          '(select coalesce(sum(amount_minor), 0) from fa_referrals r where r.affiliate_id = fa_affiliates.id), ' +
          'referrals = (select count(*) from fa_referrals r where r.affiliate_id = fa_affiliates.id)',
      );
      await trx.raw('update fa_affiliates set unpaid_earnings_minor = total_earnings_minor');
      await trx.raw(
        'insert into fa_ledger_entries (affiliate_id, kind, currency, total_delta_minor, unpaid_delta_minor, ' +
          "created_at) select id, 'earned', 'USD', total_earnings_minor, unpaid_earnings_minor, 1 " +
          'from fa_affiliates where total_earnings_minor <> 0',
      );
      await addUp(trx);
    });
    const code = await child.ask({ do: 'process' });
    const violations = await child.ask({ do: 'verify' });
    const [row] = rowsOf(
      await knex.raw(
        'select (select sum(total_amount_minor) from fa_payouts) as payouts, ' +
          '(select sum(total_amount_minor) from fa_payout_transactions) as transactions, ' +
          '(select sum(amount_minor) from fa_payout_items) as items',
      ),
    );
    return {
      code,
      violations,
      expected: String(expected),
      exact: Object.values(row).every((value) => String(value) === String(expected)),
    };
  } finally {
    await child.kill();
    await knex.destroy();
    await database.drop();
  }
}
