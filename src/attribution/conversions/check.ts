import type { Referral } from '../../accounting/referrals/types.js';
import type { Deps } from './deps.js';
import { fingerprint } from './fingerprint.js';
import { checkConversion, keyOf, nameOf, orderData } from './input.js';
import type { OrderReport } from './order-report.js';
import type { Conversion, ConversionInput, ReportedInput } from './types.js';

export interface CheckedOrder {
  readonly kind: 'order';
  readonly report: OrderReport;
  /** As the provider's extensions have changed it. */
  readonly input: ReportedInput;
  readonly conversion: Conversion;
  /** Recognizes a repeat with other data. */
  readonly fingerprint: string;
}

/** An order that was reported before. */
export interface StoredOrder extends Pick<CheckedOrder, 'report' | 'fingerprint'> {
  readonly kind: 'stored';
  readonly referral: Referral;
}

/** Extensions have left nothing of the order. */
export interface EmptyOrder extends Pick<CheckedOrder, 'report' | 'conversion'> {
  readonly kind: 'empty';
}

/** Reads the order; errors: `validation_failed` with every invalid field. */
export async function check(
  app: Deps,
  report: OrderReport,
): Promise<CheckedOrder | StoredOrder | EmptyOrder | { readonly kind: 'deleted' }> {
  const { input } = report;
  const { currency } = await app.settings.referralConfig();
  const program = { currency, now: app.clock.now() };
  const conversion = checkConversion(input, program);
  const mark = fingerprint(input);
  const { referral, isDeleted } = await findStored(app, conversion);
  if (referral) return { kind: 'stored', report, fingerprint: mark, referral };
  if (isDeleted) return { kind: 'deleted' };
  const filtered = await filteredInput(app, input);
  if (filtered === null) return { kind: 'empty', report, conversion };
  return {
    kind: 'order',
    report,
    input: filtered,
    conversion: filtered === input ? conversion : checkConversion(filtered, program),
    fingerprint: mark,
  };
}

/** The commission of this order, also one that a person entered for it. */
async function findStored(
  app: Deps,
  conversion: Conversion,
): Promise<{ readonly referral: Referral | null; readonly isDeleted: boolean }> {
  const name = nameOf(conversion.provider, conversion);
  const [stored, order, entered] = await app.db.pipeline(
    () => app.referrals.findByKey(keyOf(conversion)),
    () => app.orders.find(name),
    () => app.orders.entered(name),
  );
  const referral = stored ?? (entered === null ? null : await app.referrals.find(entered));
  return { referral, isDeleted: order !== null && order.deleted_at !== null };
}

/** The order after the provider's extensions have changed it; null when they leave nothing. */
async function filteredInput(app: Deps, input: ReportedInput): Promise<ReportedInput | null> {
  const name = `formatted_order_data_by_${input.provider}` as const;
  if (!app.hooks.isUsed(name)) return input;
  const response = await app.hooks.applyFilters(name, orderData(input), input.vendor_order ?? null);
  if (response === null || Object.keys(response).length === 0) return null;
  const { provider, reference = null, sub_reference: sub = null, account = '' } = input;
  // A filter cannot change the key of the order, because the key was already looked up.
  return {
    ...input,
    ...(response as Partial<ConversionInput>),
    provider,
    reference,
    sub_reference: sub,
    account,
  };
}
