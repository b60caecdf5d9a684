import type { Db } from '../../platform/database/db.js';
import type { Lease } from '../../platform/database/lease.js';
import type { Deps } from './deps.js';
import { Batch } from './batch.js';
import { grantRights, matchManagers } from './managers.js';
import { tryLinks } from './links.js';
import { findRun, moveRun } from './repository.js';
import { STAGES, type Stage } from '../../core/imports/stages.js';
import type { AnyRow, Migrator, ProgramSettings } from '../../../adapters/imports.js';
import type { ImportRun, LinkTrial, RunStage } from './types.js';
import { matchUsers, ownersHere, type MatchedUsers } from './users.js';
import { writeAffiliates } from './writers/affiliates.js';
import { writeCreatives } from './writers/creatives.js';
import { writeCustomers } from './writers/customers.js';
import { draftRewards } from './rewards.js';
import { writeGroups } from './writers/groups.js';
import { writePayments } from './writers/payouts.js';
import { writeReferrals } from './writers/referrals.js';
import { writeVisits } from './writers/visits.js';
import { toIso } from '../../core/dates.js';

/** Rows of a page, by stage: so many that their transaction takes about 50 ms. */
export const BATCH: Readonly<Record<Stage, number>> = {
  affiliate_groups: 100,
  affiliates: 100,
  referrals: 200,
  customers: 200,
  payouts: 100,
  visits: 1000,
  creatives: 100,
};

const MAX_ID = 100;

type Writer = (batch: Batch, trx: Db, rows: readonly never[], users: MatchedUsers) => Promise<void>;
const WRITERS: Readonly<Record<Stage, Writer>> = {
  affiliate_groups: writeGroups,
  affiliates: writeAffiliates,
  referrals: writeReferrals,
  customers: writeCustomers,
  payouts: writePayments,
  visits: writeVisits,
  creatives: writeCreatives,
};

type Pace = ReturnType<Deps['operations']['pace']>;

export interface StepOptions {
  readonly createUsers: boolean;
  readonly lease: Lease;
  /**
   * How long to rest while orders wait. The sizes of batches do not change, as the ids of an import depend on
   * them.
   */
  readonly pace: Pace;
}

const isStage = (stage: RunStage): stage is Stage => (STAGES as readonly string[]).includes(stage);

/**
 * Imports one page of rows in one transaction with the cursor behind it: a process that is killed loses and
 * repeats nothing.
 */
export async function stepRun(
  app: Deps,
  migrator: Migrator,
  run: ImportRun,
  options: StepOptions,
): Promise<ImportRun> {
  const { stage } = run;
  if (!isStage(stage)) return run;
  const startedAt = performance.now();
  const page = await migrator.migrate(stage, run.state.cursors[stage] ?? null, BATCH[stage]);
  const rows = checkIds(page.rows);
  const users = await matchUsers(app, stage, rows, options.createUsers);
  const managers = stage === 'affiliates' && page.done ? await matchManagers(app, migrator) : [];
  const owners = await ownersHere(app, rows);
  const { currency } = await app.settings.referralConfig();
  const timeZone = run.state.setup?.time_zone ?? migrator.timeZone ?? app.host.site().timeZone;
  const setup = { app, run, stage, currency, timeZone, owners, sourceName: migrator.name };
  const isLast = page.done && after(stage) === 'completed';
  const { links, program } = isLast ? await readLast(app, migrator, run) : NOT_LAST;
  const read = performance.now();
  const stored = await storeUnlessMoved(app, async (trx) => {
    await options.lease.hold(trx);
    const batch = new Batch(setup);
    await WRITERS[stage](batch, trx, rows as readonly never[], users);
    await grantRights(batch, managers);
    await batch.storeRemarks(trx);
    const { state } = batch;
    if (page.nextCursor !== null) state.cursors[stage] = page.nextCursor;
    if (links !== null) state.links = links;
    state.worked_ms += Math.round(performance.now() - startedAt);
    const next = page.done ? after(stage) : stage;
    if (page.rows.length > 0) await audit(app, trx, run, batch);
    if (next === 'completed') await draftRewards(batch, trx, { sourceName: migrator.name, program });
    if (!(await moveRun(trx, run, next, state, app.clock.now()))) throw new MovedOn();
    if (next === 'completed')
      await app.eventLog.append(trx, 'import.finished', {
        id: run.source,
        data: { migrator: run.source, finished_at: toIso(app.clock.now()) },
      });
  });
  const ended = performance.now();
  options.pace.learn({ lockedMs: ended - read, tookMs: ended - startedAt, done: rows.length });
  if (!stored) app.log.debug('a batch of an import is retried', { source: run.source, stage });
  return (await findRun(app.db, run.source)) ?? run;
}

interface Last {
  readonly links: LinkTrial | null;
  readonly program: ProgramSettings | null;
}
const NOT_LAST: Last = { links: null, program: null };

/** What the last batch reports besides its rows. */
async function readLast(app: Deps, migrator: Migrator, run: ImportRun): Promise<Last> {
  const links = await tryLinks(app, migrator, run);
  return { links, program: (await migrator.program?.()) ?? null };
}

/** The run was cancelled or restarted while the batch was read. */
class MovedOn extends Error {}

async function storeUnlessMoved(app: Deps, work: (trx: Db) => Promise<void>): Promise<boolean> {
  try {
    await app.transaction(work);
    return true;
  } catch (error) {
    if (error instanceof MovedOn) return false;
    throw error;
  }
}

/** An id may appear twice; the first row with it counts, and each row has a remark of its own. */
export function checkIds(rows: readonly AnyRow[]): readonly AnyRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const before = seen.get(row.id) ?? 0;
    seen.set(row.id, before + 1);
    if (before > 0)
      return { ...row, id: `${row.id.slice(0, MAX_ID - 10)} (${before + 1})`, problem: 'id_repeated' };
    return row.id.length > MAX_ID || row.id === '' ? { ...row, problem: 'id_unusable' } : row;
  });
}

const after = (stage: Stage): RunStage => STAGES[STAGES.indexOf(stage) + 1] ?? 'completed';

/** One audit entry per batch, since the rows are not decisions of a user (docs/reliability.md §1). */
async function audit(app: Deps, trx: Db, run: ImportRun, batch: Batch): Promise<void> {
  const before = run.state.stages[batch.stage];
  const now = batch.state.stages[batch.stage];
  if (now.imported === before.imported) return;
  await app.audit.write(trx, 'import.batch', ['import', run.source], {
    after: {
      stage: batch.stage,
      imported: now.imported - before.imported,
      skipped: now.skipped - before.skipped,
    },
  });
}
