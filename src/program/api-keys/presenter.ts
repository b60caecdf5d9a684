import { toIso } from '../../core/dates.js';
import type { Needs } from './needs.js';
import type { WireApiKey } from './schemas.js';
import type { ApiKey } from './types.js';

/** Records with the names of owner and maker; one host call for all of them. */
export async function presentApiKeys(app: Needs, keys: readonly ApiKey[]): Promise<WireApiKey[]> {
  const users = await app.users(keys.flatMap((key) => [key.user_id, key.created_by]));
  const nameOf = (id: number | null): string | null => {
    const user = users.get(id ?? 0);
    return user ? user.display_name || user.login : null;
  };
  return keys.map((key) => ({
    id: key.id,
    key_id: key.key_id,
    name: key.name,
    rights: key.rights,
    user_id: key.user_id,
    user_name: nameOf(key.user_id),
    created_by: key.created_by,
    created_by_name: nameOf(key.created_by),
    expires_at: toIso(key.expires_at),
    last_used_at: toIso(key.last_used_at),
    created_at: toIso(key.created_at),
    updated_at: toIso(key.updated_at),
  }));
}
