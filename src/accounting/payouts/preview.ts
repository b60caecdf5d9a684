import { toIso } from '../../core/dates.js';
import { toWire, type Minor } from '../../core/money.js';
import type { Deps } from './deps.js';
import { payeeChanges, readPaidTo } from './paid-to.js';
import { previewToken, readPayable, type PayableSet } from './payable.js';
import { lastPayments } from './payee-queries.js';
import { findSkipped } from './queries.js';
import { unpaidShares, unpaidTotals } from './unpaid-queries.js';
import type { PreviewDto } from './schemas.js';
import type { PayableGroup, PayoutConfig, PayoutWarning } from './types.js';

const MAX_ROWS = 5000;

/** What a run with this configuration would pay; writes nothing (docs/interface.md §9.1). */
export async function previewPayout(app: Deps, config: PayoutConfig): Promise<PreviewDto> {
  const set = await readPayable(app, config);
  const { currency: program } = await app.settings.referralConfig();
  const shown = set.groups
    .toSorted((a, b) => b.amount_minor - a.amount_minor || a.affiliate_id - b.affiliate_id)
    .slice(0, MAX_ROWS);
  const records = await app.affiliates.embed(
    shown.map((group) => group.affiliate_id),
    { bankDetails: true },
  );
  const paid = await paidNow(app, config, shown);
  const skipped = await findSkipped(app.db, { ...set.scope, upTo: null }, program);
  const amount = (value: Minor, currency = config.currency): number => toWire(value, currency);
  return {
    payable_affiliates: shown.flatMap((group) => {
      const affiliate = records.get(group.affiliate_id);
      const payable = {
        paid_to: paid.to.get(group.affiliate_id) ?? '',
        payable_referral_count: group.referral_count,
        total_payable_amount: amount(group.amount_minor),
      };
      return affiliate ? [{ ...affiliate, ...payable }] : [];
    }),
    payable_total_amount: amount(set.total_minor),
    config: config.settings,
    currency: config.currency,
    payable_affiliates_count: set.groups.length,
    payable_referral_count: set.referral_count,
    truncated: set.groups.length > MAX_ROWS,
    preview_token: previewToken(app, set),
    skipped: skipped.map((row) => ({
      currency: row.currency,
      amount: amount(row.amount_minor, row.currency),
      referral_count: row.referral_count,
    })),
    ...(await explained(app, set, program)),
    balances: await app.balances.totalDtos('all'),
    warnings: shown.flatMap((group) => warningsOf(group, paid.changed)),
    unknown_affiliate_ids: await unknownIds(app, config.affiliate_ids),
  };
}

/** Every unpaid amount: paid by this run, or the reason why not. */
async function explained(
  app: Deps,
  { scope }: PayableSet,
  program: string,
): Promise<Pick<PreviewDto, 'unpaid' | 'left_out' | 'left_out_truncated'>> {
  const totals = await unpaidTotals(app.db, scope, program);
  const shares = await unpaidShares(app.db, scope, program, MAX_ROWS + 1);
  return {
    unpaid: totals.map(({ amount_minor: amount, ...row }) => ({
      ...row,
      amount: toWire(amount, row.currency),
    })),
    left_out: shares.slice(0, MAX_ROWS).map(({ amount_minor: amount, ...row }) => ({
      ...row,
      amount: toWire(amount, row.currency),
      until: toIso(row.until),
    })),
    left_out_truncated: shares.length > MAX_ROWS,
  };
}

/** Where a run would pay these affiliates, and those who want it elsewhere than at their last payment. */
async function paidNow(
  app: Deps,
  { payout_method }: PayoutConfig,
  groups: readonly PayableGroup[],
): Promise<{ readonly to: ReadonlyMap<number, string>; readonly changed: ReadonlySet<number> }> {
  const ids = groups.map((group) => group.affiliate_id);
  const last = await lastPayments(app.db, ids);
  // no transaction has the id 0: what is read for it is what the affiliate has now
  const paying = ids.map((affiliate_id) => ({ id: 0, affiliate_id, payout_method }));
  const earlier = paying.flatMap((each) => {
    const id = last.get(each.affiliate_id);
    return id === undefined ? [] : [{ ...each, id }];
  });
  const now = await readPaidTo(app, app.db, paying);
  const moved = await payeeChanges(app, app.db, earlier);
  return {
    to: new Map(ids.map((id, at) => [id, now[at]?.text ?? ''])),
    changed: new Set(earlier.flatMap(({ id, affiliate_id }) => (moved.has(id) ? [affiliate_id] : []))),
  };
}

function warningsOf(group: PayableGroup, changed: ReadonlySet<number>): PayoutWarning[] {
  return [
    ...(group.has_payment_details
      ? []
      : [{ affiliate_id: group.affiliate_id, code: 'missing_payment_details' } as const]),
    ...(group.status === 'active'
      ? []
      : [{ affiliate_id: group.affiliate_id, code: 'affiliate_inactive' } as const]),
    ...(changed.has(group.affiliate_id)
      ? [{ affiliate_id: group.affiliate_id, code: 'payee_changed' } as const]
      : []),
  ];
}

async function unknownIds(app: Deps, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const known = await app.affiliates.findMany(ids);
  return ids.filter((id) => !known.has(id));
}
