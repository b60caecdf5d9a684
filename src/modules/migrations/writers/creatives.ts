import type { Db, Row } from '../../../database/db.js';
import type { Batch } from '../batch.js';
import { idsByKey, insertRows } from '../repository.js';
import type { SourceCreative } from '../types.js';
import { readLongText, readText } from '../values.js';

const TYPES: Readonly<Record<string, string>> = { image: 'image', banner: 'banner', text: 'text', text_link: 'text', html: 'html', long_text: 'text', qr_code: 'qr_code' };
const HTTP = /^https?:\/\//iu;

/** Promotional material. Private material keeps the affiliates and groups it is for. */
export async function writeCreatives(batch: Batch, trx: Db, rows: readonly SourceCreative[]): Promise<void> {
  const existing = await idsByKey(trx, 'creatives', rows.map((row) => batch.key(row.id)));
  const fresh: SourceCreative[] = [];
  for (const row of rows) {
    if (existing.has(batch.key(row.id))) {
      batch.count(row, 'existing');
      continue;
    }
    const problem = row.problem ?? problemOf(row);
    if (problem !== null) batch.skip(row, problem);
    else {
      fresh.push(row);
      batch.count(row, 'imported');
    }
  }
  await insertRows(trx, 'creatives', fresh.map((row) => toRow(batch, row)));
  await insertTargets(batch, trx, fresh);
}

const urlOf = (row: SourceCreative): string => readText(row.url, 2048) ?? '';

function problemOf(row: SourceCreative): string | null {
  if (!HTTP.test(urlOf(row))) return 'url_unusable';
  return typeOf(row) === 'image' && !HTTP.test(readText(row.image, 2048) ?? '') ? 'image_missing' : null;
}

const typeOf = (row: SourceCreative): string => TYPES[String(row.type ?? '')] ?? (readText(row.image, 2048) === null ? 'text' : 'image');

function toRow(batch: Batch, row: SourceCreative): Row {
  const created = batch.time(row);
  const image = readText(row.image, 2048);
  return {
    name: readText(row.name, 255) ?? `Creative ${row.id}`, description: readLongText(row.description, 5000), type: typeOf(row),
    image: image !== null && HTTP.test(image) ? image : null, text: readLongText(row.text, 20_000), url: urlOf(row),
    privacy: row.privacy === 'private' ? 'private' : 'public', status: row.status === 'active' ? 'active' : 'inactive',
    starts_at: null, ends_at: null, next_due_at: null, meta: '{}', source_key: batch.key(row.id), created_at: created, updated_at: created,
  };
}

async function insertTargets(batch: Batch, trx: Db, rows: readonly SourceCreative[]): Promise<void> {
  const ids = await idsByKey(trx, 'creatives', rows.map((row) => batch.key(row.id)));
  const affiliates = await idsByKey(trx, 'affiliates', rows.flatMap((row) => (row.affiliate_ids ?? []).map((id) => batch.key(id))));
  for (const row of rows) {
    const creativeId = ids.get(batch.key(row.id));
    const members = [...new Set((row.affiliate_ids ?? []).map((id) => affiliates.get(batch.key(id))))].filter((id) => id !== undefined);
    const groups = [...new Set((row.group_ids ?? []).map((id) => batch.state.groups[id]))].filter((id) => id !== undefined);
    await insertRows(trx, 'creative_affiliates', members.map((id) => ({ creative_id: creativeId, affiliate_id: id })));
    await insertRows(trx, 'creative_groups', groups.map((id) => ({ creative_id: creativeId, group_id: id })));
  }
}
