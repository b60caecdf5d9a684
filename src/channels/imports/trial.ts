import { Batch } from './batch.js';
import type { Deps } from './deps.js';
import { describeRemark } from './remarks.js';
import { BATCH, checkIds } from './run.js';
import { emptyTally } from './state.js';
import { STAGES, type Stage } from '../../core/imports/stages.js';
import type {
  AnyRow,
  Migrator,
  Raw,
  SourceAffiliate,
  SourceCreative,
  SourceCustomer,
  SourceGroup,
  SourcePayment,
  SourceReferral,
  SourceVisit,
} from '../../../adapters/imports.js';
import type { ImportRun, ImportTrial, LeftOutRow } from './types.js';
import { ownersHere, type OwnersHere } from './users.js';
import { countAffiliate } from './writers/affiliates.js';
import { countCreative } from './writers/creatives.js';
import { idsByEmail, countCustomer } from './writers/customers.js';
import { groupsByName, countGroup, keyOf } from './writers/groups.js';
import { findListed, countPayments, paymentsHere, useOf, type Candidate } from './writers/payouts.js';
import { countReferral, readReferral } from './writers/referrals.js';
import { countVisit } from './writers/visits.js';

/** How many rows of each kind are tried, and how many of the skipped ones are named. */
const TRIED = 50_000;
const NAMED = 100;
/** Rows that are tried at once. */
const PAGE = 200;

/**
 * Counts what an import would do with the rows of a source. The writers' own functions check each row; the
 * trial remembers what would have come in before it. Only reads.
 */
export class Trial {
  /** Affiliates that would have come in, by their keys; with ids that no row has. */
  readonly #affiliates = new Map<string, number>();
  readonly #referrals = new Map<string, Candidate>();
  readonly #groups = new Map<string, number>();
  readonly #emails = new Map<string, number | null>();
  readonly #stages: ImportTrial['stages'] = {};
  readonly #leftOut: LeftOutRow[] = [];
  #isComplete = true;

  constructor(
    private readonly app: Deps,
    private readonly migrator: Migrator,
    private readonly run: ImportRun,
  ) {}

  async result(): Promise<ImportTrial> {
    for (const stage of STAGES) await this.#stage(stage);
    return { stages: this.#stages, left_out: this.#leftOut, complete: this.#isComplete };
  }

  async #stage(stage: Stage): Promise<void> {
    // without all commissions, no payment can be counted
    if (stage === 'payouts' && !this.#isComplete) return;
    const tally = emptyTally();
    for (let cursor: string | null = null; ;) {
      const page: Awaited<ReturnType<Migrator['migrate']>> = await this.migrator.migrate(
        stage,
        cursor,
        Math.min(BATCH[stage], PAGE),
      );
      const batch = this.#batch(stage, await ownersHere(this.app, page.rows));
      await this.#count(batch, checkIds(page.rows));
      for (const [outcome, rows] of Object.entries(batch.state.stages[stage]))
        tally[outcome as keyof typeof tally] += rows;
      this.#name(batch);
      if (page.done || page.nextCursor === null) break;
      if (tally.found >= TRIED) {
        this.#isComplete = false;
        break;
      }
      cursor = page.nextCursor;
    }
    if (tally.found > 0) this.#stages[stage] = tally;
  }

  #batch(stage: Stage, owners: OwnersHere): Batch {
    const { setup } = this.run.state;
    return new Batch({
      app: this.app,
      run: this.run,
      stage,
      sourceName: this.migrator.name,
      timeZone: setup?.time_zone ?? this.app.host.site().timeZone,
      currency: setup?.currency ?? '',
      owners,
    });
  }

  #name(batch: Batch): void {
    const named = this.#leftOut.filter(({ stage }) => stage === batch.stage).length;
    for (const { remark, line } of batch
      .remarks()
      .filter((each) => each.remark.outcome === 'skipped')
      .slice(0, NAMED - named)) {
      const { source_id, reason, sentence, advice } = describeRemark({ ...remark, id: 0 });
      this.#leftOut.push({ stage: batch.stage, source_id, line, reason, sentence, advice });
    }
  }

  async #count(batch: Batch, rows: readonly AnyRow[]): Promise<void> {
    const counters: Readonly<Record<Stage, () => Promise<void>>> = {
      affiliate_groups: () => this.#countGroups(batch, rows as readonly SourceGroup[]),
      affiliates: () => this.#countAffiliates(batch, rows as readonly SourceAffiliate[]),
      referrals: () => this.#countReferrals(batch, rows as readonly SourceReferral[]),
      customers: () => this.#countCustomers(batch, rows as readonly SourceCustomer[]),
      payouts: () => this.#countPayments(batch, rows as readonly SourcePayment[]),
      visits: () => this.#countVisits(batch, rows as readonly SourceVisit[]),
      creatives: () => this.#countCreatives(batch, rows as readonly SourceCreative[]),
    };
    await counters[batch.stage]();
  }

  async #countGroups(batch: Batch, rows: readonly SourceGroup[]): Promise<void> {
    const known = await groupsByName(this.app.db, rows);
    for (const row of rows) {
      const name = keyOf(row);
      if (countGroup(batch, row, known.has(name) || this.#groups.has(name)) === 'imported')
        this.#groups.set(name, 0);
    }
  }

  async #countAffiliates(batch: Batch, rows: readonly SourceAffiliate[]): Promise<void> {
    const here = await batch.idsOf(batch.app.db, 'affiliates', rows);
    for (const row of rows) {
      const key = batch.key(row.id);
      if (countAffiliate(batch, row, here.has(key)) === 'imported')
        this.#affiliates.set(key, -1 - this.#affiliates.size);
    }
  }

  /** Those the rows name: already here, or coming in. */
  async #owners(
    batch: Batch,
    rows: readonly { readonly affiliate_id?: Raw }[],
  ): Promise<Map<string, number>> {
    const owners = await batch.ownersOf(this.app.db, rows);
    for (const key of rows.map((row) => batch.ownerKey(row))) {
      const coming = this.#affiliates.get(key);
      if (coming !== undefined) owners.set(key, coming);
    }
    return owners;
  }

  async #countReferrals(batch: Batch, rows: readonly SourceReferral[]): Promise<void> {
    const owners = await this.#owners(batch, rows);
    const here = await batch.idsOf(batch.app.db, 'referrals', rows);
    for (const row of rows) {
      const key = batch.key(row.id);
      const referral = readReferral(batch, row);
      if (typeof referral === 'string') {
        batch.skip(row, referral, String(row.amount ?? ''));
        continue;
      }
      const owner = owners.get(batch.ownerKey(row));
      const fate = { isHere: here.has(key), hasOwner: owner !== undefined };
      if (countReferral(batch, referral, fate) !== 'imported' || owner === undefined) continue;
      const { status, currency, amount } = referral;
      const use = useOf(status, status === 'paid', false);
      this.#referrals.set(key, {
        id: -1 - this.#referrals.size,
        affiliate_id: owner,
        amount,
        currency,
        status,
        held_by: null,
        use,
      });
    }
  }

  async #countCustomers(batch: Batch, rows: readonly SourceCustomer[]): Promise<void> {
    const here = await batch.idsOf(batch.app.db, 'customers', rows);
    for (const [email, id] of await idsByEmail(this.app.db, rows)) this.#emails.set(email, id);
    for (const row of rows) countCustomer(batch, row, here.has(batch.key(row.id)), this.#emails);
  }

  async #countPayments(batch: Batch, rows: readonly SourcePayment[]): Promise<void> {
    const affiliates = await this.#owners(batch, rows);
    const listed = await findListed(this.app.db, batch, rows);
    for (const key of rows.flatMap((row) => row.referral_ids.map((id) => batch.key(id)))) {
      const coming = this.#referrals.get(key);
      if (coming !== undefined) listed.set(key, coming);
    }
    const done = await paymentsHere(this.app.db, batch, rows, listed);
    countPayments(batch, rows, { affiliates, listed, done });
  }

  async #countVisits(batch: Batch, rows: readonly SourceVisit[]): Promise<void> {
    const owners = await this.#owners(batch, rows);
    const here = await batch.idsOf(batch.app.db, 'visits', rows);
    for (const row of rows) {
      const hasOwner = owners.has(batch.ownerKey(row));
      countVisit(batch, row, { isHere: here.has(batch.key(row.id)), hasOwner });
    }
  }

  async #countCreatives(batch: Batch, rows: readonly SourceCreative[]): Promise<void> {
    const here = await batch.idsOf(batch.app.db, 'creatives', rows);
    for (const row of rows) countCreative(batch, row, here.has(batch.key(row.id)));
  }
}
