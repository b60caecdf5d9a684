import { minor, toDecimal } from '../../../core/money.js';
import type { Db } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import { idsByKey, rowsBy } from '../repository.js';
import type { SourcePayment } from '../../../../adapters/imports.js';
import { readAmount } from '../../../core/imports/values.js';
import { takePaymentChange } from './payment-changes.js';
import { storeParts, type Item, type Part } from './payout-parts.js';

/**
 * `free`: paid, and in no payout yet. `open`: not paid, and in no payout.
 * `taken`: by another payment of the page.
 */
export interface Candidate extends Item {
  readonly affiliate_id: number;
  readonly currency: string;
  /** Source key of the payment on its way that holds it. */
  readonly held_by: string | null;
  use: 'free' | 'open' | 'taken' | null;
}

/**
 * Payments with the commissions they cover. Paid commissions move from "paid elsewhere" into a payout of
 * ours. A payment that is still on its way holds its unpaid commissions too, so that they are not paid a
 * second time: the payout is `processing` until a person marks it paid or deletes the transaction. The
 * commissions decide the amount. Payments that cover none, and differences to the old system's figures, are
 * not imported but reported.
 */
export async function writePayments(batch: Batch, trx: Db, rows: readonly SourcePayment[]): Promise<void> {
  const affiliates = await batch.ownersOf(trx, rows);
  await batch.app.ledger.lock(trx, ...affiliates.values());
  const listed = await findListed(trx, batch, rows);
  const done = await paymentsHere(trx, batch, rows, listed);
  const { parts, again } = countPayments(batch, rows, { affiliates, listed, done });
  await storeParts(batch, trx, parts);
  for (const row of again)
    await takePaymentChange(
      batch,
      trx,
      row,
      currenciesOf(batch, row, listed).flatMap(
        (currency) => done.get(batch.key(`${row.id}:${currency}`)) ?? [],
      ),
    );
}

interface KnownRows {
  readonly affiliates: ReadonlyMap<string, number>;
  readonly listed: ReadonlyMap<string, Candidate>;
  readonly done: ReadonlyMap<string, number>;
}

/** Counts the payments: what new ones are stored as, and those that are here already. */
export function countPayments(
  batch: Batch,
  rows: readonly SourcePayment[],
  { affiliates, listed, done }: KnownRows,
): { readonly parts: Part[]; readonly again: SourcePayment[] } {
  const parts: Part[] = [];
  const again: SourcePayment[] = [];
  for (const row of rows) {
    const affiliateId = affiliates.get(batch.ownerKey(row));
    if (row.status === 'failed')
      batch.skip(
        row,
        heldHere(row, batch, listed) ? 'payment_failed_since' : (row.problem ?? 'payment_failed'),
      );
    else if (row.problem !== undefined || affiliateId === undefined)
      batch.skip(row, row.problem ?? 'affiliate_missing');
    else if (
      currenciesOf(batch, row, listed).some((currency) => done.has(batch.key(`${row.id}:${currency}`)))
    ) {
      again.push(row);
      batch.count(row, 'existing');
    } else parts.push(...takePayment(batch, { row, affiliateId, listed }));
  }
  return { parts, again };
}

export const paymentsHere = (
  db: Db,
  batch: Batch,
  rows: readonly SourcePayment[],
  listed: ReadonlyMap<string, Candidate>,
): Promise<Map<string, number>> =>
  idsByKey(
    db,
    'payout_transactions',
    rows.flatMap((row) =>
      currenciesOf(batch, row, listed).map((currency) => batch.key(`${row.id}:${currency}`)),
    ),
  );

/** An earlier run took its commissions into a payment on its way. */
const heldHere = (row: SourcePayment, batch: Batch, listed: ReadonlyMap<string, Candidate>): boolean =>
  referralsOf(batch, row, listed).some(
    (each) => each.held_by !== null && each.held_by === `${batch.key(row.id)}:${each.currency}`,
  );

export async function findListed(
  trx: Db,
  batch: Batch,
  rows: readonly SourcePayment[],
): Promise<Map<string, Candidate>> {
  const keys = rows.flatMap((row) => row.referral_ids.map((id) => batch.key(id)));
  const columns = [
    'id',
    'source_key',
    'affiliate_id',
    'amount_minor',
    'currency',
    'status',
    'paid_elsewhere',
    'payout_transaction_id',
  ];
  const found = await rowsBy(trx, 'referrals', 'source_key', keys, columns);
  const holding = await rowsBy(
    trx,
    'payout_transactions',
    'id',
    found.flatMap((row) =>
      row['payout_transaction_id'] === null ? [] : [Number(row['payout_transaction_id'])],
    ),
    ['id', 'source_key', 'status'],
  );
  const holders = new Map(
    holding
      .filter((row) => row['status'] === 'processing')
      .map((row) => [Number(row['id']), String(row['source_key'] ?? '')]),
  );
  return new Map(
    found.map((row) => [
      String(row['source_key']),
      {
        id: Number(row['id']),
        affiliate_id: Number(row['affiliate_id']),
        amount: Number(row['amount_minor']),
        currency: String(row['currency']),
        status: String(row['status']),
        held_by: holders.get(Number(row['payout_transaction_id'])) ?? null,
        use: useOf(
          String(row['status']),
          Number(row['paid_elsewhere']) === 1,
          row['payout_transaction_id'] !== null,
        ),
      },
    ]),
  );
}

export function useOf(status: string, paidElsewhere: boolean, claimed: boolean): Candidate['use'] {
  if (status === 'paid') return paidElsewhere ? 'free' : null;
  return (status === 'unpaid' || status === 'processing') && !claimed ? 'open' : null;
}

const referralsOf = (batch: Batch, row: SourcePayment, listed: ReadonlyMap<string, Candidate>): Candidate[] =>
  row.referral_ids.map((id) => listed.get(batch.key(id))).filter((each) => each !== undefined);

const currenciesOf = (batch: Batch, row: SourcePayment, listed: ReadonlyMap<string, Candidate>): string[] => [
  ...new Set(referralsOf(batch, row, listed).map((each) => each.currency)),
];

function takePayment(
  batch: Batch,
  {
    row,
    affiliateId,
    listed,
  }: { row: SourcePayment; affiliateId: number; listed: ReadonlyMap<string, Candidate> },
): Part[] {
  const all = referralsOf(batch, row, listed);
  const fits = (each: Candidate): boolean =>
    each.affiliate_id === affiliateId &&
    (each.use === 'free' || (each.use === 'open' && row.status === 'processing'));
  const parts = currenciesOf(batch, row, listed)
    .map((currency): Part => {
      const items = all.filter((each) => each.currency === currency && fits(each));
      return {
        row,
        affiliateId,
        currency,
        items,
        total: items.reduce((sum, each) => sum + each.amount, 0),
        at: batch.time(row),
      };
    })
    .filter((part) => part.total > 0);
  const taken = new Set(parts.flatMap((part) => part.items));
  if (all.length < row.referral_ids.length) batch.note(row, 'commissions_missing');
  if (all.some((each) => each.status !== 'paid' && each.use !== 'taken' && !taken.has(each)))
    batch.note(row, 'commissions_not_paid_left_as_they_are');
  if (parts.some((part) => part.items.some((item) => item.status !== 'paid')))
    batch.note(row, 'unpaid_commissions_held_by_open_payment');
  state(batch, row, parts);
  if (parts.length === 0) {
    batch.skip(row, row.referral_ids.length === 0 ? 'payment_without_commissions' : 'no_paid_commissions');
    return [];
  }
  // one payment per commission, also within a page
  for (const each of all) if (taken.has(each)) each.use = 'taken';
  batch.count(row, 'imported');
  return parts;
}

/** The paid amount by the old system's figures, and the sum of its commissions. */
function state(batch: Batch, row: SourcePayment, parts: readonly Part[]): void {
  const currency = parts[0]?.currency ?? batch.currency;
  const stated = readAmount(row.amount, currency) ?? 0;
  const sums = (batch.state.payments[currency] ??= { stated_minor: 0, matched_minor: 0 });
  sums.stated_minor += stated;
  for (const part of parts)
    (batch.state.payments[part.currency] ??= { stated_minor: 0, matched_minor: 0 }).matched_minor +=
      part.total;
  const matched = parts[0]?.total ?? 0;
  if (parts.length === 1 && stated !== matched)
    batch.note(
      row,
      `amount_differs_${toDecimal(minor(stated), currency)}_covers_${toDecimal(minor(matched), currency)}`,
    );
}
