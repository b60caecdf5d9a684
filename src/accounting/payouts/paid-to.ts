import { DETAILS_PURPOSE } from '../../core/details-purpose.js';
import { readJson } from '../../core/json.js';
import type { Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { keepsDetails, manualMethod, methodOf, profileDetails } from './methods.js';
import { isElsewhere, paidTo, payeeOf } from './payees.js';
import { formsNow, formsOf, payeesOf } from './payee-queries.js';
import type { PaidTo, Payee, PayeeForm, PayoutTransaction } from './types.js';

type PayeeQuery = Pick<PayoutTransaction, 'id' | 'affiliate_id' | 'payout_method'>;

/**
 * Where these transactions are paid, in their order: as it was when the payout was run, and what was missing then as
 * it is now. `key` names the method of a file or of a sending; otherwise the affiliate's choice comes before the payout's.
 */
export async function readPaidTo(
  app: Deps,
  db: Db,
  transactions: readonly PayeeQuery[],
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
  return transactions.map(({ id, affiliate_id: affiliateId, payout_method: planned }) => {
    const affiliate = affiliates.get(affiliateId ?? 0);
    const own = entered.get(affiliateId ?? 0) ?? [];
    const method = key ?? own.find(({ chosen }) => chosen)?.method ?? planned;
    const payee = payees.get(id);
    const paid = keepsDetails(app, method)
      ? byForm(method, forms.get(id) ?? [], own)
      : byProfile(app, { method, program }, payee, payeeOf(affiliate));
    return {
      ...paidTo(payee, payeeOf(affiliate)),
      ...paid,
      changed: affiliate !== undefined && paid.changed,
    };
  });
}

type PayeeDetails = Pick<PaidTo, 'form' | 'text' | 'changed'>;

function byForm(method: string, frozenForms: readonly PayeeForm[], own: readonly PayeeForm[]): PayeeDetails {
  const isOf = (form: PayeeForm): boolean => form.method === method && form.sealed !== null;
  const [frozen, now] = [frozenForms.find(isOf), own.find(isOf)];
  const form = frozen ?? now ?? null;
  return { form, text: form?.label ?? '', changed: frozen !== undefined && frozen.mark !== now?.mark };
}

function byProfile(
  app: Deps,
  { method, program }: { readonly method: string; readonly program: string },
  frozen: Payee | undefined,
  now: Payee,
): PayeeDetails {
  const field = profileDetails(methodOf(app, method) ?? {}) ?? byHand(method, program);
  const text = field === null ? '' : paidTo(frozen, now)[field];
  return { form: null, text, changed: isElsewhere(frozen, now) };
}

/** For payments by hand, a setting of the program decides which details affiliates enter. */
function byHand(method: string, program: string): keyof Payee | null {
  if (method !== manualMethod.key) return null;
  return program === 'paypal' ? 'payment_email' : 'bank_details';
}

/** The details of a form; null: it cannot be read with this secret. */
export const openForm = (
  app: Pick<Deps, 'secrets'>,
  { sealed }: PayeeForm,
): Readonly<Record<string, string>> | null =>
  sealed === null ? null : readJson(app.secrets.open(DETAILS_PURPOSE, sealed), null);

/** Those of these transactions whose affiliate wants the money elsewhere by now. */
export async function payeeChanges(
  app: Deps,
  db: Db,
  transactions: readonly PayeeQuery[],
): Promise<ReadonlySet<number>> {
  const paid = await readPaidTo(app, db, transactions);
  return new Set(transactions.flatMap(({ id }, at) => (paid[at]?.changed ? [id] : [])));
}
