import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch, RowResult } from '../batch.js';
import { addCounters, insertRows, noChange, setIds, type CounterDelta } from '../repository.js';
import { listedReferrals, type ListedReferral } from './listed.js';
import type { SourceVisit } from '../../../../adapters/imports.js';
import { readText } from '../../../core/imports/values.js';

/** Clicks, and which commissions came from them. A click without a commission that is left is skipped. */
export async function writeVisits(batch: Batch, trx: Db, rows: readonly SourceVisit[]): Promise<void> {
  const affiliates = await batch.ownersOf(trx, rows);
  await batch.app.ledger.lock(trx, ...affiliates.values());
  const existing = await batch.idsOf(trx, 'visits', rows);
  const referrals = await listedReferrals(trx, batch, rows);
  const fresh: Row[] = [];
  for (const row of rows) {
    const affiliateId = affiliates.get(batch.ownerKey(row));
    const isHere = existing.has(batch.key(row.id));
    const result = countVisit(batch, row, { isHere, hasOwner: affiliateId !== undefined });
    if (result === 'imported' && affiliateId !== undefined)
      fresh.push(toRow(batch, row, affiliateId, referrals));
  }
  await insertRows(trx, 'visits', fresh);
  await countVisits(batch, trx, fresh);
  await linkReferrals(batch, trx, rows, affiliates, referrals);
}

export const countVisit = (
  batch: Batch,
  row: SourceVisit,
  { isHere, hasOwner }: { readonly isHere: boolean; readonly hasOwner: boolean },
): RowResult => batch.countRow(row, isHere, row.problem ?? (hasOwner ? null : 'affiliate_missing'));

function toRow(
  batch: Batch,
  row: SourceVisit,
  affiliateId: number,
  referrals: ReadonlyMap<string, ListedReferral>,
): Row {
  const created = batch.time(row);
  const referral = row.referral_ids
    .map((id) => referrals.get(batch.key(id)))
    .find((each) => each?.affiliate_id === affiliateId);
  return {
    affiliate_id: affiliateId,
    referral_id: referral?.id ?? null,
    url: readText(row.url, 1000),
    referrer: readText(row.referrer, 1000),
    utm_campaign: readText(row.campaign, 100),
    utm_medium: readText(row.medium, 100),
    utm_source: readText(row.source, 100),
    ip: batch.app.tracking.storedAddress(readText(row.ip, 100)),
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
  };
}

async function countVisits(batch: Batch, trx: Db, fresh: readonly Row[]): Promise<void> {
  const deltas = new Map<number, CounterDelta>();
  for (const row of fresh) {
    const id = Number(row['affiliate_id']);
    const delta = deltas.get(id) ?? noChange();
    delta.visits += 1;
    deltas.set(id, delta);
  }
  await addCounters(trx, deltas);
  batch.app.rollups.add(
    trx,
    ...fresh.map((row) => ({
      affiliateId: Number(row['affiliate_id']),
      at: Number(row['created_at']),
      visits: 1,
    })),
  );
}

/** Visit and commission must belong to the same affiliate (docs/reliability.md §2, I11). */
async function linkReferrals(
  batch: Batch,
  trx: Db,
  rows: readonly SourceVisit[],
  affiliates: ReadonlyMap<string, number>,
  referrals: ReadonlyMap<string, ListedReferral>,
): Promise<void> {
  const wanted = rows.filter((row) => row.problem === undefined && row.referral_ids.length > 0);
  const ids = await batch.idsOf(trx, 'visits', wanted);
  const pairs = new Map<number, number>();
  for (const row of wanted) {
    const visit = ids.get(batch.key(row.id));
    for (const referral of row.referral_ids.map((id) => referrals.get(batch.key(id)))) {
      if (visit === undefined || referral === undefined || referral.visit_id !== null) continue;
      if (referral.affiliate_id === affiliates.get(batch.ownerKey(row))) pairs.set(referral.id, visit);
      else batch.note(row, 'commission_of_another_affiliate');
    }
  }
  await setIds(trx, 'referrals', 'visit_id', pairs);
  await batch.app.visits.convertMany(trx, [...new Set(pairs.values())]);
}
