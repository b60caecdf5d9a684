import type { HostUser } from '../../../adapters/host.js';
import type { Deps } from './deps.js';
import { importedName } from './presenter.js';
import type { AffiliatesService } from './service.js';

// Options of select inputs (docs/settings.md §7): limited in number, searched by an index or by the host.

const LIMIT = 20;
const CANDIDATES = 200;
/** A host is asked for four times as many each time, up to this number. */
const CANDIDATES_MAX = 51_200;
const MAX_INCLUDED = 1000;

interface SelectParts {
  readonly app: Deps;
  readonly affiliates: Pick<AffiliatesService, 'listing' | 'findMany' | 'findByUsers'>;
}

/**
 * At most 20 affiliates with a name (of their user, or from an import), of the 200 newest that match, by name;
 * then the included ones that are missing.
 */
export async function affiliateOptions(
  { app, affiliates }: SelectParts,
  search: string,
  includeIds: unknown,
): Promise<{ id: number; full_name: string }[]> {
  const query = { page: 1, per_page: CANDIDATES, search, order_by: 'id', order_type: 'DESC' as const };
  const found = await affiliates.listing.ids(query);
  const included = readIds(includeIds);
  const rows = await affiliates.findMany([...found, ...included]);
  const users = await app.users([...rows.values()].map((affiliate) => affiliate.user_id));
  const named = (ids: readonly number[]): { id: number; full_name: string }[] =>
    ids.flatMap((id) => {
      const row = rows.get(id);
      const name = users.get(row?.user_id ?? 0)?.full_name ?? (row && importedName(row));
      return name ? [{ id, full_name: name }] : [];
    });
  const first = named(found)
    .toSorted((a, b) => a.full_name.localeCompare(b.full_name, 'en') || a.id - b.id)
    .slice(0, LIMIT);
  return [...first, ...named(included.filter((id) => !first.some((option) => option.id === id)))];
}

/**
 * At most 20 users, without those who are affiliates when asked; then the included ones.
 * The e-mail only for callers who may list users.
 */
export async function userOptions(
  asked: SelectParts,
  {
    search,
    includeIds,
    withoutAffiliates,
    withEmail,
  }: { search: string; includeIds: unknown; withoutAffiliates: boolean; withEmail: boolean },
): Promise<{ ID: number; display_name: string }[]> {
  const { app } = asked;
  const first = withoutAffiliates
    ? await freeUsers(asked, search)
    : (await app.host.users.search(search, LIMIT)).slice(0, LIMIT);
  const missing = readIds(includeIds).filter((id) => !first.some((user) => user.id === id));
  const included = missing.length > 0 ? [...(await app.users(missing)).values()] : [];
  const label = (user: HostUser): string =>
    withEmail && user.email !== '' ? `${user.full_name} (${user.email})` : user.full_name;
  return [...first, ...included].map((user) => ({ ID: user.id, display_name: label(user) }));
}

/**
 * Hosts return users in any order, so affiliates may come first: more users are asked for until 20 others are
 * found or there are no more.
 */
async function freeUsers({ app, affiliates }: SelectParts, search: string): Promise<HostUser[]> {
  const seen = new Set<number>();
  const free: HostUser[] = [];
  for (let limit = CANDIDATES; limit <= CANDIDATES_MAX; limit *= 4) {
    const found = await app.host.users.search(search, limit);
    const fresh = found.filter((user) => !seen.has(user.id));
    const taken = await affiliates.findByUsers(fresh.map((user) => user.id));
    for (const user of fresh) {
      seen.add(user.id);
      if (!taken.has(user.id)) free.push(user);
    }
    if (free.length >= LIMIT || found.length < limit || fresh.length === 0) break;
  }
  return free.slice(0, LIMIT);
}

function readIds(value: unknown): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return [...new Set(list.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0))].slice(
    0,
    MAX_INCLUDED,
  );
}
