import { FieldCheck } from '../../errors.js';
import {
  readBankDetails,
  readChoice,
  readCustomParam,
  readEmail,
  readGroupId,
  readNote,
  readRate,
  readUserId,
} from './rules.js';
import {
  AFFILIATE_STATUSES,
  RATE_TYPES,
  type Affiliate,
  type AffiliateForm,
  type AffiliatePatch,
  type EditableFields,
} from './types.js';

export interface PayoutRules {
  readonly method: 'paypal' | 'bank_transfer';
  /** The registration form does not insist on a payment e-mail, so an update may clear it. */
  readonly emailOptional: boolean;
}

export type UserExists = (userId: number) => Promise<boolean>;
export type NewFields = EditableFields & { readonly user_id: number };

/**
 * The columns of a new affiliate from a submitted form (docs/interface.md §6.3).
 * `payoutDetails`: the form must say where to pay.
 */
export async function readNew(
  form: AffiliateForm,
  rules: PayoutRules,
  exists: UserExists,
  payoutDetails: boolean,
): Promise<NewFields> {
  const check = new FieldCheck();
  const userId = readUserId(check, form.user_id);
  if (userId > 0 && !(await exists(userId))) check.add('user_id', 'exists', 'No such user.');
  const rateType = readChoice(check, 'rate_type', form.rate_type, RATE_TYPES);
  const groupId = readGroupId(check, form.group_id);
  if (rateType === 'group' && groupId === null)
    check.add('group_id', 'required_if', 'A group is required for this rate type.');
  const byBank = rules.method === 'bank_transfer';
  const fields: NewFields = {
    user_id: userId,
    status: readChoice(check, 'status', form.status, AFFILIATE_STATUSES),
    rate_type: rateType,
    rate_e4: readRate(check, rateType, form.rate, null),
    group_id: groupId,
    // The form shows the field of one payout method; what it sends for the other is not looked at.
    payment_email: payoutDetails && byBank ? null : readEmail(check, form.payment_email, payoutDetails),
    settings: {
      disable_new_ref_email: 'no',
      bank_details: payoutDetails && !byBank ? '' : readBankDetails(check, form.bank_details, payoutDetails),
    },
    note: readNote(check, form.note),
    custom_param: readCustomParam(check, form.custom_param),
  };
  check.throwIfAny();
  return fields;
}

/**
 * The row a partial update leads to (docs/interface.md §6.4): present keys only,
 * cross-field rules on the merged row.
 */
export function mergePatch(
  current: Affiliate,
  patch: AffiliatePatch,
  rules: PayoutRules & { readonly wholeRecord: boolean },
): EditableFields {
  const check = new FieldCheck();
  const { rate_type: rateType, group_id: groupId } = mergeGroup(check, current, patch, rules.wholeRecord);
  const fields: EditableFields = {
    status:
      patch.status === undefined
        ? current.status
        : readChoice(check, 'status', patch.status, AFFILIATE_STATUSES),
    rate_type: rateType,
    rate_e4: readRate(check, rateType, patch.rate, current.rate_e4),
    group_id: groupId,
    payment_email:
      patch.payment_email === undefined || rules.method === 'bank_transfer'
        ? current.payment_email
        : readEmail(check, patch.payment_email, !rules.emailOptional),
    settings:
      patch.bank_details === undefined || rules.method !== 'bank_transfer'
        ? current.settings
        : { ...current.settings, bank_details: readBankDetails(check, patch.bank_details, true) },
    note: patch.note === undefined ? current.note : readNote(check, patch.note),
    custom_param: mergeParam(check, current, patch),
  };
  check.throwIfAny();
  return fields;
}

/**
 * A client that posts the whole record back sends the stored value, which an import
 * may have left in another form.
 */
const mergeParam = (check: FieldCheck, current: Affiliate, patch: AffiliatePatch): string | null =>
  patch.custom_param === undefined || patch.custom_param === current.custom_param
    ? current.custom_param
    : readCustomParam(check, patch.custom_param);

/**
 * `whole` is true for a client that posts the whole record it read, whose group is a left-over of the list:
 * an own rate takes the affiliate out of the group there. From all others the group stays, or is as sent.
 */
function mergeGroup(
  check: FieldCheck,
  current: Affiliate,
  patch: AffiliatePatch,
  whole: boolean,
): Pick<EditableFields, 'rate_type' | 'group_id'> {
  if (patch.rate_type === undefined) return groupAlone(check, current, patch);
  const rateType = readChoice(check, 'rate_type', patch.rate_type, RATE_TYPES);
  if (rateType !== 'group') {
    if (whole) return { rate_type: rateType, group_id: null };
    const given = patch.group_id === undefined ? current.group_id : readGroupId(check, patch.group_id);
    return { rate_type: rateType, group_id: given };
  }
  const groupId = readGroupId(check, patch.group_id) ?? current.group_id;
  if (groupId === null) check.add('group_id', 'required_if', 'A group is required for this rate type.');
  return { rate_type: rateType, group_id: groupId };
}

function groupAlone(
  check: FieldCheck,
  current: Affiliate,
  patch: AffiliatePatch,
): Pick<EditableFields, 'rate_type' | 'group_id'> {
  if (patch.group_id === undefined) return { rate_type: current.rate_type, group_id: current.group_id };
  const groupId = readGroupId(check, patch.group_id);
  return {
    rate_type: groupId === null && current.rate_type === 'group' ? 'default' : current.rate_type,
    group_id: groupId,
  };
}

type Audited = Pick<
  EditableFields,
  'status' | 'rate_type' | 'rate_e4' | 'group_id' | 'payment_email' | 'custom_param'
> & {
  readonly bank_details: string;
};

const audited = (fields: EditableFields): Audited => ({
  status: fields.status,
  rate_type: fields.rate_type,
  rate_e4: fields.rate_e4,
  group_id: fields.group_id,
  payment_email: fields.payment_email,
  custom_param: fields.custom_param,
  bank_details: fields.settings.bank_details,
});

/**
 * Old and new values of what must be traceable (status, rate, group, where to pay);
 * null when none of it changed.
 */
export function auditedChange(
  before: EditableFields,
  after: EditableFields,
): { before: Partial<Audited>; after: Partial<Audited> } | null {
  const [old, next] = [audited(before), audited(after)];
  const keys = (Object.keys(next) as (keyof Audited)[]).filter((key) => old[key] !== next[key]);
  const pick = (from: Audited): Partial<Audited> => Object.fromEntries(keys.map((key) => [key, from[key]]));
  return keys.length === 0 ? null : { before: pick(old), after: pick(next) };
}
