import type { Platform } from './platform.js';
import { readJson } from '../core/json.js';
import { randomToken } from '../core/random.js';
import { DAY } from '../core/duration.js';
import { secretFingerprint, type FormerSecret, type KeyRing } from './secrets.js';

const GENERATED = 'service_secret';
const RETIRED = 'retired_secrets';
const IN_USE = 'secret_in_use';
/**
 * How long signatures of a replaced secret are accepted: a link or checkout token may be as old as a cookie
 * can be.
 */
const ACCEPTED_MS = 400 * DAY;

/**
 * On start: binds the keys to the service id in this database, and compares the secret with the one other
 * processes use.
 */
export async function findSecrets(app: Platform, secrets: KeyRing): Promise<void> {
  const serviceId = await identity(app);
  const generated = secrets.given ? await value(app, GENERATED) : await generatedSecret(app);
  const secret = app.options.secret ?? generated ?? '';
  secrets.bind(serviceId, secret);
  const given = app.options.previousSecrets.map((each) =>
    typeof each === 'string' ? { secret: each } : each,
  );
  const leaked = new Set(given.filter((each) => each.decryptOnly === true).map((each) => each.secret));
  const replaced = [
    ...given.map((each) => each.secret),
    ...(secrets.given && generated !== null ? [generated] : []),
  ];
  const former = await formerSecrets(app, replaced, serviceId);
  secrets.remember(
    former.map((each) => (leaked.has(each.secret) ? { ...each, until: 0 } : each)),
    serviceId,
  );
  await compareWithOthers(app, secrets, {
    mine: secretFingerprint(secret, serviceId),
    replaced: replaced.map((former) => secretFingerprint(former, serviceId)),
  });
}

async function identity(app: Platform): Promise<string> {
  const row = await app.db.findByKey('service_identity', ['service_id'], { id: 1 });
  if (row === undefined) throw new Error('The table service_identity is empty: its row was deleted.');
  return row['service_id'] as string;
}

// The process that starts first stores it; the others read what was stored.
async function generatedSecret(app: Platform): Promise<string> {
  const row = { name: GENERATED, value: randomToken(48), version: 1, updated_at: app.clock.now() };
  const created = await app.db.dialect.insertIfAbsent(app.db, 'options', row, ['name']);
  if (created !== null)
    app.log.warn(
      '`secret` is not set. One was generated and stored in the database. Set the option `secret`.',
    );
  return (await value(app, GENERATED)) ?? row.value;
}

/**
 * Each with the time until which it is accepted; that time begins when a service first starts with it as a
 * replaced secret.
 */
async function formerSecrets(
  app: Platform,
  replaced: readonly string[],
  serviceId: string,
): Promise<readonly FormerSecret[]> {
  if (replaced.length === 0) return [];
  const markOf = (secret: string): string => secretFingerprint(secret, serviceId);
  const stored = readJson<Record<string, number>>(await value(app, RETIRED), {});
  const now = app.clock.now();
  const since = Object.fromEntries(replaced.map((each) => [markOf(each), stored[markOf(each)] ?? now]));
  if (Object.keys(since).some((mark) => stored[mark] === undefined))
    await save(app, RETIRED, JSON.stringify({ ...stored, ...since }));
  return replaced.map((secret) => ({ secret, until: (since[markOf(secret)] ?? now) + ACCEPTED_MS }));
}

/**
 * The database holds a mark of the secret in use. If it is neither the mark of ours nor of one we replaced,
 * another process uses another secret.
 */
async function compareWithOthers(
  app: Platform,
  secrets: KeyRing,
  { mine, replaced }: { readonly mine: string; readonly replaced: readonly string[] },
): Promise<void> {
  const { secrets: whenOther } = app.options;
  const inUse = await value(app, IN_USE);
  if (inUse === mine) return;
  if (inUse === null || replaced.includes(inUse) || whenOther === 'replace') {
    await save(app, IN_USE, mine);
    return;
  }
  if (whenOther === 'strict') throw new Error(OTHER_SECRET);
  secrets.differs = true;
  app.log.error(OTHER_SECRET);
}

const OTHER_SECRET =
  'Another process uses this database with a different secret. Each rejects the cookies, links and tokens that the ' +
  'other signs. Set the same `secret` in all processes. If you changed it, add the old one to `previousSecrets`. ' +
  "If the old one is lost, start once with `secrets: 'replace'`.";

async function value(app: Platform, name: string): Promise<string | null> {
  const row = await app.db.findByKey('options', ['value'], { name });
  return (row?.['value'] ?? null) as string | null;
}

async function save(app: Platform, name: string, text: string): Promise<void> {
  const row = { name, value: text, version: 1, updated_at: app.clock.now() };
  await app.db.dialect.upsert(app.db, 'options', [row], ['name'], ['value', 'updated_at']);
}
