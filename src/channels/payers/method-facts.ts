import type { PaymentDetails, PayoutMethod } from '../../accounting/payouts/types.js';

const TIMEOUT_MS = 60_000;
const KEY_DAYS = 1;
const MAX_ITEMS = 500;

/** Does the affiliate enter details for this method alone? */
export const keepsOwn = ({ details }: PayoutMethod): boolean => typeof details === 'object';

/** The details of the profile that it uses; null: none. */
export const profileKind = ({ details }: PayoutMethod): PaymentDetails | null =>
  typeof details === 'string' ? details : null;

export const timeoutOf = ({ timeoutMs = TIMEOUT_MS }: PayoutMethod): number => timeoutMs;

export const keyDaysOf = ({ limits }: PayoutMethod): number => limits?.keyDays ?? KEY_DAYS;

/** Payments of one batch; at most what one database transaction should write. */
export const batchSizeOf = ({ limits }: PayoutMethod): number =>
  Math.max(1, Math.min(limits?.maxItems ?? MAX_ITEMS, MAX_ITEMS));

/** Rejects after the method's time; the call itself may continue, and its payments are then unknown. */
export async function within<T>(method: PayoutMethod, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The payer did not respond in time.')), timeoutOf(method));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
