import type { HostUser } from '../../../adapters/host.js';
import { toDecimal } from '../../core/money.js';
import type { Deps } from './deps.js';
import { manualMethod } from './methods.js';
import { openForm, readPaidTo } from './paid-to.js';
import type { PaidTo, PaymentLine, PayoutTransaction } from './types.js';

/** These transactions with the details that a payment needs, in their order; a fixed number of statements. */
export async function paymentLines(
  app: Deps,
  transactions: readonly PayoutTransaction[],
  key?: string,
): Promise<PaymentLine[]> {
  const affiliates = await app.affiliates.findMany(
    transactions.flatMap(({ affiliate_id: id }) => (id === null ? [] : [id])),
  );
  const users = await app.users([...affiliates.values()].map((affiliate) => affiliate.user_id));
  // the list of all payments shows each by its own method
  const method = key === manualMethod.key ? undefined : key;
  const paid = await readPaidTo(app, app.db, transactions, method);
  return transactions.map((transaction, at) => {
    const userId = affiliates.get(transaction.affiliate_id ?? 0)?.user_id ?? null;
    return lineOf(app, transaction, { paid: paid[at]!, userId, user: users.get(userId ?? 0) });
  });
}

interface LineParts {
  readonly paid: PaidTo;
  readonly userId: number | null;
  readonly user: HostUser | undefined;
}

function lineOf(app: Deps, transaction: PayoutTransaction, { paid, userId, user }: LineParts): PaymentLine {
  const currency = transaction.currency ?? '';
  const details = paid.form && openForm(app, paid.form);
  return {
    transaction,
    user_id: userId,
    affiliate_name: user?.full_name ?? '',
    email: user?.email ?? '',
    payment_email: paid.payment_email,
    bank_details: paid.bank_details,
    ...(details && { details }),
    paid_to: paid.text,
    payee_changed: transaction.status === 'processing' && paid.changed,
    amount: toDecimal(transaction.total_amount_minor, currency),
    currency,
  };
}
