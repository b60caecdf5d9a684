import { minor, toDecimal } from '../../../core/money.js';
import { dayText } from '../../../core/dates.js';
import type { Db, Row } from '../../../database/db.js';
import type { Batch } from '../batch.js';
import { idsByKey, rowsBy } from '../repository.js';
import type { SourcePayment } from '../types.js';
import { readAmount, readLongText, readRef, readText } from '../values.js';

const DAY = 86_400_000;

interface Paid { readonly id: number; readonly affiliate_id: number; readonly amount: number; readonly currency: string; readonly status: string; free: boolean }
interface Part { readonly row: SourcePayment; readonly affiliateId: number; readonly currency: string; readonly items: readonly Paid[]; readonly total: number; readonly at: number }

/**
 * Payments with the paid commissions they cover: those move from "paid elsewhere" into a payout of ours. The commissions decide
 * the amount; a payment that covers none of them is left out, and so is the difference to what the old system said (reported).
 */
export async function writePayments(batch: Batch, trx: Db, rows: readonly SourcePayment[]): Promise<void> {
  const affiliates = await idsByKey(trx, 'affiliates', rows.map((row) => batch.key(readRef(row.affiliate_id) ?? '')));
  await batch.app.ledger.lock(trx, ...affiliates.values());
  const paid = await findPaid(trx, batch, rows);
  const done = await idsByKey(trx, 'payout_transactions', rows.flatMap((row) => currenciesOf(batch, row, paid).map((currency) => batch.key(`${row.id}:${currency}`))));
  for (const row of rows) {
    const affiliateId = affiliates.get(batch.key(readRef(row.affiliate_id) ?? ''));
    if (row.problem !== undefined || affiliateId === undefined) batch.skip(row, row.problem ?? 'affiliate_missing');
    else if (currenciesOf(batch, row, paid).some((currency) => done.has(batch.key(`${row.id}:${currency}`)))) batch.count(row, 'existing');
    else await takePayment(batch, trx, { row, affiliateId, paid });
  }
}

async function findPaid(trx: Db, batch: Batch, rows: readonly SourcePayment[]): Promise<Map<string, Paid>> {
  const keys = rows.flatMap((row) => row.referral_ids.map((id) => batch.key(id)));
  const columns = ['id', 'source_key', 'affiliate_id', 'amount_minor', 'currency', 'status', 'paid_elsewhere'];
  return new Map((await rowsBy(trx, 'referrals', 'source_key', keys, columns)).map((row) => [String(row['source_key']), {
    id: Number(row['id']), affiliate_id: Number(row['affiliate_id']), amount: Number(row['amount_minor']), currency: String(row['currency']),
    status: String(row['status']), free: row['status'] === 'paid' && Number(row['paid_elsewhere']) === 1,
  }]));
}

const referralsOf = (batch: Batch, row: SourcePayment, paid: ReadonlyMap<string, Paid>): Paid[] =>
  row.referral_ids.map((id) => paid.get(batch.key(id))).filter((each) => each !== undefined);

const currenciesOf = (batch: Batch, row: SourcePayment, paid: ReadonlyMap<string, Paid>): string[] =>
  [...new Set(referralsOf(batch, row, paid).map((each) => each.currency))];

async function takePayment(
  batch: Batch, trx: Db, { row, affiliateId, paid }: { row: SourcePayment; affiliateId: number; paid: ReadonlyMap<string, Paid> },
): Promise<void> {
  const listed = referralsOf(batch, row, paid);
  const items = listed.filter((each) => each.free && each.affiliate_id === affiliateId);
  if (listed.length < row.referral_ids.length) batch.note(row, 'commissions_missing');
  if (listed.some((each) => each.status !== 'paid')) batch.note(row, 'commissions_not_paid_left_as_they_are');
  const parts = currenciesOf(batch, row, paid).map((currency): Part => {
    const own = items.filter((each) => each.currency === currency);
    return { row, affiliateId, currency, items: own, total: own.reduce((sum, each) => sum + each.amount, 0), at: batch.time(row) };
  }).filter((part) => part.total > 0);
  state(batch, row, parts);
  if (parts.length === 0) {
    batch.skip(row, row.referral_ids.length === 0 ? 'payment_without_commissions' : 'no_paid_commissions');
    return;
  }
  for (const part of parts) await insertPart(batch, trx, part);
  batch.count(row, 'imported');
}

/** What the old system says was paid, beside what its commissions add up to. */
function state(batch: Batch, row: SourcePayment, parts: readonly Part[]): void {
  const currency = parts[0]?.currency ?? batch.currency;
  const stated = readAmount(row.amount, currency) ?? 0;
  const sums = (batch.state.payments[currency] ??= { stated_minor: 0, matched_minor: 0 });
  sums.stated_minor += stated;
  for (const part of parts) (batch.state.payments[part.currency] ??= { stated_minor: 0, matched_minor: 0 }).matched_minor += part.total;
  const matched = parts[0]?.total ?? 0;
  if (parts.length === 1 && stated !== matched) batch.note(row, `amount_differs_${toDecimal(minor(stated), currency)}_covers_${toDecimal(minor(matched), currency)}`);
}

async function insertPart(batch: Batch, trx: Db, part: Part): Promise<void> {
  const payoutId = await payoutFor(batch, trx, part);
  const { row, currency, total, affiliateId } = part;
  const transactionId = await trx.dialect.insert(trx, 'payout_transactions', {
    created_by: null, affiliate_id: affiliateId, payout_id: payoutId, total_amount_minor: total, payout_method: methodOf(row), status: row.status, currency,
    settings: null, source_key: batch.key(`${row.id}:${currency}`), created_at: part.at, updated_at: part.at,
  });
  await trx('payouts').where({ id: payoutId }).increment('total_amount_minor', total);
  if (row.status === 'processing') await trx('payouts').where({ id: payoutId }).update({ status: 'processing' });
  for (let at = 0; at < part.items.length; at += 250) {
    const items = part.items.slice(at, at + 250);
    await trx('payout_items').insert(items.map((item) => ({
      referral_id: item.id, transaction_id: transactionId, affiliate_id: affiliateId, amount_minor: item.amount, currency,
    })));
    await trx('referrals').whereIn('id', items.map((item) => item.id)).update({ payout_transaction_id: transactionId, payout_id: payoutId, paid_elsewhere: 0 });
  }
  for (const item of part.items) item.free = false;
}

const methodOf = (row: SourcePayment): string => readText(row.method, 50) ?? 'manual';

/** The payout of this batch and currency; another one beside it when the affiliate stands in it already (reliability I6). */
async function payoutFor(batch: Batch, trx: Db, part: Part): Promise<number> {
  const key = batch.key(`${part.row.batch.id}:${part.currency}`);
  for (let n = 1; ; n++) {
    const sourceKey = n === 1 ? key : `${key}#${n}`;
    const known: Row | undefined = await trx('payouts').first('id').where({ source_key: sourceKey });
    if (known === undefined) return trx.dialect.insert(trx, 'payouts', payoutRow(batch, part, sourceKey));
    const id = Number(known['id']);
    if (await trx('payout_transactions').first('id').where({ payout_id: id, affiliate_id: part.affiliateId }) === undefined) return id;
  }
}

function payoutRow(batch: Batch, { row, currency, at }: Part, sourceKey: string): Row {
  const created = batch.time(row.batch, at);
  return {
    created_by: null, total_amount_minor: 0, payout_method: methodOf(row), status: row.status, currency,
    title: readText(row.batch.title, 192) ?? `Payout of ${dayText(Math.floor(created / DAY))}`, description: readLongText(row.batch.description, 5000), settings: null,
    source_key: sourceKey, created_at: created, updated_at: created,
  };
}
