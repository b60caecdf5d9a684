import type { Deps } from './deps.js';
import type { ApiKeyDto } from './schemas.js';
import { apiKeys, type ApiKey } from './record.js';

/** Records with the names of owner and maker; one host call for all of them. */
export async function presentApiKeys(app: Deps, keys: readonly ApiKey[]): Promise<ApiKeyDto[]> {
  const users = await app.users(keys.flatMap((key) => [key.user_id, key.created_by]));
  const nameOf = (id: number | null): string | null => {
    const user = users.get(id ?? 0);
    return user ? user.display_name || user.login : null;
  };
  return keys.map((key) => {
    const { id, key_id, name, rights, user_id, created_by, ...times } = apiKeys.present(key);
    return {
      id,
      key_id,
      name,
      rights,
      user_id,
      user_name: nameOf(user_id),
      created_by,
      created_by_name: nameOf(created_by),
      ...times,
    };
  });
}
