import { fields, given, list, text, type Fields } from './reading.js';

/** The fingerprint of a charge: cards and bank accounts have one, wallets name their user. */
export function fingerprintOf(charge: Fields): { payment_fingerprint?: string } {
  const details = fields(charge['payment_method_details']);
  const way = fields(details[text(details['type'])]);
  return given('payment_fingerprint', way['fingerprint'] ?? way['payer_id'] ?? way['buyer_id']);
}

/** The charge of a payment intent, in the newer form or the older one. */
export const chargeOf = (intent: Fields): Fields =>
  list([intent['latest_charge']]).find((charge) => text(charge['id']) !== '') ??
  list(fields(intent['charges'])['data'])[0] ??
  {};
