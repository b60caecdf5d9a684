import { cleanHtml } from '../../../core/html.js';
import { cut } from '../../../core/text.js';
import type { Db, Row } from '../../../platform/database/db.js';
import type { Batch, RowResult } from '../batch.js';
import { idsByKey, insertRows } from '../repository.js';
import type { SourceCreative } from '../../../../adapters/imports.js';
import { readLongText, readText, repairText } from '../../../core/imports/values.js';

const TYPES: Readonly<Record<string, string>> = {
  image: 'image',
  banner: 'banner',
  text: 'text',
  text_link: 'text',
  html: 'html',
  long_text: 'text',
  qr_code: 'qr_code',
};
const MAX_META = 20;
// media of the old site have other ids here
const LEFT_OUT = new Set(['attachment_id', '__proto__', 'constructor', 'prototype']);
const HTTP = /^https?:\/\//iu;

/** Promotional material. Private material is for the same affiliates and groups. */
export async function writeCreatives(batch: Batch, trx: Db, rows: readonly SourceCreative[]): Promise<void> {
  const existing = await batch.idsOf(trx, 'creatives', rows);
  const fresh: SourceCreative[] = [];
  for (const row of rows) {
    const placed = placedOn(siteOf(batch), row);
    const result = countCreative(batch, row, existing.has(batch.key(row.id)));
    if (result === 'imported' && placed !== null) fresh.push(placed);
  }
  await insertRows(
    trx,
    'creatives',
    fresh.map((row) => toRow(batch, row)),
  );
  await insertTargets(batch, trx, fresh);
}

export function countCreative(batch: Batch, row: SourceCreative, isHere: boolean): RowResult {
  const placed = placedOn(siteOf(batch), row);
  const reason = placed === null ? 'creative_without_site' : (row.problem ?? problemOf(placed));
  return batch.countRow(row, isHere, reason);
}

/** The old site, else this one; none where a command line runs without a host. */
function siteOf(batch: Batch): string | null {
  const own = batch.app.host.site().url;
  return batch.state.setup?.program?.site_url ?? (own === 'http://localhost' ? null : own);
}

/**
 * Addresses below the site become whole ones; material without any leads to the site.
 * Null: it needs the site, and that is not known.
 */
function placedOn(site: string | null, row: SourceCreative): SourceCreative | null {
  const whole = (value: SourceCreative['url']): string | null | undefined => {
    const text = readText(value, 2048);
    if (text === null || HTTP.test(text)) return text;
    return site === null ? undefined : (URL.parse(text, `${site.replace(/\/$/u, '')}/`)?.href ?? text);
  };
  const url = whole(row.url ?? '');
  const image = whole(row.image);
  const target = url === null ? site : url;
  return target === null || target === undefined || image === undefined
    ? null
    : { ...row, url: target, image };
}

const urlOf = (row: SourceCreative): string => readText(row.url, 2048) ?? '';

function problemOf(row: SourceCreative): string | null {
  if (!HTTP.test(urlOf(row))) return 'url_unusable';
  return typeOf(row) === 'image' && !HTTP.test(readText(row.image, 2048) ?? '') ? 'image_missing' : null;
}

const typeOf = (row: SourceCreative): string =>
  TYPES[String(row.type ?? '')] ?? (readText(row.image, 2048) === null ? 'text' : 'image');

/** Markup only where the type is made of it, and then only the harmless part. */
const textOf = (row: SourceCreative): string | null =>
  typeOf(row) === 'html' && typeof row.text === 'string'
    ? cut(cleanHtml(repairText(row.text)), 20_000) || null
    : readLongText(row.text, 20_000);

/** Scheduled and expired ones without a schedule would never change again. */
function statusOf(status: string, hasSchedule: boolean): string {
  return status === 'active' || (hasSchedule && (status === 'scheduled' || status === 'expired'))
    ? status
    : 'inactive';
}

/**
 * `start_time` and `end_time` become the schedule; the rest does not change, in the limits of
 * docs/interface.md §10.2.
 */
function detailsOf(
  batch: Batch,
  row: SourceCreative,
): Pick<Row, 'starts_at' | 'ends_at' | 'next_due_at' | 'status' | 'meta'> {
  const { start_time: start, end_time: end, ...rest } = row.meta ?? {};
  const starts = batch.readTime(start);
  const given = batch.readTime(end);
  const ends = given !== null && starts !== null && given <= starts ? null : given;
  if (given !== ends) batch.note(row, 'end_before_start');
  const status = statusOf(String(row.status), starts !== null || ends !== null);
  const kept = Object.entries(rest)
    .filter(([key, value]) => !LEFT_OUT.has(key) && ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MAX_META);
  return {
    starts_at: starts,
    ends_at: ends,
    next_due_at: status === 'scheduled' ? (starts ?? ends) : status === 'active' ? ends : null,
    status,
    meta: JSON.stringify(
      Object.fromEntries(
        kept.map(([key, value]) => [
          key.slice(0, 100),
          typeof value === 'string' ? (readLongText(value, 1000) ?? '') : value,
        ]),
      ),
    ),
  };
}

function toRow(batch: Batch, row: SourceCreative): Row {
  const created = batch.time(row);
  const image = readText(row.image, 2048);
  return {
    name: readText(row.name, 255) ?? `Creative ${row.id}`,
    description: readLongText(row.description, 5000),
    type: typeOf(row),
    image: image !== null && HTTP.test(image) ? image : null,
    text: textOf(row),
    url: urlOf(row),
    privacy: row.privacy === 'private' ? 'private' : 'public',
    ...detailsOf(batch, row),
    source_key: batch.key(row.id),
    created_at: created,
    updated_at: created,
  };
}

async function insertTargets(batch: Batch, trx: Db, rows: readonly SourceCreative[]): Promise<void> {
  const ids = await batch.idsOf(trx, 'creatives', rows);
  const affiliates = await idsByKey(
    trx,
    'affiliates',
    rows.flatMap((row) => (row.affiliate_ids ?? []).map((id) => batch.key(id))),
  );
  for (const row of rows) {
    const creativeId = ids.get(batch.key(row.id));
    const members = [...new Set((row.affiliate_ids ?? []).map((id) => affiliates.get(batch.key(id))))].filter(
      (id) => id !== undefined,
    );
    const groups = [...new Set((row.group_ids ?? []).map((id) => batch.state.groups[id]))].filter(
      (id) => id !== undefined,
    );
    await insertRows(
      trx,
      'creative_affiliates',
      members.map((id) => ({ creative_id: creativeId, affiliate_id: id })),
    );
    await insertRows(
      trx,
      'creative_groups',
      groups.map((id) => ({ creative_id: creativeId, group_id: id })),
    );
  }
}
