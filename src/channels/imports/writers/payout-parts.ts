import { dayText } from '../../../core/dates.js';
import { DAY } from '../../../core/duration.js';
import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import {
  addCounters,
  growPayouts,
  idsByKey,
  insertRows,
  noChange,
  payoutMembers,
  settleReferrals,
  type CounterDelta,
} from '../repository.js';
import type { SourcePayment } from '../../../../adapters/imports.js';
import { readLongText, readText } from '../../../core/imports/values.js';

/** A commission as it came in. */
export interface Item {
  readonly id: number;
  readonly amount: number;
  readonly status: string;
}

/** What a payment paid in one currency: a transaction of ours. */
export interface Part {
  readonly row: SourcePayment;
  readonly affiliateId: number;
  readonly currency: string;
  readonly items: readonly Item[];
  readonly total: number;
  readonly at: number;
}

/**
 * Payouts, transactions, items and the commissions in them:
 * the same few statements for a page of payments as for one.
 */
export async function storeParts(batch: Batch, trx: Db, parts: readonly Part[]): Promise<void> {
  const payouts = await placeParts(batch, trx, parts);
  const keyOf = (part: Part): string => batch.key(`${part.row.id}:${part.currency}`);
  await insertRows(
    trx,
    'payout_transactions',
    parts.map((part) => ({
      created_by: batch.state.started_by ?? null,
      affiliate_id: part.affiliateId,
      payout_id: payouts.get(part),
      total_amount_minor: part.total,
      payout_method: methodOf(part.row),
      status: part.row.status,
      currency: part.currency,
      settings: null,
      source_key: keyOf(part),
      created_at: part.at,
      updated_at: part.at,
    })),
  );
  const transactions = await idsByKey(trx, 'payout_transactions', parts.map(keyOf));
  await insertRows(
    trx,
    'payout_items',
    parts.flatMap((part) =>
      part.items.map((item) => ({
        referral_id: item.id,
        transaction_id: transactions.get(keyOf(part)),
        affiliate_id: part.affiliateId,
        amount_minor: item.amount,
        currency: part.currency,
      })),
    ),
  );
  const items = parts.flatMap((part) => part.items);
  await settleReferrals(
    trx,
    items.map((item) => item.id),
  );
  for (const held of ['unpaid', 'processing'] as const)
    await batch.app.ledger.countMoved(
      trx,
      items.filter(({ status }) => status === held).map(({ id }) => id),
      held,
      'paid',
    );
  const totals = new Map<number, number>();
  for (const [part, id] of payouts) totals.set(id, (totals.get(id) ?? 0) + part.total);
  await growPayouts(
    trx,
    totals,
    new Set([...payouts].filter(([part]) => part.row.status === 'processing').map(([, id]) => id)),
  );
  await postClaims(
    batch,
    trx,
    parts.flatMap((part) =>
      part.items
        .filter((item) => item.status !== 'paid')
        .map((item): Claim => ({
          item,
          part,
          payoutId: payouts.get(part) ?? 0,
          transactionId: transactions.get(keyOf(part)) ?? 0,
        })),
    ),
  );
}

const methodOf = (row: SourcePayment): string => readText(row.method, 50) ?? 'manual';

/**
 * The payout of each part's batch and currency; a second one when the affiliate is in it already
 * (docs/reliability.md §2, I6).
 */
async function placeParts(batch: Batch, trx: Db, parts: readonly Part[]): Promise<Map<Part, number>> {
  const placed = new Map<Part, number>();
  for (let left = [...parts], n = 1; left.length > 0; n++) {
    const keyOf = (part: Part): string =>
      `${batch.key(`${part.row.batch.id}:${part.currency}`)}${n === 1 ? '' : `#${n}`}`;
    const known = await idsByKey(trx, 'payouts', left.map(keyOf));
    const fresh = new Map(
      left
        .filter((part) => !known.has(keyOf(part)))
        .toReversed()
        .map((part) => [keyOf(part), part]),
    ); // the first part names the payout
    await insertRows(
      trx,
      'payouts',
      [...fresh].toReversed().map(([key, part]) => payoutRow(batch, part, key)),
    );
    const ids = new Map([...known, ...(await idsByKey(trx, 'payouts', fresh.keys()))]);
    const members = await payoutMembers(
      trx,
      [...known.values()],
      left.map((part) => part.affiliateId),
    );
    left = left.filter((part) => {
      const id = ids.get(keyOf(part)) ?? 0;
      const place = `${id}:${part.affiliateId}`;
      if (members.has(place)) return true;
      members.add(place);
      placed.set(part, id);
      return false;
    });
  }
  return placed;
}

function payoutRow(batch: Batch, { row, currency, at }: Part, sourceKey: string): Row {
  const created = batch.time(row.batch, at);
  return {
    created_by: batch.state.started_by ?? null,
    total_amount_minor: 0,
    payout_method: methodOf(row),
    status: 'paid',
    currency,
    title: readText(row.batch.title, 192) ?? `Payout of ${dayText(Math.floor(created / DAY))}`,
    description: readLongText(row.batch.description, 5000) ?? `Imported from ${batch.sourceName}`,
    settings: null,
    source_key: sourceKey,
    created_at: created,
    updated_at: created,
  };
}

interface Claim {
  readonly item: Item;
  readonly part: Part;
  readonly payoutId: number;
  readonly transactionId: number;
}

/**
 * Unpaid commissions that an open payment holds: no longer owed; the report lists them.
 * A stranded claim counted nowhere before.
 */
async function postClaims(batch: Batch, trx: Db, claims: readonly Claim[]): Promise<void> {
  const deltas = new Map<number, CounterDelta>();
  const entries = claims.map(({ item, part, payoutId, transactionId }): Row => {
    const total = item.status === 'unpaid' ? 0 : item.amount;
    const unpaid = item.status === 'unpaid' ? -item.amount : 0;
    const delta = deltas.get(part.affiliateId) ?? noChange();
    const own = part.currency === batch.currency;
    deltas.set(part.affiliateId, {
      ...delta,
      total: delta.total + (own ? total : 0),
      unpaid: delta.unpaid + (own ? unpaid : 0),
    });
    batch.countClaim(item.status, part.currency, item.amount);
    return {
      affiliate_id: part.affiliateId,
      referral_id: item.id,
      payout_id: payoutId,
      transaction_id: transactionId,
      kind: total === 0 ? 'paid' : 'adjusted',
      currency: part.currency,
      total_delta_minor: total,
      unpaid_delta_minor: unpaid,
      actor_id: null,
      reason: 'import',
      created_at: part.at,
    };
  });
  await insertRows(
    trx,
    'ledger_entries',
    entries.filter((entry) => entry['total_delta_minor'] !== 0 || entry['unpaid_delta_minor'] !== 0),
  );
  await addCounters(trx, deltas);
}
