import { readIban } from '../../core/iban.js';
import { cut, LINE, LINES } from '../../core/text.js';
import type { FieldCheck } from '../../errors.js';

/**
 * A bank account as the portal asks for it. It is stored as lines of text with labels, which people and
 * payment files can read.
 */
export interface BankAccount {
  readonly account_holder: string;
  readonly iban: string;
  readonly bic: string;
  readonly bank_name: string;
  /** For countries without IBAN: account number, routing number and other fields of the bank. */
  readonly other_details: string;
}

const LABELS = {
  account_holder: 'Account holder',
  iban: 'IBAN',
  bic: 'BIC',
  bank_name: 'Bank',
} as const;
const LABELED = Object.keys(LABELS) as (keyof typeof LABELS)[];
/** The kind and the most characters of each free text. */
const TEXTS = [
  ['account_holder', LINE, 140],
  ['bank_name', LINE, 140],
  ['other_details', LINES, 2000],
] as const;
const BIC = /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/u;

/** Reads the account from a stored text; lines without one of our labels are `other_details`. */
export function parseBankAccount(text: string): BankAccount {
  const found: Record<string, string> = {};
  const rest: string[] = [];
  for (const line of text.split('\n')) {
    const key = LABELED.find((each) => line.startsWith(`${LABELS[each]}: `) && found[each] === undefined);
    if (key) found[key] = line.slice(LABELS[key].length + 2).trim();
    else rest.push(line);
  }
  return {
    account_holder: found['account_holder'] ?? '',
    iban: found['iban'] ?? '',
    bic: found['bic'] ?? '',
    bank_name: found['bank_name'] ?? '',
    other_details: rest.join('\n').trim(),
  };
}

/** The text that is stored. */
export function formatBankAccount(account: BankAccount): string {
  const labeled = LABELED.filter((key) => account[key] !== '').map(
    (key) => `${LABELS[key]}: ${account[key]}`,
  );
  return [...labeled, account.other_details].filter((line) => line !== '').join('\n');
}

/** Checks a submitted account; errors are added to `check` under the names of the fields. */
export function readBankAccount(
  check: FieldCheck,
  given: Readonly<Partial<Record<keyof BankAccount, string>>>,
): BankAccount {
  const account = cleaned(given);
  if (account.account_holder === '')
    check.add('account_holder', 'required', 'The account holder is required.');
  checkTexts(check, account);
  const typed = (given.iban ?? '').trim();
  if (typed !== '' && account.iban === '')
    check.add('iban', 'iban', 'This IBAN is not valid. Please compare it with your bank card or statement.');
  else if (typed === '' && account.other_details === '')
    check.add('iban', 'required', 'Enter the IBAN, or describe the account where there is none.');
  if (account.bic !== '' && !BIC.test(account.bic))
    check.add('bic', 'bic', 'A BIC has 8 or 11 letters and digits.');
  return account;
}

function checkTexts(check: FieldCheck, account: BankAccount): void {
  for (const [key, kind, max] of TEXTS) {
    if (!kind.fits(account[key])) check.add(key, kind.rule, kind.says);
    if (cut(account[key], max) !== account[key]) check.add(key, 'max', `Use at most ${max} characters.`);
  }
}

/** A wrong IBAN becomes ''. */
const cleaned = (given: Readonly<Partial<Record<keyof BankAccount, string>>>): BankAccount => ({
  account_holder: (given.account_holder ?? '').trim(),
  iban: readIban(given.iban ?? '') ?? '',
  bic: (given.bic ?? '').replaceAll(/\s/g, '').toUpperCase(),
  bank_name: (given.bank_name ?? '').trim(),
  other_details: LINES.read(given.other_details ?? ''),
});
