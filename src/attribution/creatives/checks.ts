import { fail, failFields, FieldCheck } from '../../errors.js';
import type { Deps } from './deps.js';
import type { Creative, CreativeFields, CreativeForm } from './types.js';

const UNKNOWN = {
  affiliate_ids: 'One of the affiliates does not exist.',
  group_ids: 'One of the groups does not exist.',
} as const;
const TARGET_KEYS = ['privacy', 'affiliate_ids', 'group_ids'] as const;

/**
 * Checks that need more than the form: the targets exist, private material has readers, the address is on an
 * allowed host.
 */
export async function validate(
  app: Deps,
  fields: CreativeFields,
  previous: Creative | null,
  form: CreativeForm,
): Promise<void> {
  const check = new FieldCheck();
  const affiliates = await app.affiliates.findMany(fields.affiliate_ids);
  const groups = await app.groups.findMany(fields.group_ids);
  if (affiliates.size < fields.affiliate_ids.length)
    check.add('affiliate_ids', 'exists', UNKNOWN.affiliate_ids);
  if (groups.size < fields.group_ids.length) check.add('group_ids', 'exists', UNKNOWN.group_ids);
  if (app.options.creatives.ownSitesOnly && !(await isOwnAddress(app, fields.url)))
    check.add('url', 'in', 'The URL must be on this site or a connected one.');
  check.throwIfAny();
  if (!isOrphan(fields)) return;
  // A deleted group can leave private material without readers; changes that do not affect its readers are
  // still allowed.
  if (previous === null || !isOrphan(previous) || TARGET_KEYS.some((key) => form[key] !== undefined))
    fail('targets_required');
}

const isOrphan = ({ privacy, affiliate_ids: affiliates, group_ids: groups }: CreativeFields): boolean =>
  privacy === 'private' && affiliates.length === 0 && groups.length === 0;

async function isOwnAddress(app: Deps, url: string): Promise<boolean> {
  const { host } = new URL(url);
  const known = [
    new URL(app.host.site().url).host,
    ...app.options.tracking.allowedHosts,
    ...(await app.tracking.siteHosts()),
  ];
  return known.some((each) => each.toLowerCase() === host);
}

/** Reads picture, size and type from the host's media library, if it has one (docs/interface.md §10.2). */
export async function readMedia(app: Deps, form: CreativeForm): Promise<CreativeForm> {
  const meta =
    typeof form['meta'] === 'object' && form['meta'] !== null
      ? (form['meta'] as Readonly<Record<string, unknown>>)
      : {};
  const id = Number(meta['attachment_id'] ?? 0);
  const media = app.host.media && Number.isSafeInteger(id) && id > 0 ? await app.host.media.get(id) : null;
  if (!media) return form;
  const size = {
    media_width: media.width ?? '',
    media_height: media.height ?? '',
    media_type: media.type ?? '',
  };
  return { ...form, image: media.url, meta: { ...meta, ...size } };
}

/** Fails with 422 where the database refuses a target that was deleted. */
export function staleTarget(): never {
  return failFields({
    affiliate_ids: { exists: UNKNOWN.affiliate_ids },
    group_ids: { exists: UNKNOWN.group_ids },
  });
}
