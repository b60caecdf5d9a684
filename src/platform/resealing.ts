import { DAY } from '../core/duration.js';
import { readJson } from '../core/json.js';
import type { Platform } from './platform.js';
import type { ResealReport } from './secrets.js';

const STORED = 'resealed';
const PURPOSE = 'resealed';

interface SecretStore {
  resealSecrets(): Promise<ResealReport>;
}

/** The platform, and the modules that store secrets. */
interface ResealDeps extends Platform {
  readonly connectedSites: SecretStore;
  readonly webhooks: SecretStore;
  readonly captcha: SecretStore;
  readonly license: SecretStore;
  readonly payers: SecretStore;
}

/** How the last look at all stored secrets ended. */
interface LastLook {
  /** Identifies the secret with which they were sealed. */
  readonly with: string;
  readonly at: number;
  /** Texts that needed a replaced secret until this look. */
  readonly renewed: number;
  /** Texts that no known secret opens. */
  readonly lost: number;
}

/**
 * Seals stored secrets with the current one: at each start, and by a job, because a process that still has the old
 * secret may store more. It looks only while something may need a replaced or lost secret.
 */
export async function resealAll(app: ResealDeps): Promise<void> {
  if (app.secrets.differs) return; // another process could no longer open what this one seals
  const last = await lastLook(app);
  if (!app.secrets.isReplaced && isOver(app, last)) return;
  const look = { renewed: 0, lost: 0 };
  for (const module of [app.connectedSites, app.webhooks, app.captcha, app.license, app.payers]) {
    const { renewed, lost } = await module.resealSecrets();
    look.renewed += renewed;
    look.lost += lost;
  }
  if (look.lost > 0)
    app.log.error(
      'Stored secrets cannot be decrypted with `secret` and `previousSecrets`: webhooks, connected sites, payments, captcha or license fail until they get new ones.',
      { count: look.lost },
    );
  if (last !== null && !isOver(app, last) && look.renewed + look.lost === 0)
    app.log.info('All stored secrets are sealed with the current `secret`.');
  await save(app, { with: markOf(app), at: app.clock.now(), ...look });
}

/** The job looks again until a look finds nothing to do, then daily while there is a replaced secret. */
export async function isResealDue(app: Platform): Promise<boolean> {
  if (app.secrets.differs) return false;
  const last = await lastLook(app);
  return !isOver(app, last) || (app.secrets.isReplaced && app.clock.now() - (last?.at ?? 0) >= DAY);
}

/** For `risks()`: does a row need a replaced secret, or one that is lost? */
export async function resealState(
  app: Platform,
): Promise<{ readonly old_secret_needed: boolean; readonly secrets_lost: boolean }> {
  const last = await lastLook(app);
  const isOurs = last?.with === markOf(app);
  return {
    old_secret_needed: app.secrets.isReplaced && !app.secrets.differs && !(isOurs && last.renewed === 0),
    secrets_lost: isOurs && last.lost > 0,
  };
}

/** Like `resealState`, for a command, which does not know the secret. */
export async function storedResealState(app: Platform): ReturnType<typeof resealState> {
  const last = await lastLook(app);
  return { old_secret_needed: (last?.renewed ?? 0) > 0, secrets_lost: (last?.lost ?? 0) > 0 };
}

const markOf = ({ secrets }: Pick<Platform, 'secrets'>): string => secrets.sign(PURPOSE, '').slice(0, 32);

const isOver = (app: Platform, last: LastLook | null): boolean =>
  last?.with === markOf(app) && last.renewed === 0 && last.lost === 0;

async function lastLook({ db }: Platform): Promise<LastLook | null> {
  const row = await db.findByKey('options', ['value'], { name: STORED });
  return readJson<LastLook | null>(row?.['value'] ?? null, null);
}

async function save({ db, clock }: Platform, look: LastLook): Promise<void> {
  const row = { name: STORED, value: JSON.stringify(look), version: 1, updated_at: clock.now() };
  await db.dialect.upsert(db, 'options', [row], ['name'], ['value', 'updated_at']);
}
