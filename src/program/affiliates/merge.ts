import { FieldCheck } from '../../errors.js';
import type { FieldInput } from '../../records/form.js';
import { affiliates } from './record.js';
import { rateOf, readBankDetails } from './rules.js';
import type { Affiliate, AffiliateForm, AffiliatePatch, EditableFields } from './types.js';

export interface PayoutRules {
  readonly method: 'paypal' | 'bank_transfer';
  /** An update may clear the payment e-mail, since the registration form does not require one. */
  readonly emailOptional: boolean;
}

export type UserExists = (userId: number) => Promise<boolean>;
export type NewFields = EditableFields & { readonly user_id: number };

/**
 * The columns of a new affiliate from a submitted form (docs/interface.md §6.3). `payoutDetails`: payment
 * details are required.
 */
export async function readNew(
  form: AffiliateForm,
  rules: PayoutRules,
  exists: UserExists,
  payoutDetails: boolean,
): Promise<NewFields> {
  const check = new FieldCheck();
  const reader = affiliates.readForm(check, { ...form });
  const userId = reader.read('user_id') ?? 0;
  if (userId > 0 && !(await exists(userId))) check.add('user_id', 'exists', 'No such user.');
  const rateType = reader.read('rate_type');
  const groupId = reader.read('group_id');
  if (rateType === 'group' && groupId === null) requireGroup(check);
  const byBank = rules.method === 'bank_transfer';
  const fields = {
    ...reader.values(null, {
      user_id: userId,
      rate_type: rateType,
      group_id: groupId,
      rate_e4: rateOf(rateText(check, form), rateType, null),
      // The form shows the fields of one payout method; those of the other are ignored.
      payment_email: payoutDetails && byBank ? null : reader.read('payment_email', payoutDetails),
    }),
    user_id: userId,
    settings: {
      disable_new_ref_email: 'no',
      bank_details: payoutDetails && !byBank ? '' : readBankDetails(check, form.bank_details, payoutDetails),
    } as const,
  };
  check.throwIfAny();
  return fields;
}

/**
 * The row after a partial update (docs/interface.md §6.4): only the keys that are present change, and rules
 * between fields apply to the result.
 */
export function mergePatch(
  current: Affiliate,
  patch: AffiliatePatch,
  rules: PayoutRules & { readonly wholeRecord: boolean },
): EditableFields {
  const check = new FieldCheck();
  const reader = affiliates.readForm(check, { ...patch });
  const group = mergeGroup(check, reader, current, patch, rules.wholeRecord);
  const byBank = rules.method === 'bank_transfer';
  const { user_id: _user, ...columns } = reader.values(current, {
    ...group,
    user_id: current.user_id,
    rate_e4: rateOf(rateText(check, patch), group.rate_type, current.rate_e4),
    payment_email:
      patch.payment_email === undefined || byBank
        ? current.payment_email
        : reader.read('payment_email', !rules.emailOptional),
    // A client that posts the whole record sends the stored value, which may come from an import in another
    // form.
    ...(patch.custom_param === current.custom_param && { custom_param: current.custom_param }),
  });
  const details =
    patch.bank_details !== undefined && byBank ? readBankDetails(check, patch.bank_details, true) : null;
  check.throwIfAny();
  return {
    ...columns,
    settings: details === null ? current.settings : { ...current.settings, bank_details: details },
  };
}

const rateText = (check: FieldCheck, { rate }: AffiliatePatch): FieldInput => ({
  check,
  name: 'rate',
  value: rate,
  required: false,
  currency: '',
});

const requireGroup = (check: FieldCheck): unknown =>
  check.add('group_id', 'required_if', 'The group is required for this rate type.');

/**
 * `whole`: the client posts the whole record it read, so its group may be left over from the list. Another
 * rate type than `group` then removes the affiliate from the group, unless both are the stored ones. For all
 * other clients the group changes only when it is sent.
 */
function mergeGroup(
  check: FieldCheck,
  reader: ReturnType<typeof affiliates.readForm>,
  current: Affiliate,
  patch: AffiliatePatch,
  whole: boolean,
): Pick<EditableFields, 'rate_type' | 'group_id'> {
  if (patch.rate_type === undefined) {
    if (patch.group_id === undefined) return { rate_type: current.rate_type, group_id: current.group_id };
    const groupId = reader.read('group_id');
    const isLeft = groupId === null && current.rate_type === 'group';
    return { rate_type: isLeft ? 'default' : current.rate_type, group_id: groupId };
  }
  const rateType = reader.read('rate_type');
  if (rateType !== 'group') {
    if (whole && !isUntouched(current, rateType, patch)) return { rate_type: rateType, group_id: null };
    const given = patch.group_id === undefined ? current.group_id : reader.read('group_id');
    return { rate_type: rateType, group_id: given };
  }
  const groupId = reader.read('group_id') ?? current.group_id;
  if (groupId === null) requireGroup(check);
  return { rate_type: rateType, group_id: groupId };
}

/** A whole record whose rate type and group are the stored ones, so they were not edited. */
const isUntouched = (
  current: Affiliate,
  rateType: string | null,
  { group_id: group }: AffiliatePatch,
): boolean => rateType === current.rate_type && Number(group || 0) === (current.group_id ?? 0);

type AuditValues = Readonly<Record<string, unknown>>;

const audited = ({ settings, ...columns }: EditableFields): AuditValues => ({
  ...affiliates.audited(columns),
  bank_details: settings.bank_details,
});

/**
 * Old and new values of the fields that must be traceable (status, rate, group, payment details); null when
 * none of them changed.
 */
export function auditedChange(
  before: EditableFields,
  after: EditableFields,
): { before: AuditValues; after: AuditValues } | null {
  const [old, next] = [audited(before), audited(after)];
  const keys = Object.keys(next).filter((key) => old[key] !== next[key]);
  const pick = (from: AuditValues): AuditValues => Object.fromEntries(keys.map((key) => [key, from[key]]));
  return keys.length === 0 ? null : { before: pick(old), after: pick(next) };
}
