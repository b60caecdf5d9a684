import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE } from '../../core/duration.js';
import { AffiliateError, fail } from '../../errors.js';
import type { Lease } from '../../platform/database/lease.js';
import type { Deps } from './deps.js';
import { BackgroundWork } from './background.js';
import { compareAffiliates } from './compare.js';
import { badEmailsOf } from './emails.js';
import { exportProgram, importProgram } from './program-copy.js';
import { reportOf } from './report.js';
import {
  countImported,
  dataCounts,
  findRun,
  forgetSkips,
  listRemarks,
  listRuns,
  listUnfinished,
  putRun,
  setFlags,
} from './repository.js';
import { saveLinkSettings } from './links.js';
import { describeRemark } from './remarks.js';
import { stepRun } from './run.js';
import { CsvUploads } from './uploads.js';
import { Trial } from './trial.js';
import { Wipe } from './wipe.js';
import { adoptCurrency, applySettings, prepareImport } from './setup.js';
import { freshState, noCounts } from './state.js';
import { STAGES, type StageCounts } from '../../core/imports/stages.js';
import type {
  AffiliatePage,
  ImportReport,
  ImportRun,
  ImportSettings,
  CheckedSetup,
  DescribedRemark,
} from './types.js';
import type { Migrator, ProgramSettings } from '../../../adapters/imports.js';
import { providerOf } from '../../core/imports/words.js';

const LEASE = 'migrations';
/** The source over uploaded files. */
const UPLOADED = 'csv';
const STEP_MS = 500;
const SLICE_SECONDS = 2;
/** Another process continues after this time if one died; a batch takes a fraction of it. */
const LEASE_MS = 20_000;
/** A batch that fails this often in a row for the same reason stops the run, as a step of an operation does. */
const ATTEMPTS = 3;
const PATIENCE_MS = 30_000;
const ABANDONED_MS = 5 * MINUTE;
export const WIPE_TEXT = 'WIPE ALL DATA';

interface SourceName {
  readonly name: string;
  readonly slug: string;
}

export interface RunOptions {
  /** Called after every batch. */
  readonly onProgress?: (run: ImportRun) => void;
  /** Stops after the batch at hand; the run can be resumed. */
  readonly signal?: AbortSignal;
  readonly createUsers?: boolean;
}

/**
 * Imports from other systems: one run per source, in batches that can be stopped and repeated at any point.
 */
export class ImportsService {
  readonly #background: BackgroundWork;
  readonly uploads: CsvUploads;
  readonly #wipe: Wipe;

  constructor(private readonly app: Deps) {
    this.uploads = new CsvUploads(app);
    this.#wipe = new Wipe(app, { name: LEASE, ttlMs: LEASE_MS });
    app.operations.add(this.#wipe.work);
    // its rows contain the ids that affiliates have now
    app.affiliates.addPart({
      refusal: async () => ((await this.#unfinished()).length > 0 ? 'merge_import_running' : null),
    });
    this.#background = new BackgroundWork(app, async (enough) => {
      for (const { source } of await this.#unfinished()) await this.#work(source, {}, enough);
    });
  }

  /** The sources that have something to import. */
  async list(): Promise<{ name: string; slug: string }[]> {
    const available: Migrator[] = [];
    for (const migrator of await this.#migrators())
      if (await this.#isAvailable(migrator)) available.push(migrator);
    return (await this.#filtered(available)).map(({ name, slug }) => ({ name, slug }));
  }

  async dataCounts(): Promise<Readonly<Record<string, number>>> {
    return this.app.hooks.applyFilters('get_current_data_counts', { ...(await dataCounts(this.app.db)) });
  }

  /** For each stage: rows of the source, and how many are imported. Only reads. */
  async statistics(
    slug: string,
  ): Promise<Readonly<Record<string, { readonly total: number; readonly migrated: number }>>> {
    const migrator = await this.#get(slug);
    const totals = { ...noCounts(), ...(await migrator.counts()) };
    const imported = await this.imported(slug);
    const statistics = Object.fromEntries(
      // a buyer may be on several pages of orders
      STAGES.map((stage) => [
        stage,
        { total: totals[stage], migrated: Math.min(imported[stage], totals[stage]) },
      ]),
    );
    return this.app.hooks.applyFilters('get_migration_statistics', statistics, slug);
  }

  /** Number of imported rows of a source, by all runs. */
  async imported(slug: string): Promise<StageCounts> {
    const run = await findRun(this.app.db, slug);
    return countImported(this.app.db, slug, run?.state.groups ?? {});
  }

  /**
   * Begins a run or resumes it after a stop; with `reset`, every row is read again, and rows that changed in
   * the old system are taken over, unless they were changed here.
   */
  async start(slug: string, reset = false, settings: ImportSettings = {}): Promise<ImportRun> {
    const migrator = await this.#get(slug);
    const now = this.app.clock.now();
    const known = await findRun(this.app.db, slug);
    const setup = await prepareImport(this.app, migrator, settings, known?.state.setup);
    const totals: StageCounts = { ...noCounts(), ...(await migrator.counts()) };
    await adoptCurrency(this.app, setup.currency);
    if (settings.apply_settings === true) await applySettings(this.app, setup);
    await saveLinkSettings(this.app, migrator, setup.program);
    const begins = known === null || reset || known.stage === 'completed';
    const state = begins
      ? { ...this.#stateAtStart(migrator, known, { totals, reset }), setup }
      : { ...known.state, setup, totals, error: null, cancelled: false };
    await this.app.transaction(async (trx) => {
      if (reset) await forgetSkips(trx, slug);
      await putRun(trx, {
        source: slug,
        stage: begins ? 'affiliate_groups' : known.stage,
        state,
        created_at: known?.created_at ?? now,
        updated_at: now,
      });
      await this.app.audit.write(trx, 'import.started', ['import', slug], { after: { reset } });
    });
    if (this.app.options.jobs) this.#background.start();
    return (await findRun(this.app.db, slug)) ?? fail('busy');
  }

  /** A run that begins again continues where the last one ended, unless everything is read again. */
  #stateAtStart(
    migrator: Migrator,
    known: ImportRun | null,
    { totals, reset }: { readonly totals: StageCounts; readonly reset: boolean },
  ): ImportRun['state'] {
    const fresh = {
      ...freshState(totals, known?.state),
      started_by: this.app.context.current().user?.id ?? null,
    };
    const readsOn = known !== null && !reset && migrator.isReadAnew !== true;
    return readsOn ? { ...fresh, cursors: known.state.cursors } : fresh;
  }

  /** What `start` would find and decide; throws what it would refuse. Only reads. */
  async check(slug: string, settings: ImportSettings = {}): Promise<CheckedSetup> {
    const known = await findRun(this.app.db, slug);
    const migrator = await this.#get(slug);
    const setup = await prepareImport(this.app, migrator, settings, known?.state.setup);
    const ours = new Set(this.app.commerce.keys());
    const shops = ((await migrator.shops?.()) ?? []).map((shop) => {
      const provider = providerOf(shop.name, setup.providers);
      return { ...shop, provider, known: ours.has(provider) };
    });
    const now = this.app.clock.now();
    const totals: StageCounts = { ...noCounts(), ...(await migrator.counts()) };
    const state = { ...this.#stateAtStart(migrator, known, { totals, reset: true }), setup };
    const run: ImportRun = {
      source: slug,
      stage: 'affiliate_groups',
      revision: 0,
      state,
      created_at: now,
      updated_at: now,
    };
    const trial = await new Trial(this.app, migrator, run).result();
    return { ...setup, shops, emails: await badEmailsOf(migrator), trial };
  }

  /** Runs that are not complete, also stopped ones. */
  unfinished(): Promise<ImportRun[]> {
    return listUnfinished(this.app.db);
  }

  /** True when a run waits to be continued, also one whose process died. */
  async isDue(): Promise<boolean> {
    return !this.#background.busy && (await this.#unfinished()).length > 0;
  }

  /** Continues waiting runs in the background of this process. */
  resume(): void {
    this.#background.start();
  }

  /** Stops the background work after the current batch. */
  close(): Promise<void> {
    return this.#background.stop();
  }

  /**
   * The state of the run. Without jobs in this process, it also works on the run for at most two seconds,
   * unless another process does.
   */
  async status(slug: string): Promise<ImportRun | null> {
    await this.#get(slug);
    const run = await findRun(this.app.db, slug);
    if (run === null) return null;
    if (!this.#isKnownStage(run)) fail('invalid_stage');
    if (run.stage === 'completed' || run.state.cancelled || this.app.options.jobs) return run;
    const seconds = await this.app.hooks.applyFilters('max_execution_time', SLICE_SECONDS);
    const until = performance.now() + Math.min(SLICE_SECONDS, Math.max(0, seconds)) * 1000;
    await this.#work(
      slug,
      { createUsers: this.app.options.createImportedUsers },
      () => performance.now() >= until,
    );
    return findRun(this.app.db, slug);
  }

  /** Works until the run is complete, cancelled or stopped by the signal. */
  async run(slug: string, options: RunOptions = {}): Promise<ImportRun> {
    await this.#background.stop(); // the caller's options count
    const enough = (): boolean => options.signal?.aborted ?? false;
    const until = performance.now() + PATIENCE_MS;
    while ((await this.#work(slug, options, enough)) === null) {
      // another process works on it, or died a moment ago
      if (enough() || performance.now() > until) fail('migration_running');
      await sleep(STEP_MS);
    }
    const run = (await findRun(this.app.db, slug)) ?? fail('import_not_started');
    if (run.state.error !== null) throw new Error(run.state.error);
    return run;
  }

  /** Stops after the current batch; `start` resumes. Null when there is no run. */
  async cancel(slug: string): Promise<ImportRun | null> {
    await this.#get(slug);
    const run = await findRun(this.app.db, slug);
    if (run !== null && run.stage !== 'completed')
      await setFlags(this.app.db, slug, { cancelled: true }, this.app.clock.now());
    return findRun(this.app.db, slug);
  }

  async report(slug: string): Promise<ImportReport | null> {
    const run = await findRun(this.app.db, slug);
    return run === null
      ? null
      : reportOf(this.app, run, run.state.setup?.program ?? (await this.#program(slug)));
  }

  /**
   * Compares the source's affiliates with those here: who has no login, whose earnings differ. Pages of 500;
   * null is the beginning.
   */
  async compareAffiliates(slug: string, cursor: string | null = null): Promise<AffiliatePage> {
    const run = await findRun(this.app.db, slug);
    return compareAffiliates(this.app, await this.#get(slug), cursor, run?.state.setup?.status_words ?? {});
  }

  /** Rows that were skipped or have a remark, page by page, in the order they were read. */
  async remarks(slug: string, after = 0, limit = 500): Promise<DescribedRemark[]> {
    return (await listRemarks(this.app.db, slug, after, limit)).map(describeRemark);
  }

  /**
   * The whole program as lines of JSON, for another installation or a backup;
   * ids, groups, payouts and facts as they are.
   */
  exportProgram(): AsyncGenerator<string> {
    return exportProgram(this.app);
  }

  /**
   * Imports the lines of another program into this one, which must be empty; returns rows per table. 422
   * `import_not_empty`, `import_file_invalid`.
   */
  importProgram(lines: AsyncIterable<string>): Promise<Record<string, number>> {
    return importProgram(this.app, lines);
  }

  /**
   * Deletes the program's data: affiliates, groups, referrals, visits, payouts, customers, creatives. Until that
   * has ended, everything that would write is refused (503 `closed_for_wipe`). The audit log gets an entry.
   */
  async wipe(confirmation: unknown): Promise<void> {
    if (confirmation !== WIPE_TEXT) fail('confirmation_required');
    const now = this.app.clock.now();
    const running = (await listRuns(this.app.db)).some(
      (run) =>
        run.stage !== 'completed' &&
        !run.state.cancelled &&
        run.state.error === null &&
        now - run.updated_at < ABANDONED_MS,
    );
    if (running) fail('migration_running');
    if (!(await this.#wipe.run())) fail('migration_running');
  }

  /**
   * Imports batches under the lease until `enough`; null when another process has the lease. A failure is
   * stored and shown by the status.
   */
  async #work(
    slug: string,
    options: RunOptions,
    enough: () => boolean,
  ): Promise<{ readonly value: void } | null> {
    const migrator = await this.#get(slug);
    return this.app.withLease(
      LEASE,
      async (lease) => {
        try {
          await this.#batches(migrator, { ...options, lease }, enough);
        } catch (error) {
          if (isUnavailable(error)) throw error; // the run continues later
          this.app.log.error('an import stopped', { source: slug, error });
          await setFlags(this.app.db, slug, { error: describe(error) }, this.app.clock.now());
        }
      },
      { ttlMs: LEASE_MS },
    );
  }

  async #batches(
    migrator: Migrator,
    options: RunOptions & { readonly lease: Lease },
    enough: () => boolean,
  ): Promise<void> {
    let run = await findRun(this.app.db, migrator.slug);
    const createUsers = options.createUsers ?? this.app.options.createImportedUsers;
    const pace = this.app.operations.pace(1);
    do {
      if (run === null || run.stage === 'completed' || run.state.cancelled || options.lease.lost) return;
      if (!this.#isKnownStage(run)) fail('invalid_stage');
      const from = run;
      const step = { createUsers, lease: options.lease, pace };
      run = await this.#repeated(migrator.slug, () => stepRun(this.app, migrator, from, step));
      options.onProgress?.(run);
      await pace.rest(this.app.underway() > 0);
    } while (!enough());
  }

  /** Tries a batch again until it has failed three times in a row for the same reason. */
  async #repeated(source: string, step: () => Promise<ImportRun>): Promise<ImportRun> {
    for (let [failures, reason] = [0, '']; ;) {
      try {
        return await step();
      } catch (error) {
        failures = describe(error) === reason ? failures + 1 : 1;
        reason = describe(error);
        if (isUnavailable(error) || failures === ATTEMPTS) throw error;
        this.app.log.error('a batch of an import failed', { source, failures, error });
      }
    }
  }

  /** Runs that are neither complete nor stopped, of sources this process knows. */
  async #unfinished(): Promise<ImportRun[]> {
    const runs = await listUnfinished(this.app.db);
    const known = new Set(
      runs.length === 0
        ? []
        : (await this.#filtered(await this.#migrators())).map((migrator) => migrator.slug),
    );
    return runs.filter(
      (run) =>
        known.has(run.source) && this.#isKnownStage(run) && !run.state.cancelled && run.state.error === null,
    );
  }

  async #program(slug: string): Promise<ProgramSettings | null> {
    try {
      return (await (await this.#get(slug)).program?.()) ?? null;
    } catch (error) {
      // the report is about what is stored here; the old database may no longer exist
      this.app.log.debug('the settings of an old program cannot be read', { source: slug, error });
      return null;
    }
  }

  /**
   * The migrators of the options, and the CSV files uploaded over REST unless the options have such a source.
   */
  async #migrators(): Promise<readonly Migrator[]> {
    const { migrators } = this.app.options;
    const uploaded = migrators.some(({ slug }) => slug === UPLOADED) ? null : await this.uploads.migrator();
    return uploaded === null ? migrators : [...migrators, uploaded];
  }

  /** A source of the options, or one that an extension added. */
  async #get(slug: string): Promise<Migrator> {
    const migrators = await this.#migrators();
    const known =
      migrators.find((migrator) => migrator.slug === slug) ??
      (await this.#filtered(migrators)).find((migrator) => migrator.slug === slug);
    if (known && isMigrator(known)) return known;
    const slugs = migrators.map((migrator) => migrator.slug);
    return fail('migrator_not_found', {
      message:
        slug === UPLOADED
          ? 'Upload CSV files first (POST /settings/migrations/files), or add them to the option `migrators`.'
          : `No such source. ${slugs.length > 0 ? `Available: ${slugs.join(', ')}.` : 'Add it to the option `migrators`.'}`,
    });
  }

  /** Extensions see names and slugs; they may add a whole migrator. */
  async #filtered(migrators: readonly Migrator[]): Promise<(SourceName | Migrator)[]> {
    const listed: SourceName[] = migrators.map(({ name, slug }) => ({ name, slug }));
    const filtered = await this.app.hooks.applyFilters('migrators', listed);
    return Object.values(filtered).filter(
      (entry): entry is SourceName | Migrator =>
        typeof entry === 'object' && entry !== null && typeof (entry as SourceName).slug === 'string',
    );
  }

  #isKnownStage(run: ImportRun): boolean {
    return run.stage === 'completed' || (STAGES as readonly string[]).includes(run.stage);
  }

  async #isAvailable(migrator: Migrator): Promise<boolean> {
    try {
      return await migrator.isAvailable();
    } catch (error) {
      this.app.log.warn('an import source cannot be reached', { source: migrator.slug, error });
      return false;
    }
  }
}

const isMigrator = (entry: SourceName | Migrator): entry is Migrator =>
  'migrate' in entry && typeof entry.migrate === 'function';

/** The database cannot be reached or is busy. */
const isUnavailable = (error: unknown): boolean => error instanceof AffiliateError && error.status === 503;

// Messages of drivers contain values and addresses; only the log has the whole error.
const describe = (error: unknown): string => {
  const code: unknown = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[\w-]{1,60}$/u.test(code)
    ? `The import stopped: ${code}.`
    : 'The import stopped. The cause has been logged.';
};
