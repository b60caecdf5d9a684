import { isMap } from '../../core/is-map.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { plainLine, plainLines } from '../../core/text.js';
import { minor, toWire } from '../../core/money.js';
import { AffiliateError, fail } from '../../errors.js';
import type { Deps } from './deps.js';
import {
  AT_START,
  CLAIM_SIZE,
  claimSlice,
  closePayout,
  detailsOf,
  hookAffiliates,
  appendAll,
} from './claiming.js';
import { withRunLease } from './lease.js';
import { fingerprint, fingerprintOf, isPreviewOf, readPayable, type PayableSet } from './payable.js';
import { insertPlan, plannedAfter } from './plan-queries.js';
import { lockPayableAffiliates } from './queries.js';
import { insertPayout } from './repository.js';
import type { NewPayout, PayableAffiliate, Payout, PayoutConfig } from './types.js';

const ATTEMPTS = 2;

/** The payable rows changed between the approval by extensions and the plan. */
class SetChanged extends Error {}

/**
 * One payout run: asks the extensions, freezes a plan of who is paid what, then claims it in steps
 * (docs/payouts.md §1). A small one is made in a single database transaction. Returns the id of the payout;
 * unless `later`, it is complete by then.
 */
export async function runPayout(
  app: Deps,
  config: PayoutConfig,
  { submitted, later }: { submitted: Readonly<Record<string, unknown>>; later: boolean },
): Promise<number> {
  const payoutId = await withRunLease(app, async (lease) => {
    await app.operations.finish('payout', lease); // of a process that has ended
    const id = await beginPayout(app, config, submitted);
    if (!later) await app.operations.drive('payout', id, lease);
    return id;
  });
  if (later) await app.operations.start('payout', payoutId);
  return payoutId;
}

/** What a run gets when nothing of its set could be paid. */
export const outdated = async (app: Deps, config: PayoutConfig, cause?: unknown): Promise<never> =>
  fail('preview_outdated', { extra: totalsOf(await readPayable(app, config)), cause });

async function beginPayout(
  app: Deps,
  config: PayoutConfig,
  submitted: Readonly<Record<string, unknown>>,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const set = await approvedSet(app, config);
    try {
      return await app.operations.during({ kind: 'payout', done: 0, total: set.referral_count }, async () => {
        const approval = await askExtensions(app, set, { config, submitted });
        return app.limited('payout', () =>
          app.transaction((trx, afterCommit) => begin(app, trx, { set, ...approval, afterCommit })),
        );
      });
    } catch (error) {
      if (!(error instanceof SetChanged) && !isUniqueFailure(app, error)) throw error;
      if (attempt === ATTEMPTS) await outdated(app, config, error);
    }
  }
}

// Another writer of the same referrals was first: the key of payout_items refused ours.
const isUniqueFailure = (app: Deps, error: unknown): boolean =>
  !(error instanceof AffiliateError) && app.db.dialect.failure(error) === 'unique';

async function approvedSet(app: Deps, config: PayoutConfig): Promise<PayableSet> {
  const set = await readPayable(app, config);
  if (set.groups.length === 0) fail('nothing_to_pay');
  if (config.preview_token !== null && !isPreviewOf(app, set, config.preview_token))
    fail('preview_outdated', { extra: totalsOf(set) });
  return set;
}

const totalsOf = (set: PayableSet): Record<string, unknown> => ({
  payable_total_amount: toWire(set.total_minor, set.scope.config.currency),
  payable_affiliates_count: set.groups.length,
  payable_referral_count: set.referral_count,
});

interface Approval {
  readonly draft: NewPayout;
  readonly affiliates: readonly PayableAffiliate[];
}

async function askExtensions(
  app: Deps,
  set: PayableSet,
  { config, submitted }: { config: PayoutConfig; submitted: Readonly<Record<string, unknown>> },
): Promise<Approval> {
  const affiliates = await hookAffiliates(app, set.groups);
  const draft: NewPayout = {
    title: config.title,
    description: config.description,
    payout_method: config.payout_method,
    status: 'draft',
    total_amount_minor: 0,
    currency: config.currency,
    settings: config.settings,
    created_by: app.context.current().user?.id ?? null,
  };
  try {
    const filtered = checkedDraft(
      draft,
      await app.hooks.applyFilters('payout/before_create', { ...draft }, submitted, affiliates),
    );
    const response: unknown = await app.hooks.applyFilters(
      'payout/before_processing',
      { ...filtered, id: null },
      affiliates,
      submitted,
    );
    if (response instanceof Error)
      fail('payout_rejected', { message: plainLine(response.message), cause: response });
    return { draft: filtered, affiliates };
  } catch (error) {
    if (error instanceof AffiliateError && error.code === 'hook_aborted')
      fail('payout_rejected', { message: plainLine(error.message), cause: error });
    throw error;
  }
}

/**
 * The value of a filter is checked like input: texts are cleaned and limited; it cannot change figures and
 * dates.
 */
function checkedDraft(draft: NewPayout, response: Readonly<Record<string, unknown>>): NewPayout {
  const text = (value: unknown, clean: (text: string) => string): string =>
    typeof value === 'string' ? clean(value) : '';
  const title = text(response['title'], plainLine);
  const description = text(response['description'], plainLines);
  const method = text(response['payout_method'], plainLine);
  const settings = response['settings'];
  if (
    title === '' ||
    title.length > 192 ||
    description.length > 5000 ||
    !/^[\w-]{1,50}$/u.test(method) ||
    !isMap(settings)
  ) {
    fail('payout_rejected', { message: 'An extension returned an invalid payout.' });
  }
  return {
    ...draft,
    title,
    description,
    payout_method: method,
    settings: { ...settings, ...draft.settings },
  };
}

interface Begun extends Approval {
  readonly set: PayableSet;
  readonly afterCommit: AfterCommit;
}

/** Stores the draft and its plan; a small payout is made at once, in a fixed number of statements. */
async function begin(app: Deps, trx: Db, begun: Begun): Promise<number> {
  const { set, draft, affiliates, afterCommit } = begun;
  const { scope } = set;
  const isSmall = set.referral_count <= CLAIM_SIZE;
  if (isSmall) await lockPayableAffiliates(trx, scope);
  const payout = await insertDraft(app, trx, draft);
  await insertPlan(trx, scope, payout.id);
  if (fingerprintOf(scope, await plannedAfter(trx, payout.id, 0, null)) !== fingerprint(set))
    throw new SetChanged('The payable set changed during the run.');
  if (isSmall) {
    await claimSlice(app, trx, {
      making: { payout, scope, place: AT_START, appends: false },
      size: Infinity,
      afterCommit,
    });
    await closePayout(app, trx, { payout, affiliates, afterCommit });
    await appendAll(app, trx, payout.id);
    return payout.id;
  }
  await app.audit.write(trx, 'payout.started', ['payout', payout.id], {
    after: {
      total_amount_minor: set.total_minor,
      currency: draft.currency,
      transactions: set.groups.length,
      referrals: set.referral_count,
    },
  });
  await app.operations.begin(trx, {
    kind: 'payout',
    object_id: payout.id,
    done: 0,
    total: set.referral_count,
    details: detailsOf(scope),
  });
  return payout.id;
}

async function insertDraft(app: Deps, trx: Db, draft: NewPayout): Promise<Payout> {
  const now = app.clock.now();
  const row = { ...draft, total_amount_minor: minor(0), created_at: now, updated_at: now };
  const id = await insertPayout(trx, row, app.context.current().apiKey?.created_by ?? null);
  return { id, ...row };
}
