import type { App } from './app.js';
import { readJson } from './core/json.js';
import { KeyRing, type FormerSecret } from './secrets.js';

const ROW = 'retired_secrets';
/** How long what a replaced secret signed is accepted: a link or checkout token may be as old as a cookie lives (commerce-providers §10). */
const ACCEPTED_MS = 400 * 86_400_000;

/**
 * The secrets that were replaced, each with the end of its time, which begins when a service first starts with it as a former one.
 * `generated` is the secret made up before the host gave one.
 */
export async function formerSecrets(app: App, generated: string | null): Promise<readonly FormerSecret[]> {
  const secrets = [...app.options.previousSecrets, ...(generated === null ? [] : [generated])];
  if (secrets.length === 0) return [];
  const row: { value: string } | undefined = await app.db('options').first('value').where({ name: ROW });
  const stored = readJson<Record<string, number>>(row?.value ?? null, {});
  const now = app.clock.now();
  const since = Object.fromEntries(secrets.map((secret) => [markOf(secret), stored[markOf(secret)] ?? now]));
  if (Object.keys(since).some((mark) => stored[mark] === undefined)) {
    const value = JSON.stringify({ ...stored, ...since });
    await app.db.dialect.upsert(
      app.db,
      'options',
      [{ name: ROW, value, version: 1, updated_at: now }],
      ['name'],
      ['value', 'updated_at'],
    );
  }
  return secrets.map((secret) => ({ secret, until: (since[markOf(secret)] ?? now) + ACCEPTED_MS }));
}

/** Recognises a secret without keeping it. */
const markOf = (secret: string): string => new KeyRing(secret).sign('retired-secret', '').slice(0, 32);
