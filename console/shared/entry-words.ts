import { t, word } from './texts.js';

interface Entry {
  readonly kind: string;
  /** What a person did; null for other entries. */
  readonly change: string | null;
  readonly reason?: string | null | undefined;
}

/** Names of ledger entries, the same in console and portal. */
export function kindText(kind: string): string {
  const texts: Readonly<Record<string, string>> = {
    earned: t('Commission earned'),
    adjusted: t('Commission changed'),
    refunded: t('Order refunded'),
    clawed_back: t('Reversed after a refund'),
    merged: t('Merged with another account'),
    paid: t('Payment'),
    payment_reversed: t('Payment undone'),
  };
  return texts[kind] ?? t('Other change');
}

/** The name of an entry by what a person did, else by its kind. */
export function entryText({ kind, change }: Entry): string {
  const texts: Readonly<Record<string, string>> = {
    approved: t('Commission approved'),
    rejected: t('Commission canceled'),
    held: t('Commission put on hold'),
    amount: t('Amount changed'),
    balance: t('Balance corrected'),
  };
  return texts[change ?? ''] ?? kindText(kind);
}

/** Why an entry that no person made changed a commission; '' if its name says it. */
export const causeOf = ({ kind, change, reason }: Entry): string =>
  kind === 'adjusted' && change === null && reason ? causeText(reason) : '';

/** Why a commission changed, by the word that is stored with the change. */
export function causeText(cause: string): string {
  const texts: Readonly<Record<string, string>> = {
    earned: t('The order earns it'),
    adjusted: t('Amount corrected'),
    refunded: t('Refund'),
    clawed_back: t('Taken back'),
    'customers merged': t('Customers merged'),
    dispute: t('Dispute'),
    'first order': t('First payment changed'),
    import: t('By an import'),
    limit: t('Limit'),
    manual: t('By a person'),
    merge: t('Accounts merged'),
    'order changed': t('Order changed'),
    'order given away': t('Order moved to another affiliate'),
    'payout undone': t('Payout undone'),
    reconcile: t('Daily check'),
    'referral deleted': t('Commission deleted'),
  };
  return texts[cause] ?? word(cause);
}
