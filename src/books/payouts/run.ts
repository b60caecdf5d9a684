import { isMap } from '../../core/is-map.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { cleanText, cleanTextarea } from '../../core/text.js';
import { minor, toWire } from '../../core/money.js';
import { AffiliateError, fail } from '../../errors.js';
import type { Needs } from './needs.js';
import { freezePayees } from './payee-queries.js';
import { countClaimed, insertItems, insertTransactions, markReferralsPaid } from './claim-queries.js';
import { withRunLease } from './lease.js';
import { fingerprint, isPreviewOf, readPayable, setOf, type PayableSet } from './payable.js';
import { findPayable, lockPayableAffiliates } from './queries.js';
import { findPayout, insertPayout } from './repository.js';
import type { NewPayout, PayableAffiliate, Payout, PayoutConfig } from './types.js';
import { presentPayout } from './presenter.js';
import { transactions as transactionRecord } from './record.js';

const ATTEMPTS = 2;

/** The payable rows changed between the approval by extensions and the locks. */
class SetChanged extends Error {}

/**
 * One payout run: asks the extensions, then claims and pays the set in a single
 * database transaction (docs/interface.md §9.2).
 */
export async function runPayout(
  app: Needs,
  config: PayoutConfig,
  submitted: Readonly<Record<string, unknown>>,
): Promise<Payout> {
  return withRunLease(app, async () => {
    for (let attempt = 1; ; attempt++) {
      const set = await approvedSet(app, config);
      try {
        return await app.works.during({ kind: 'payout', done: 0, total: set.referral_count }, async () => {
          const approval = await askExtensions(app, set, submitted);
          return app.limited('payout', () =>
            app.transaction((trx, afterCommit) => claim(app, trx, { set, ...approval, afterCommit })),
          );
        });
      } catch (error) {
        if (!(error instanceof SetChanged) && !isUniqueFailure(app, error)) throw error;
        if (attempt === ATTEMPTS)
          fail('preview_outdated', { extra: totalsOf(await readPayable(app, config)), cause: error });
      }
    }
  });
}

// Another writer of the same referrals was first: the key of payout_items refused ours.
const isUniqueFailure = (app: Needs, error: unknown): boolean =>
  !(error instanceof AffiliateError) && app.db.dialect.failure(error) === 'unique';

async function approvedSet(app: Needs, config: PayoutConfig): Promise<PayableSet> {
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
  app: Needs,
  set: PayableSet,
  submitted: Readonly<Record<string, unknown>>,
): Promise<Approval> {
  const { config } = set.scope;
  const affiliates = await hookAffiliates(app, set);
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
    const answer: unknown = await app.hooks.applyFilters(
      'payout/before_processing',
      { ...filtered, id: null },
      affiliates,
      submitted,
    );
    if (answer instanceof Error)
      fail('payout_rejected', { message: cleanText(answer.message), cause: answer });
    return { draft: filtered, affiliates };
  } catch (error) {
    if (error instanceof AffiliateError && error.code === 'hook_aborted')
      fail('payout_rejected', { message: cleanText(error.message), cause: error });
    throw error;
  }
}

/** The records are only read when an extension listens. */
async function hookAffiliates(app: Needs, { groups }: PayableSet): Promise<PayableAffiliate[]> {
  const names = ['payout/before_create', 'payout/before_processing', 'payout/processed'] as const;
  if (!names.some((name) => app.hooks.isUsed(name))) return [];
  const records = await app.affiliates.findMany(groups.map((group) => group.affiliate_id));
  return groups.flatMap((group) => {
    const record = records.get(group.affiliate_id);
    return record
      ? [
          {
            ...record,
            payable_referral_count: group.referral_count,
            total_payable_amount_minor: group.amount_minor,
          },
        ]
      : [];
  });
}

/**
 * A filter's answer is checked like input: texts are cleaned and limited; it cannot change figures and dates.
 */
function checkedDraft(draft: NewPayout, answer: Readonly<Record<string, unknown>>): NewPayout {
  const text = (value: unknown, clean: (text: string) => string): string =>
    typeof value === 'string' ? clean(value) : '';
  const title = text(answer['title'], cleanText);
  const description = text(answer['description'], cleanTextarea);
  const method = text(answer['payout_method'], cleanText);
  const settings = answer['settings'];
  if (
    title === '' ||
    title.length > 192 ||
    description.length > 5000 ||
    !/^[\w-]{1,50}$/u.test(method) ||
    !isMap(settings)
  ) {
    fail('payout_rejected', { message: 'An extension changed the payout in a way that cannot be stored.' });
  }
  return {
    ...draft,
    title,
    description,
    payout_method: method,
    settings: { ...settings, ...draft.settings },
  };
}

interface Claim extends Approval {
  readonly set: PayableSet;
  readonly afterCommit: AfterCommit;
}

/**
 * Takes a fixed number of statements, however many affiliates and referrals. Anything unexpected undoes
 * everything.
 */
async function claim(app: Needs, trx: Db, { set, draft, affiliates, afterCommit }: Claim): Promise<Payout> {
  const { scope } = set;
  const now = app.clock.now();
  await lockPayableAffiliates(trx, scope);
  expect(fingerprint(setOf(scope, await findPayable(trx, scope))) === fingerprint(set));
  const row = {
    created_by: draft.created_by,
    total_amount_minor: set.total_minor,
    payout_method: draft.payout_method,
    status: 'processing' as const,
    currency: draft.currency,
    title: draft.title,
    description: draft.description,
    settings: draft.settings,
    created_at: now,
    updated_at: now,
  };
  const payoutId = await insertPayout(trx, row, app.context.current().apiKey?.created_by ?? null);
  expect(
    (await insertTransactions(trx, scope, {
      payoutId,
      actor: draft.created_by,
      method: draft.payout_method,
      now,
    })) === set.groups.length,
  );
  await freezePayees(trx, payoutId);
  expect((await insertItems(trx, scope, payoutId)) === set.referral_count);
  expect((await markReferralsPaid(trx, payoutId, now)) === set.referral_count);
  const claimed = await countClaimed(trx, payoutId);
  expect(
    claimed.transactions === set.groups.length &&
      minor(claimed.total) === set.total_minor &&
      claimed.wrong === 0,
  );
  await app.ledger.postPaid(trx, payoutId);
  await app.audit.write(trx, {
    action: 'payout.processed',
    object_type: 'payout',
    object_id: payoutId,
    after: {
      total_amount_minor: set.total_minor,
      currency: draft.currency,
      transactions: set.groups.length,
      referrals: set.referral_count,
    },
  });
  const payout = (await findPayout(trx, payoutId)) ?? fail('payout_not_found');
  await tellRun(app, trx, payout);
  afterCommit(() => app.hooks.doAction('payout/processed', payout, affiliates));
  return payout;
}

/** Records the events of the payout, its payments and their commissions, always in three statements. */
async function tellRun(app: Needs, trx: Db, payout: Payout): Promise<void> {
  await app.eventLog.tell(trx, 'payout.created', { id: payout.id, data: presentPayout(payout) });
  const ofPayout = { where: 'payout_id = ?', bindings: [payout.id] };
  await app.eventLog.tellRows(trx, 'payout_transaction.processing', {
    ...ofPayout,
    table: 'payout_transactions',
    columns: transactionRecord.columns,
    previous: {},
  });
  await app.eventLog.tellRows(trx, 'referral.status_changed', {
    ...ofPayout,
    table: 'referrals',
    columns: app.referrals.columns,
    previous: UNCLAIMED,
  });
}

const UNCLAIMED = { status: 'unpaid', payout_id: null, payout_transaction_id: null };

function expect(isSo: boolean): void {
  if (!isSo) throw new SetChanged('The payable set changed during the run.');
}
