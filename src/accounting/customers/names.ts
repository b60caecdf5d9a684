import { mailboxKey } from '../../core/mailbox.js';
import { shortKey } from '../../core/order-key.js';
import { cut } from '../../core/text.js';
import type { Secrets } from '../../platform/secrets.js';
import type { CustomerInput, CustomerName, NameKind } from './types.js';

const TEXT_MAX = 191;
const CARD = 'customer-card';

/** A name that an order carries, with the forms it has under replaced secrets. */
export interface NameInput extends CustomerName {
  readonly forms: readonly string[];
}

/** The key of an e-mail address; null without one. */
export function emailName(email: string | null | undefined): string | null {
  const key = mailboxKey(email ?? '');
  return key === '' ? null : cut(key, TEXT_MAX);
}

/** All names that an order carries. The first one is what a new customer is stored under. */
export function namesOf(input: CustomerInput, secrets: Pick<Secrets, 'signatures'>): NameInput[] {
  const { email, user_id: userId, ref, payment_fingerprint: card } = input;
  const key = emailName(email);
  const names: NameInput[] = [];
  const add = (kind: NameKind, forms: readonly string[], label: string | null): void => {
    const [name] = forms;
    if (name !== undefined) names.push({ kind, name, label, forms });
  };
  if (key !== null) add('email', [key], cut((email ?? '').trim(), TEXT_MAX));
  if (userId) add('user', [String(userId)], null);
  if (ref?.id) {
    const text = [ref.provider, ref.account, ref.id].map(encodeURIComponent).join(':');
    add('provider', [shortKey(text)], cut(`${ref.provider} ${ref.id}`, TEXT_MAX));
  }
  if (card) add('card', secrets.signatures(CARD, card), null);
  return names;
}

export const isNamed = ({ kind, forms }: NameInput, held: Pick<CustomerName, 'kind' | 'name'>): boolean =>
  kind === held.kind && forms.includes(held.name);
