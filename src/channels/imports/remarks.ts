import type { ImportRemark, DescribedRemark } from './types.js';

type Text = readonly [sentence: string, advice: string];

/**
 * The meaning of each reason for people. The second text is what to do; empty where nothing has to be done.
 */
const REASONS: Readonly<Record<string, Text>> = {
  affiliate_missing: [
    'The affiliate of this row is neither in the imported data nor in this program.',
    'If the amount is still owed, add the affiliate and import again, or add the amount here by hand.',
  ],
  amount_unusable: [
    'The amount is not a number or is too large.',
    'Correct it in the old system and import again.',
  ],
  amount_differs: [
    'The old system paid a different amount than the sum of the commissions in this payment.',
    'Compare the two amounts: a deleted commission can explain the difference.',
  ],
  carried_by_payment: [
    'A payment covered only part of a commission. That part is stored as paid and deducted from the next payment.',
    '',
  ],
  column_unusable: [
    'A value has the wrong format and was omitted.',
    'Correct it in the old system and import again.',
  ],
  commission_never_completed: ['The order was never completed, and the old system does not count it.', ''],
  commission_of_another_affiliate: [
    'The click and the commission belong to different affiliates, so they are not linked here.',
    '',
  ],
  commissions_missing: ['The payment names commissions that no longer exist.', ''],
  commissions_not_paid_left_as_they_are: [
    'The payment names commissions that are not paid, so they stay unpaid.',
    '',
  ],
  changed_here: ['The row changed in the old system and here, and the change here is kept.', 'Compare both.'],
  changed_there: ['The row changed in the old system since the last run, and the change was imported.', ''],
  coupon_taken: [
    'This coupon already belongs to another affiliate here.',
    'Assign it to the right affiliate by hand.',
  ],
  creative_without_site: [
    'The creative has no URL, and the URL of the old site is unknown.',
    'Add it by hand with a URL.',
  ],
  coupon_of_unknown_shop: [
    'The coupon belongs to a shop that is unknown here, so orders with it are not credited.',
    'Import again and map the shop to its name here (--provider).',
  ],
  currency_unknown: [
    'The row has no valid currency and was skipped.',
    'Correct it in the old system and import again.',
  ],
  customer_affiliate_missing: [
    'The affiliate of this customer is unknown, so later orders are not credited.',
    'Link the customer to an affiliate by hand.',
  ],
  customer_without_affiliate: [
    'This customer has no affiliate, so later orders are not credited.',
    'Link the customer to an affiliate by hand.',
  ],
  custom_param_taken: [
    'The link name already belongs to another affiliate here.',
    'Old links with it credit the affiliate who had it first.',
  ],
  custom_param_unusable: [
    'Links with this name work, but it is not shown because it has characters that are not allowed here.',
    '',
  ],
  date_unusable: ['The date is missing or not valid, so the closest date of the row is used.', ''],
  duplicate_email: ['Another customer has this e-mail address, so their orders were merged.', ''],
  email_known_orders_joined: ['Another customer has this e-mail address, so their orders were merged.', ''],
  email_unusable: [
    'An e-mail address is not valid, and the row was imported without it.',
    'Correct it in the old system and import again.',
  ],
  email_missing: ['The customer has no valid e-mail address and is not recognized in later orders.', ''],
  end_before_start: ['The creative ends before it starts, so the end was removed.', ''],
  expired_link: ['The link between this customer and the affiliate has expired.', ''],
  group_missing: ['The group of the affiliate no longer exists.', 'Choose a group for the affiliate.'],
  id_repeated: [
    'An earlier row has the same ID, so this row was skipped.',
    'If both are valid, give them different IDs and import again.',
  ],
  id_unusable: ['The ID is missing or too long.', ''],
  image_missing: ['The picture has no URL.', 'Add it by hand.'],
  link_ends: [
    'The customer is linked until a set day, but here the days of the lifetime commission apply.',
    'Set these days in the settings, or unlink the customer on that day.',
  ],
  left_out_on_request: ['The status of this row is mapped to `skip`.', ''],
  lifetime_affiliate_differs: ['The customer is linked to two affiliates, and the first one is used.', ''],
  link_taken: ['Another affiliate of the old system already uses this link value.', ''],
  manager_has_other_rights: ['The user already has rights here, and they are kept.', ''],
  manager_is_administrator: ['The user is an administrator here and already has all rights.', ''],
  manager_rights_given: ['The rights of this user were imported.', ''],
  manager_user_missing: ['The user with these rights does not exist here.', 'Assign the rights by hand.'],
  manager_without_known_rights: ['There are no matching rights here.', 'Assign the rights by hand.'],
  name_missing: ['The group has no name.', ''],
  negative_as_correction: ['A deduction without a commission is stored as a correction of the balance.', ''],
  no_paid_commissions: ['None of the commissions in this payment is paid, so the payment was skipped.', ''],
  paid_by_failed_payment: [
    'The old system shows the commission as paid, but its payment failed.',
    'Ask the affiliate, and set the commission to “Ready to pay” if the money never arrived.',
  ],
  parent_missing: ['The parent of this commission is missing, so it is stored on its own.', ''],
  partly_covered_by_payments: ['A payment covered part of this commission, and it stays unpaid.', ''],
  payment_failed: ['The payment failed in the old system, and its commissions are unchanged.', ''],
  payment_failed_since: [
    'The payment failed after it was imported, and its commissions are still reserved here.',
    'Delete the payment, so that the commissions can be paid again.',
  ],
  payment_of_a_test: ['A test payment in the sandbox of the payment provider, so no money moved.', ''],
  payment_without_commissions: ['The payment names no commissions.', 'Compare the balance of the affiliate.'],
  percentage_beyond_hundred: ['The rate is above 100% and was set to 100%.', 'Check the rate.'],
  percentage_below_one: [
    'The rate is below 1%. Early releases stored 15% as 0.15.',
    'Compare it with the earnings of the affiliate and correct it here.',
  ],
  products_too_long: ['The list of products is too long and was omitted.', ''],
  rate_unusable: ['The rate is not a number, so the rate of the program applies.', 'Check the rate.'],
  settings_too_long: ['The details are too long and were omitted.', ''],
  status_unknown: ['The status is not mapped.', 'Map it and import again (--map-status).'],
  unpaid_commissions_held_by_open_payment: [
    'The payment was in progress, and its commissions are reserved for it.',
    'Mark the payment as paid when the money has arrived, or delete it so that the commissions can be paid again.',
  ],
  url_unusable: ['The URL is not valid.', 'Add it by hand.'],
  user_deleted: [
    'The account of this affiliate no longer exists, so the affiliate was imported without a user.',
    'Assign a user.',
  ],
  user_has_another_affiliate: [
    'The user already has another affiliate, so this one was imported without a user.',
    '',
  ],
  user_linked_later: ['The affiliate now has its user.', ''],
  user_missing: [
    'The user does not exist here, so the affiliate was imported without a user.',
    'Create the user with the same e-mail address and import again.',
  ],
};

const FIGURES = /_-?\d[\d.]*(?=_|$)/gu;

/** The reason without the figures of a single row. */
export const plainReason = (reason: string): string =>
  reason.replaceAll(FIGURES, '').replace(/_covers$/u, '');

/** Refused structures are named after their column: `settings_serialized_object_refused`. */
function textOf(reason: string): Text {
  const plain = plainReason(reason);
  const known = REASONS[plain];
  if (known) return known;
  const refused = /^(\w+?)_serialized_(object_refused|malformed)$/u.exec(plain);
  if (refused)
    return [
      `The content of "${refused[1] ?? ''}" could not be read safely and was omitted.`,
      'Check it in the old system.',
    ];
  return [`${plain.replaceAll('_', ' ')}.`, ''];
}

/** What a reason means, in one sentence. */
export const sentenceOf = (reason: string): string => textOf(reason)[0];

/** All reasons of a row as sentences, with the text that could not be used. */
export function describeRemark(remark: ImportRemark & { readonly id: number }): DescribedRemark {
  const texts = remark.reason.split(', ').map(textOf);
  const joined = (at: 0 | 1): string => [...new Set(texts.map((text) => text[at]).filter(Boolean))].join(' ');
  const detail = remark.detail === null ? '' : ` Original value: "${remark.detail}".`;
  return { ...remark, sentence: joined(0) + detail, advice: joined(1) };
}
