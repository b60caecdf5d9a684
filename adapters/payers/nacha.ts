import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import type {
  BankReport,
  Payment,
  PaymentDocument,
  PaymentTruth,
  PayoutMethod,
  SentBatch,
} from '../payers.js';
import { achDay } from './bank-days.js';
import { latin } from './latin.js';

const WIDTH = 94;
const BLOCK = 10;
const LARGEST = 9_999_999_999; // ten digits of cents
const CHECKING = '22';
const SAVINGS = '32';

export interface NachaOptions {
  /** Routing number of your bank, nine digits. */
  readonly routing: string;
  readonly bankName: string;
  /** The company ID that your bank gave you, ten characters (often 1 and the EIN). */
  readonly companyId: string;
  readonly companyName: string;
  /** What the payee's statement shows; at most ten characters. Default: PAYOUT. */
  readonly entryDescription?: string;
}

/** An ACH file for US banks: credits (class 220, PPD) with an addendum each (docs/payout-methods.md §3). */
export function nacha(options: NachaOptions): PayoutMethod {
  if (!isRouting(options.routing)) throw new TypeError('The routing number of the bank is not valid.');
  if (!/^[A-Za-z0-9 ]{1,10}$/.test(options.companyId))
    throw new TypeError('The company ID has one to ten characters.');
  return {
    key: 'nacha',
    title: PAYER_TITLES.nacha,
    currencies: ['USD'],
    limits: { smallest_minor: 1, largest_minor: LARGEST, keyDays: 0 },
    details: {
      label: 'US bank account',
      schema: {
        name: { label: 'Account holder', maxLength: 60 },
        routing: { label: 'Routing number (ABA)', maxLength: 9 },
        account: { label: 'Account number', maxLength: 17 },
        type: { label: 'Account type', choices: ['checking', 'savings'] },
      },
      mask: (details) => `•••• ${(details['account'] ?? '').slice(-4)}`,
    },
    check: ({ routing = '', account = '', name = '' }) => {
      if (!isRouting(routing))
        return { ok: false, reason: 'This routing number is not valid. Check each digit.' };
      if (!/^[A-Za-z0-9-]{4,17}$/.test(account))
        return { ok: false, reason: 'The account number has 4 to 17 digits.' };
      if (latin(name) === '') return { ok: false, reason: 'Write the account holder in Latin letters.' };
      return { ok: true };
    },
    fileOf: (batch) => fileOf(batch, options),
    fileRef: refOf,
    readAnswer: readReturns,
  };
}

/** `P5-T41-1-9f3c21ab04de` as the 15 characters that an entry has for it: transaction, try, and some of the end. */
const refOf = (key: string): string => key.replace(/^P\d+-/, '').slice(0, 15);

/** Nine digits whose weighted sum (3, 7, 1) is a multiple of ten. */
const isRouting = (text: string): boolean =>
  /^\d{9}$/.test(text) &&
  Array.from(text).reduce((sum, digit, at) => sum + Number(digit) * [3, 7, 1][at % 3]!, 0) % 10 === 0;

const left = (text: string, width: number): string => latin(text).toUpperCase().slice(0, width).padEnd(width);
const digits = (value: number | bigint, width: number): string =>
  String(value).padStart(width, '0').slice(-width);

function fileOf(batch: SentBatch, options: NachaOptions): PaymentDocument {
  const { payments } = batch;
  const made = new Date(batch.created_at).toISOString();
  const day = made.slice(2, 10).replaceAll('-', '');
  const odfi = options.routing.slice(0, 8);
  const company = options.companyId.toUpperCase().padEnd(10);
  const sum = payments.reduce((total, { amount_minor: amount }) => total + BigInt(amount), 0n);
  const hash = payments.reduce(
    (total, { details }) => total + Number((details['routing'] ?? '').slice(0, 8)),
    0,
  );
  const count = payments.length * 2;
  const totals = `${digits(hash, 10)}${digits(0, 12)}${digits(sum, 12)}`;
  const lines = [
    `101 ${options.routing}${company}${day}${made.slice(11, 16).replace(':', '')}A094101` +
      `${left(options.bankName, 23)}${left(options.companyName, 23)}${' '.repeat(8)}`,
    `5220${left(options.companyName, 16)}${' '.repeat(20)}${company}PPD${left(options.entryDescription ?? 'PAYOUT', 10)}` +
      `${day}${achDay(batch.created_at).slice(2).replaceAll('-', '')}   1${odfi}${digits(1, 7)}`,
    ...payments.flatMap((payment, at) => entry(payment, at + 1, odfi)),
    `8220${digits(count, 6)}${totals}${company}${' '.repeat(25)}${odfi}${digits(1, 7)}`,
  ];
  const blocks = Math.ceil((lines.length + 1) / BLOCK);
  lines.push(`9${digits(1, 6)}${digits(blocks, 6)}${digits(count, 8)}${totals}${' '.repeat(39)}`);
  while (lines.length < blocks * BLOCK) lines.push('9'.repeat(WIDTH));
  return {
    kind: 'document',
    name: `ach_${batch.key}.txt`,
    contentType: 'text/plain; charset=us-ascii',
    text: `${lines.join('\r\n')}\r\n`,
  };
}

function entry({ key, amount_minor: amount, details, name }: Payment, at: number, odfi: string): string[] {
  const code = details['type'] === 'savings' ? SAVINGS : CHECKING;
  return [
    `6${code}${details['routing']}${(details['account'] ?? '').padEnd(17)}${digits(amount, 10)}` +
      `${refOf(key).padEnd(15)}${left(details['name'] ?? name, 22)}  1${odfi}${digits(at, 7)}`,
    `705${key.padEnd(80)}${digits(1, 4)}${digits(at, 7)}`,
  ];
}

const RETURNED = /^6(?:21|31)/;
const REASONS: Readonly<Record<string, string>> = {
  R02: 'The account is closed.',
  R03: 'The bank found no such account.',
  R04: 'The account number is wrong.',
  R13: 'The routing number is wrong.',
  R14: 'The account holder has died.',
  R15: 'The account holder has died.',
  R16: 'The account is blocked.',
  R20: 'The account takes no payments.',
  R23: 'The account holder refused the payment.',
};
/** Reasons that are not the payee's: recalled by us, the date, the amount, the form of the file, a duplicate. */
const OURS = /^R(?:06|18|19|24|25|26|27|31|32)$/;

/**
 * Reads the file of returns: entries with a code of returned credits (21 checking, 31 savings), each with an addendum
 * (799) that has the reason. Null for what is no ACH file.
 */
function readReturns(text: string): BankReport | null {
  const lines = text.split(/\r?\n/);
  const made = timeOf(lines[0] ?? '');
  if (made === null) return null;
  const payments = lines.flatMap((line, at) =>
    RETURNED.test(line) && lines[at + 1]?.startsWith('799') ? [returned(line, lines[at + 1]!, made)] : [],
  );
  return payments.length === 0 ? null : { batch: null, all: null, payments };
}

function returned(entry: string, addendum: string, at: number): PaymentTruth {
  const code = addendum.slice(3, 6);
  return {
    key: null,
    ref: entry.slice(39, 54).trim(),
    state: 'returned',
    at,
    amount_minor: Number(entry.slice(29, 39)),
    currency: 'USD',
    code,
    message: REASONS[code] ?? `The bank returned the payment (${code}).`,
    ...(OURS.test(code) && { again: true }),
  };
}

/** When an ACH file was made, by its header; null: it is none. */
function timeOf(header: string): number | null {
  const [, year, month, day, hour = '00', minute = '00'] =
    /^101.{20}(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)|.{4})/.exec(header) ?? [];
  const at = Date.parse(`20${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return Number.isNaN(at) ? null : at;
}
