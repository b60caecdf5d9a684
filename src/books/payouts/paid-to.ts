import { DETAILS_PURPOSE } from '../../core/details-purpose.js';
import { readJson } from '../../core/json.js';
import type { Db } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import { keepsDetails, manualMethod, methodOf, profileDetails } from './methods.js';
import { isElsewhere, paidTo, payeeOf } from './payees.js';
import { formsNow, formsOf, payeesOf } from './payee-queries.js';
import type { PaidTo, Payee, PayeeForm, PayoutTransaction } from './types.js';

type Paying = Pick<PayoutTransaction, 'id' | 'affiliate_id' | 'payout_method'>;

/**
 * Where these transactions are paid, in their order: as it was when the payout was run, and what was missing then as
 * it is now. `key` names the method of a file or a press; otherwise the affiliate's choice comes before the payout's.
 */
export async function readPaidTo(
  app: Needs,
  db: Db,
  transactions: readonly Paying[],
  key?: string,
): Promise<PaidTo[]> {
  const ids = [...new Set(transactions.map(({ id }) => id))].filter((id) => id > 0);
  const affiliateIds = [
    ...new Set(transactions.flatMap(({ affiliate_id: id }) => (id === null ? [] : [id]))),
  ];
  const affiliates = await app.affiliates.findMany(affiliateIds);
  const payees = await payeesOf(db, ids);
  const forms = await formsOf(db, ids);
  const entered = await formsNow(db, affiliateIds);
  const { payout_method: program } = await app.settings.referralConfig();
  return transactions.map((transaction) => {
    const affiliate = affiliates.get(transaction.affiliate_id ?? 0);
    const own = affiliate === undefined ? [] : (entered.get(affiliate.id) ?? []);
    const method = key ?? own.find(({ chosen }) => chosen)?.method ?? transaction.payout_method;
    const frozen = payees.get(transaction.id);
    const now = payeeOf(affiliate);
    const payee = paidTo(frozen, now);
    const isHere = affiliate !== undefined;
    if (keepsDetails(app, method))
      return { ...payee, ...formOf(method, { isHere, forms: forms.get(transaction.id) ?? [], own }) };
    const text = textOf(payee, profileDetails(methodOf(app, method) ?? {}) ?? byHand(method, program));
    return { ...payee, form: null, text, changed: isHere && isElsewhere(frozen, now) };
  });
}

const textOf = (payee: Payee, field: keyof Payee | null): string => (field === null ? '' : payee[field]);

/** The details of the method's own form: those the payout froze, else those of now. */
function formOf(
  method: string,
  known: {
    readonly isHere: boolean;
    readonly forms: readonly PayeeForm[];
    readonly own: readonly PayeeForm[];
  },
): Pick<PaidTo, 'form' | 'text' | 'changed'> {
  const isOf = (form: PayeeForm): boolean => form.method === method && form.sealed !== null;
  const frozen = known.forms.find(isOf);
  const current = known.own.find(isOf);
  const form = frozen ?? current ?? null;
  const changed = known.isHere && frozen !== undefined && frozen.mark !== current?.mark;
  return { form, text: form?.label ?? '', changed };
}

/** Of what is paid by hand, the program says which details affiliates enter. */
function byHand(method: string, program: string): keyof Payee | null {
  if (method !== manualMethod.key) return null;
  return program === 'paypal' ? 'payment_email' : 'bank_details';
}

/** The details of a form; null: it cannot be read with this secret. */
export const openForm = (
  app: Pick<Needs, 'secrets'>,
  { sealed }: PayeeForm,
): Readonly<Record<string, string>> | null =>
  sealed === null ? null : readJson(app.secrets.open(DETAILS_PURPOSE, sealed), null);

/** Those of these transactions whose affiliate wants the money elsewhere by now. */
export async function payeeChanges(
  app: Needs,
  db: Db,
  transactions: readonly Paying[],
): Promise<ReadonlySet<number>> {
  const paid = await readPaidTo(app, db, transactions);
  return new Set(transactions.flatMap(({ id }, at) => (paid[at]?.changed ? [id] : [])));
}
