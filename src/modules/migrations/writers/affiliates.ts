import type { HostUser } from '../../../../adapters/host.js';
import type { Db, Row } from '../../../database/db.js';
import type { Batch } from '../batch.js';
import { idsByKey, insertRows, rowsBy } from '../repository.js';
import type { SourceAffiliate } from '../types.js';
import type { MatchedUsers } from '../users.js';
import { statedEarnings } from '../stated.js';
import { readEmail, readLongText, readRate, readRef, readText } from '../values.js';

const STATUSES = new Set(['pending', 'active', 'inactive']);
const FULL_PERCENTAGE = 1_000_000;
const PARAM = /^[A-Za-z0-9_-]{1,100}$/u;

/** Affiliates with the host's user where there is one; of two on one user the second comes without login. */
export async function writeAffiliates(
  batch: Batch,
  trx: Db,
  rows: readonly SourceAffiliate[],
  users: MatchedUsers,
): Promise<void> {
  const existing = await findExisting(
    trx,
    rows.map((row) => batch.key(row.id)),
  );
  const taken = await takenValues(trx, rows, users);
  const fresh: Row[] = [];
  for (const row of rows) {
    const stated = statedEarnings(row, batch.currency);
    batch.state.stated.total_minor += stated?.total ?? 0;
    batch.state.stated.unpaid_minor += stated?.unpaid ?? 0;
    const known = existing.get(batch.key(row.id));
    if (row.problem !== undefined) batch.skip(row, row.problem);
    else if (known !== undefined) {
      await linkLater(batch, trx, { row, known, user: users.get(row.id), taken: taken.users });
      batch.count(row, 'existing');
    } else {
      fresh.push(toRow(batch, row, loginOf(batch, row, users, taken.users), taken.params));
      batch.count(row, 'imported');
    }
  }
  await insertRows(trx, 'affiliates', fresh);
  const ids = await idsByKey(
    trx,
    'affiliates',
    fresh.map((row) => String(row['source_key'])),
  );
  await batch.app.rollups.add(
    trx,
    ...fresh.map((row) => ({
      affiliateId: ids.get(String(row['source_key'])) ?? 0,
      at: Number(row['created_at']),
      affiliates: 1,
    })),
  );
}

interface Known {
  readonly id: number;
  readonly user_id: number | null;
}

async function findExisting(trx: Db, keys: readonly string[]): Promise<Map<string, Known>> {
  const rows = await rowsBy(trx, 'affiliates', 'source_key', keys, ['id', 'source_key', 'user_id']);
  return new Map(
    rows.map((row) => [
      String(row['source_key']),
      { id: Number(row['id']), user_id: row['user_id'] === null ? null : Number(row['user_id']) },
    ]),
  );
}

/** An affiliate that came without login gets the host's user once there is one. */
async function linkLater(
  batch: Batch,
  trx: Db,
  {
    row,
    known,
    user,
    taken,
  }: { row: SourceAffiliate; known: Known; user: HostUser | undefined; taken: Set<number> },
): Promise<void> {
  if (known.user_id !== null || user === undefined || taken.has(user.id)) return;
  taken.add(user.id);
  await trx('affiliates').where({ id: known.id }).whereNull('user_id').update({ user_id: user.id });
  await batch.app.audit.write(trx, {
    action: 'import.user_linked',
    object_type: 'affiliate',
    object_id: known.id,
    after: { user_id: user.id },
  });
  batch.note(row, 'user_linked_later');
}

interface Taken {
  readonly users: Set<number>;
  readonly params: Set<string>;
}

async function takenValues(trx: Db, rows: readonly SourceAffiliate[], users: MatchedUsers): Promise<Taken> {
  const params = rows.map((row) => readText(row.custom_param, 100)).filter((param) => param !== null);
  return {
    users: new Set(
      (
        await rowsBy(
          trx,
          'affiliates',
          'user_id',
          [...users.values()].map((user) => user.id),
          ['user_id'],
        )
      ).map((row) => Number(row['user_id'])),
    ),
    params: new Set(
      (await rowsBy(trx, 'affiliates', 'custom_param', params, ['custom_param'])).map((row) =>
        String(row['custom_param']),
      ),
    ),
  };
}

function loginOf(batch: Batch, row: SourceAffiliate, users: MatchedUsers, taken: Set<number>): number | null {
  const user = users.get(row.id);
  if (user === undefined) {
    batch.note(row, row.user === null ? 'user_deleted' : 'user_missing');
    return null;
  }
  if (taken.has(user.id)) {
    batch.note(row, 'user_has_another_affiliate');
    return null;
  }
  taken.add(user.id);
  return user.id;
}

function toRow(batch: Batch, row: SourceAffiliate, userId: number | null, params: Set<string>): Row {
  const created = batch.time(row, row.user?.registered_at);
  return {
    user_id: userId,
    contact_id: Number(readRef(row.contact_id)) || null,
    ...rateOf(batch, row),
    custom_param: paramOf(batch, row, params),
    payment_email: readEmail(row.payment_email),
    status: statusOf(batch, row),
    settings: JSON.stringify({
      disable_new_ref_email: row.disable_new_ref_email === 'yes' ? 'yes' : 'no',
      bank_details: readLongText(row.bank_details, 5000) ?? '',
    }),
    lead_counts: wholeCount(row.lead_counts),
    custom_fields: JSON.stringify({}),
    note: readLongText(row.note, 10_000),
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
  };
}

const wholeCount = (value: SourceAffiliate['lead_counts']): number =>
  /^\d{1,9}$/u.test(String(value ?? '')) ? Number(value) : 0;

function statusOf(batch: Batch, row: SourceAffiliate): string {
  const status = String(row.status);
  if (STATUSES.has(status)) return status;
  batch.note(row, 'status_unknown');
  return 'inactive';
}

function rateOf(
  batch: Batch,
  row: SourceAffiliate,
): { group_id: number | null; rate_type: string; rate_e4: number | null } {
  const groupId = batch.state.groups[readRef(row.group_id) ?? ''] ?? null;
  if (readRef(row.group_id) !== null && groupId === null) batch.note(row, 'group_missing');
  if (row.rate_type === 'group' && groupId !== null)
    return { group_id: groupId, rate_type: 'group', rate_e4: null };
  if (row.rate_type !== 'percentage' && row.rate_type !== 'flat')
    return { group_id: groupId, rate_type: 'default', rate_e4: null };
  const rate = readRate(row.rate);
  if (rate === null) {
    batch.note(row, 'rate_unusable');
    return { group_id: groupId, rate_type: 'default', rate_e4: null };
  }
  if (row.rate_type === 'percentage' && rate > FULL_PERCENTAGE) batch.note(row, 'percentage_beyond_hundred');
  return {
    group_id: groupId,
    rate_type: row.rate_type,
    rate_e4: row.rate_type === 'percentage' ? Math.min(rate, FULL_PERCENTAGE) : rate,
  };
}

function paramOf(batch: Batch, row: SourceAffiliate, taken: Set<string>): string | null {
  const param = readText(row.custom_param, 100);
  if (param === null) return null;
  if (!PARAM.test(param) || taken.has(param)) {
    batch.note(row, taken.has(param) ? 'custom_param_taken' : 'custom_param_unusable');
    return null;
  }
  taken.add(param);
  return param;
}
