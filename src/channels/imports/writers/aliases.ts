import { aliasKind, foldAlias } from '../../../core/alias.js';
import type { Db } from '../../../platform/database/db.js';
import type { Batch } from '../batch.js';
import { insertRows, rowsBy } from '../repository.js';
import type { AliasKind, SourceAffiliate } from '../../../../adapters/imports.js';

export interface NewAlias {
  readonly row: SourceAffiliate;
  readonly affiliateId: number;
  readonly kind: AliasKind;
  readonly value: string;
}

/** Each value once within its system and kind: it belongs to the affiliate that had it first. */
export async function storeAliases(batch: Batch, trx: Db, aliases: readonly NewAlias[]): Promise<void> {
  const wanted = aliases
    .map((alias) => ({ ...alias, kind: aliasKind(batch.source, alias.kind), value: foldAlias(alias.value) }))
    .filter(({ value }) => value !== '' && value.length <= 191);
  const nameOf = (space: unknown, name: unknown): string => `${String(space)} ${String(name)}`;
  const known = new Map(
    (
      await rowsBy(
        trx,
        'affiliate_names',
        'name',
        wanted.map(({ value }) => value),
        ['space', 'name', 'affiliate_id'],
      )
    ).map((row) => [nameOf(row['space'], row['name']), Number(row['affiliate_id'])]),
  );
  const fresh: { space: string; name: string; kind: string; affiliate_id: number; since: number }[] = [];
  for (const { row, affiliateId, kind, value } of wanted) {
    const owner = known.get(nameOf(kind, value));
    if (owner === undefined) {
      known.set(nameOf(kind, value), affiliateId);
      fresh.push({
        space: kind,
        name: value,
        kind: 'imported',
        affiliate_id: affiliateId,
        since: batch.app.clock.now(),
      });
    } else if (owner !== affiliateId) batch.note(row, 'link_taken', value);
  }
  await insertRows(trx, 'affiliate_names', fresh);
}
