import { couponKey } from '../../../core/alias.js';
import type { Db } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import { insertRows, rowsBy } from '../repository.js';
import type { SourceAffiliate } from '../../../../adapters/imports.js';
import { readText } from '../../../core/imports/values.js';

/**
 * Orders with these codes still credit their affiliates. The affiliate of a code that is bound here already
 * does not change.
 */
export async function bindCoupons(
  batch: Batch,
  trx: Db,
  rows: readonly SourceAffiliate[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const wanted = rows.flatMap((row) =>
    (row.coupons ?? []).map(({ provider, code }) => ({
      row,
      affiliateId: ids.get(batch.key(row.id)),
      provider: batch.provider(provider) ?? '',
      code: readText(code, 100)?.trim() ?? '',
    })),
  );
  if (wanted.length === 0) return;
  const shops = new Set(batch.app.commerce.keys());
  for (const { row, provider } of wanted)
    if (provider !== '' && !shops.has(provider)) batch.note(row, 'coupon_of_unknown_shop', provider);
  const known = new Map(
    (
      await rowsBy(
        trx,
        'coupons',
        'code_key',
        wanted.map(({ code }) => couponKey(code)),
        ['provider', 'code_key', 'affiliate_id'],
      )
    ).map((row) => [`${String(row['provider'])} ${String(row['code_key'])}`, Number(row['affiliate_id'])]),
  );
  const fresh = [];
  for (const { row, affiliateId, provider, code } of wanted) {
    if (affiliateId === undefined || code === '' || provider === '') continue;
    const key = `${provider} ${couponKey(code)}`;
    const owner = known.get(key);
    if (owner !== undefined && owner !== affiliateId) batch.note(row, 'coupon_taken', code);
    if (owner !== undefined) continue;
    known.set(key, affiliateId);
    fresh.push({
      provider,
      code,
      code_key: couponKey(code),
      affiliate_id: affiliateId,
      created_at: batch.app.clock.now(),
    });
  }
  await insertRows(trx, 'coupons', fresh);
}
