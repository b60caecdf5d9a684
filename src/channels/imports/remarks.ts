import type { ImportRemark, DescribedRemark } from './types.js';

type Text = readonly [sentence: string, advice: string];

/**
 * The meaning of each reason for people. The second text says what to do; empty where nothing has to be done.
 */
const REASONS: Readonly<Record<string, Text>> = {
  affiliate_missing: [
    'The affiliate this row names does not exist in the old system any more.',
    'Add the affiliate there, or add the amount here by hand, if somebody is still owed it; then import again.',
  ],
  amount_unusable: [
    'The amount is no number, or too large.',
    'Correct it in the old system and import again.',
  ],
  amount_differs: [
    'The old system paid another amount than the commissions of this payment add up to.',
    'Compare the two amounts; what is missing may be a commission that was deleted.',
  ],
  carried_by_payment: [
    'A payment covered a part of a commission only. The part is stored as paid, and taken off the next payment.',
    '',
  ],
  column_unusable: [
    'The form of a value does not fit the column here; it was left out.',
    'Correct it in the old system and import again.',
  ],
  commission_never_completed: ['The order was never completed; the old system counts it nowhere.', ''],
  commission_of_another_affiliate: [
    'Click and commission belong to different affiliates; they are not connected here.',
    '',
  ],
  commissions_missing: ['The payment names commissions that do not exist any more.', ''],
  commissions_not_paid_left_as_they_are: [
    'The payment names commissions that are not paid; they stay as they are.',
    '',
  ],
  changed_here: [
    'The row changed in the old system and here; what was done here counts.',
    'Compare the two.',
  ],
  changed_there: ['The row changed in the old system since the last run; the change is taken over.', ''],
  coupon_taken: ['This coupon belongs to another affiliate here.', 'Bind it by hand to the right affiliate.'],
  creative_without_site: [
    'The material names no address, and the old site is not known.',
    'Add it by hand with an address.',
  ],
  coupon_of_unknown_shop: [
    'A coupon belongs to a shop that is not known here; orders with it credit nobody.',
    'Import again with --provider, so that the shop has its name of here.',
  ],
  currency_unknown: [
    'The row names no valid currency; it was left out.',
    'Correct it in the old system and import again.',
  ],
  customer_affiliate_missing: [
    'The affiliate this buyer names is not known; later orders of the buyer credit nobody.',
    'Link the buyer to an affiliate by hand.',
  ],
  customer_without_affiliate: [
    'The row of this buyer names no affiliate; later orders of the buyer credit nobody.',
    'Link the buyer to an affiliate by hand.',
  ],
  custom_param_taken: [
    'The link name belongs to another affiliate here.',
    'Old links of it credit the one who had it first.',
  ],
  custom_param_unusable: [
    'The link name has characters that are not allowed here; links with it work, but it is not shown.',
    '',
  ],
  date_unusable: ['The date is missing or not valid; the nearest known date of the row is used.', ''],
  duplicate_email: ['Another buyer has this address; their orders are joined.', ''],
  email_known_orders_joined: ['Another buyer has this address; their orders are joined.', ''],
  email_unusable: ['An e-mail address is not valid.', 'Correct it in the old system and import again.'],
  email_missing: ['The buyer has no usable address, and is not recognised at the next order.', ''],
  end_before_start: ['The material ends before it starts; it has no end here.', ''],
  expired_link: ['The buyer was bound to the affiliate until a day that has passed.', ''],
  group_missing: ['The group of the affiliate does not exist any more.', 'Choose a group for the affiliate.'],
  id_repeated: [
    'An earlier row has the same id; this one was left out.',
    'If both count, give them ids of their own and import again.',
  ],
  id_unusable: ['The id is missing or too long.', ''],
  image_missing: ['The picture has no address.', 'Add it by hand.'],
  link_ends: [
    'The buyer is bound to the affiliate until a day to come; here it ends by the days of the lifetime commission.',
    'Set these days in the settings, or unlink the buyer on that day.',
  ],
  left_out_on_request: ['The status of this row was mapped to `skip`.', ''],
  lifetime_affiliate_differs: ['The buyer is bound to two affiliates; the first one counts.', ''],
  link_taken: ['A value of the old links belongs to another affiliate of the same system.', ''],
  manager_has_other_rights: ['The user has rights here already; they stay as they are.', ''],
  manager_is_administrator: ['The user may do everything here anyway.', ''],
  manager_rights_given: ['The rights of this user were taken over.', ''],
  manager_user_missing: ['The user with these rights is not known here.', 'Give the rights by hand.'],
  manager_without_known_rights: ['The rights have no counterpart here.', 'Give the rights by hand.'],
  name_missing: ['The group has no name.', ''],
  negative_as_correction: [
    'A deduction without a commission it belongs to, stored as a correction of the balance.',
    '',
  ],
  no_paid_commissions: ['None of the commissions of this payment is paid; the payment is not stored.', ''],
  paid_by_failed_payment: [
    'The old system counts the commission as paid, though the payment it names failed.',
    'Ask the affiliate; set the commission to unpaid if the money never came.',
  ],
  parent_missing: ['The commission to which this one belongs is missing; it is stored on its own.', ''],
  partly_covered_by_payments: ['A payment covered a part of this commission; it stays unpaid.', ''],
  payment_failed: ['The payment failed in the old system; its commissions stay as they are.', ''],
  payment_failed_since: [
    'The payment was on its way when it was imported, and has failed since; its commissions are still held here.',
    'Delete its transaction, so that the commissions are owed again.',
  ],
  payment_of_a_test: ['A payment made in the sandbox of the payment provider; no money moved.', ''],
  payment_without_commissions: ['The payment names no commissions.', 'Compare the balance of the affiliate.'],
  percentage_beyond_hundred: ['The rate is above 100 %; it is 100 % here.', 'Check the rate.'],
  percentage_below_one: [
    'The rate is below 1 %. Early releases stored 15 % as 0.15.',
    'Compare it with what the affiliate earned, and correct it here.',
  ],
  products_too_long: ['The list of products is too long and was left out.', ''],
  rate_unusable: ['The rate is no number; the rate of the program counts.', 'Check the rate.'],
  settings_too_long: ['The details are too long and were left out.', ''],
  status_unknown: ['The status has no meaning here.', 'Import again with --map-status.'],
  unpaid_commissions_held_by_open_payment: [
    'The payment was on its way and holds its commissions.',
    'Mark the payout paid when the money arrived, or delete the transaction to owe them again.',
  ],
  url_unusable: ['The address is none.', 'Add it by hand.'],
  user_deleted: [
    'The account of this affiliate does not exist any more; the affiliate was imported without login.',
    'Give it a user.',
  ],
  user_has_another_affiliate: [
    'The user has another affiliate already; this one was imported without login.',
    '',
  ],
  user_linked_later: ['The affiliate got its login now.', ''],
  user_missing: [
    'The user is not known here; the affiliate was imported without login.',
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
      `The content of "${refused[1] ?? ''}" could not be read safely and was left out.`,
      'Look at it in the old system.',
    ];
  return [`${plain.replaceAll('_', ' ')}.`, ''];
}

/** What a reason means, in one sentence. */
export const sentenceOf = (reason: string): string => textOf(reason)[0];

/** All reasons of a row as sentences, with the text that could not be used. */
export function describeRemark(remark: ImportRemark & { readonly id: number }): DescribedRemark {
  const texts = remark.reason.split(', ').map(textOf);
  const joined = (at: 0 | 1): string => [...new Set(texts.map((text) => text[at]).filter(Boolean))].join(' ');
  const detail = remark.detail === null ? '' : ` There stood: "${remark.detail}".`;
  return { ...remark, sentence: joined(0) + detail, advice: joined(1) };
}
