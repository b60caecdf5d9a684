import { cut, nameKey } from '../../../core/text.js';
import { rateToWire } from '../../../core/rate.js';
import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch, RowResult } from '../batch.js';
import { saveLevel, saveRewards } from '../rewards.js';
import { rowsBy } from '../repository.js';
import type { SourceGroup } from '../../../../adapters/imports.js';
import { readLongText, readRate, readText } from '../../../core/imports/values.js';

const NAME_MAX = 192;
const KIND = { object_type: 'affiliate_group', object_id: 0 } as const;

/** Groups have no source key: their names are unique, so a group of the same name is the group. */
export async function writeGroups(batch: Batch, trx: Db, rows: readonly SourceGroup[]): Promise<void> {
  const known = await groupsByName(trx, rows);
  for (const row of rows) {
    const existing = known.get(keyOf(row));
    if (countGroup(batch, row, existing !== undefined) === 'skipped') continue;
    const id = existing ?? (await trx.dialect.insert(trx, 'meta', toRow(batch, row)));
    known.set(keyOf(row), id);
    batch.state.groups[row.id] = id;
    saveRewards(batch.state, 'group', id, row.rewards);
    saveLevel(batch.state, id, row.level);
  }
}

/** The ids of our groups, by the key of their name. */
export async function groupsByName(db: Db, rows: readonly SourceGroup[]): Promise<Map<string, number>> {
  const found = await rowsBy(
    db,
    'meta',
    'name_key',
    rows.map((row) => keyOf(row)),
    ['id', 'name_key', 'object_type'],
  );
  return new Map(
    found
      .filter((row) => row['object_type'] === KIND.object_type)
      .map((row) => [String(row['name_key']), Number(row['id'])]),
  );
}

export function countGroup(batch: Batch, row: SourceGroup, isHere: boolean): RowResult {
  const reason = row.problem ?? (readText(row.name, NAME_MAX) === null ? 'name_missing' : null);
  return batch.countRow(row, isHere && reason === null, reason);
}

export const keyOf = (row: SourceGroup): string => cut(nameKey(readText(row.name, NAME_MAX) ?? ''), NAME_MAX);

function toRow(batch: Batch, row: SourceGroup): Row {
  const now = batch.time(row);
  const status = row.status === 'inactive' ? 'inactive' : 'active';
  const notes = readLongText(row.note, 5000) ?? '';
  const type = row.rate_type === 'flat' || row.rate_type === 'percentage' ? row.rate_type : 'default';
  const rate = type === 'default' ? 0 : rateToWire(readRate(row.rate) ?? 0);
  return {
    ...KIND,
    meta_key: readText(row.name, NAME_MAX),
    name_key: keyOf(row),
    value: JSON.stringify({
      rate_type: type,
      rate: type === 'percentage' ? Math.min(rate, 100) : rate,
      status,
      notes,
    }),
    status,
    notes,
    created_at: now,
    updated_at: now,
  };
}
