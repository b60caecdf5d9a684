import { findIban } from '../../core/iban.js';
import { PAYER_TITLES } from '../../core/payer-titles.js';
import type { Deps } from './deps.js';
import type { PaymentDetails, PaymentLine, PayoutMethod } from './types.js';

type FileMethod = PayoutMethod & Required<Pick<PayoutMethod, 'prepare'>>;

/** For people who pay each affiliate by hand: the lines of the ordinary export. */
export const manualMethod: FileMethod = {
  key: 'manual',
  title: 'Manual',
  prepare: ({ payout, lines }) => ({
    kind: 'csv',
    name: `payout_${payout.id}_manual.csv`,
    contentType: 'text/csv; charset=utf-8',
    header: true,
    columns: [
      'affiliate_id',
      'name',
      'email',
      'payment_email',
      'amount',
      'currency',
      'reference',
      'paid_to',
      'payee_changed',
    ],
    rows: lines.map((line) => ({
      affiliate_id: line.transaction.affiliate_id,
      name: line.affiliate_name,
      email: line.email,
      payment_email: line.payment_email,
      amount: line.amount,
      currency: line.currency,
      reference: referenceOf(line),
      paid_to: line.paid_to,
      payee_changed: line.payee_changed ? 'yes' : 'no',
    })),
  }),
};

/**
 * The file of PayPal's "Payouts Web" upload: no header; recipient identifier, amount,
 * ISO currency (one per file), customer id
 * (≤ 30 characters, no blanks), note to the recipient (≤ 400), recipient wallet; at most 5,000 lines.
 * Source: https://developer.paypal.com/docs/payouts/standard/payouts-web and
 * https://docs.paypal.ai/send/use-web-ui
 */
export const paypalMethod: FileMethod = {
  key: 'paypal',
  title: 'PayPal mass payment file',
  details: 'payment_email',
  prepare: ({ payout, lines }) => ({
    kind: 'csv',
    name: `payout_${payout.id}_paypal.csv`,
    contentType: 'text/csv; charset=utf-8',
    header: false,
    columns: ['recipient', 'amount', 'currency', 'customer_id', 'note', 'wallet'],
    rows: lines.map((line) => ({
      recipient: line.payment_email,
      amount: line.amount,
      currency: line.currency,
      customer_id: referenceOf(line),
      note: Array.from(payout.title).slice(0, 400).join(''),
      wallet: 'PAYPAL',
    })),
    maxRows: 5000,
  }),
};

/**
 * A bank transfer list with the column names of Wise's batch template "send to bank accounts".
 * `IBAN` is filled when the affiliate's free-text bank details hold a valid one;
 * `bankDetails` is that text, for banks that take other columns.
 * Source: https://wise.com/help/articles/2663302/how-do-i-fill-in-my-batch-template
 */
export const bankMethod: FileMethod = {
  key: 'bank',
  title: 'Bank transfer list',
  details: 'bank_details',
  prepare: ({ payout, lines }) => ({
    kind: 'csv',
    name: `payout_${payout.id}_bank.csv`,
    contentType: 'text/csv; charset=utf-8',
    header: true,
    columns: [
      'name',
      'recipientEmail',
      'paymentReference',
      'amountCurrency',
      'amount',
      'sourceCurrency',
      'targetCurrency',
      'IBAN',
      'bankDetails',
    ],
    rows: lines.map((line) => ({
      name: line.affiliate_name,
      recipientEmail: line.email,
      paymentReference: referenceOf(line),
      amountCurrency: 'target',
      amount: line.amount,
      sourceCurrency: line.currency,
      targetCurrency: line.currency,
      IBAN: findIban(line.bank_details) ?? '',
      bankDetails: line.bank_details,
    })),
  }),
};

/** `P5-T41`: payout and transaction, so that a report of the payment service finds its row again. */
const referenceOf = ({ transaction }: PaymentLine): string => `P${transaction.payout_id}-T${transaction.id}`;

/** The payers module offers them once they are set up; `paypal` is a file until then. */
const PAYERS = Object.entries(PAYER_TITLES).map(([key, title]) => ({ key, title }));

/** Those of them that store payment details of their own. */
const OWN_DETAILS: readonly string[] = ['stripe', 'wise', 'sepa', 'nacha'];

// Names in the query of the export; the second spelling is that of the file's kind.
const BUILT_IN: ReadonlyMap<string, PayoutMethod> = new Map<string, PayoutMethod>([
  ...PAYERS.map((payer) => [payer.key, payer] as const),
  ['manual', manualMethod],
  ['paypal', paypalMethod],
  ['paypal-csv', paypalMethod],
  ['bank', bankMethod],
  ['bank-csv', bankMethod],
]);

/** A host's method with the key of a built-in one uses the built-in file, unless it makes its own. */
export const makerOf = (method: PayoutMethod): FileMethod | null =>
  [method, BUILT_IN.get(method.key)].find(makesFiles) ?? null;

const makesFiles = (method: PayoutMethod | undefined): method is FileMethod => method?.prepare !== undefined;

/** The details of the affiliate's profile that a method needs; null: none, or the method stores its own. */
export const profileDetails = ({ details }: Pick<PayoutMethod, 'details'>): PaymentDetails | null =>
  typeof details === 'string' ? details : null;

/** Every method once: the host's own first, then the built-in ones that they do not replace. */
export function methodsOf(app: Deps): readonly PayoutMethod[] {
  const own = app.options.payouts.methods;
  const taken = new Set(own.map(({ key }) => key));
  return [...own, ...[manualMethod, paypalMethod, bankMethod].filter(({ key }) => !taken.has(key))];
}

/** Splits lines into those the method can pay and those whose affiliate lacks the details it needs. */
export function splitLines(
  method: PayoutMethod,
  lines: readonly PaymentLine[],
): { readonly payable: readonly PaymentLine[]; readonly leftOut: readonly PaymentLine[] } {
  const details = profileDetails(method);
  const isPayable = (line: PaymentLine): boolean =>
    typeof method.details === 'object'
      ? line.details !== undefined
      : details === null || line[details] !== '';
  return { payable: lines.filter(isPayable), leftOut: lines.filter((line) => !isPayable(line)) };
}

/** The keys of all methods, for a message. */
export const methodKeys = (app: Deps): string =>
  methodsOf(app)
    .map(({ key }) => key)
    .join(', ');

/** The method with this key; a method of the host replaces a built-in one. */
export const methodOf = (app: Deps, key: string): PayoutMethod | undefined =>
  app.options.payouts.methods.find((method) => method.key === key) ?? BUILT_IN.get(key);

/** Does the affiliate enter details for this method alone, besides the profile? */
export function keepsDetails(app: Deps, key: string): boolean {
  const own = app.options.payouts.methods.find((method) => method.key === key);
  return own ? typeof own.details === 'object' : OWN_DETAILS.includes(key);
}
