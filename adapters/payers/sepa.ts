import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import { readIban } from '../../src/core/iban.js';
import type {
  BankReport,
  Payment,
  PaymentDocument,
  PaymentTruth,
  PayoutMethod,
  SentBatch,
  ReportedState,
} from '../payers.js';
import { targetDay } from './bank-days.js';
import { latin } from './latin.js';
import { childrenOf, escapeXml, readXml, textOf, type XmlElement } from './xml.js';

const LARGEST = 99_999_999_999; // 999,999,999.99
const NAME_MAX = 70;
const TEXT_MAX = 140;

export interface SepaOptions {
  /** The account holder, as the bank knows it. */
  readonly name: string;
  /** The account that pays. */
  readonly iban: string;
}

/**
 * A SEPA credit transfer file (pain.001.001.09) for the bank, and its report (pain.002). Element order and
 * lengths are those of ISO 20022 as the European Payments Council restricts it (docs/payout-methods.md §3).
 */
export function sepa({ name, iban: given }: SepaOptions): PayoutMethod {
  const iban = readIban(given);
  if (iban === null) throw new TypeError('The IBAN of the paying account is not valid.');
  if (latin(name) === '') throw new TypeError('The name of the account holder is required.');
  return {
    key: 'sepa',
    title: PAYER_TITLES.sepa,
    currencies: ['EUR'],
    limits: { smallest_minor: 1, largest_minor: LARGEST, keyDays: 0 },
    details: {
      label: 'Bank account (IBAN)',
      schema: {
        name: { label: 'Account holder', maxLength: 140 },
        iban: { label: 'IBAN', maxLength: 42 },
      },
      mask: (details) => lastFour(readIban(details['iban'] ?? '') ?? ''),
    },
    check: (details) =>
      readIban(details['iban'] ?? '') === null
        ? { ok: false, reason: 'This IBAN is not valid. Check each digit.' }
        : { ok: true },
    fileOf: (batch) => fileOf(batch, { name, iban }),
    readAnswer: readReport,
  };
}

const lastFour = (account: string): string => `•••• ${account.slice(-4)}`;

function fileOf(batch: SentBatch, debtor: { readonly name: string; readonly iban: string }): PaymentDocument {
  const { payments, key } = batch;
  const sum = payments.reduce((total, payment) => total + BigInt(payment.amount_minor), 0n);
  const counted = `<NbOfTxs>${payments.length}</NbOfTxs><CtrlSum>${decimal(sum)}</CtrlSum>`;
  const name = element('Nm', party(debtor.name));
  return {
    kind: 'document',
    name: `sepa_${key}.xml`,
    contentType: 'application/xml; charset=utf-8',
    text: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      ...(payments.length === 1
        ? ['<!-- One payment: the bank checks the name of the payee and asks before it pays. -->']
        : []),
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>',
      `<GrpHdr>${element('MsgId', key)}${element('CreDtTm', new Date(batch.created_at).toISOString().slice(0, 19))}` +
        `${counted}<InitgPty>${name}</InitgPty></GrpHdr>`,
      `<PmtInf>${element('PmtInfId', key)}<PmtMtd>TRF</PmtMtd>${counted}<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>`,
      `<ReqdExctnDt>${element('Dt', targetDay(batch.created_at))}</ReqdExctnDt><Dbtr>${name}</Dbtr>`,
      `<DbtrAcct><Id>${element('IBAN', debtor.iban)}</Id></DbtrAcct>`,
      '<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt><ChrgBr>SLEV</ChrgBr>',
      ...payments.map(transfer),
      '</PmtInf></CstmrCdtTrfInitn></Document>',
      '',
    ].join('\n'),
  };
}

const transfer = ({ key, amount, details, name, note }: Payment): string =>
  `<CdtTrfTxInf><PmtId>${element('EndToEndId', key)}</PmtId><Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt>` +
  `<Cdtr>${element('Nm', party(details['name'] ?? name))}</Cdtr>` +
  `<CdtrAcct><Id>${element('IBAN', readIban(details['iban'] ?? '') ?? '')}</Id></CdtrAcct>` +
  `<RmtInf>${element('Ustrd', cut(`${key} ${latin(note)}`, TEXT_MAX))}</RmtInf></CdtTrfTxInf>`;

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`;
const cut = (text: string, max: number): string => text.slice(0, max).trim();
/** A name that has no Latin letter is replaced by the word that banks know for it. */
const party = (name: string): string => cut(latin(name), NAME_MAX) || 'NOTPROVIDED';
const decimal = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

/** Status codes of ISO 20022. Only a settled transfer is paid; an accepted one is on its way. */
const STATES: Readonly<Record<string, ReportedState>> = {
  ACSC: 'paid',
  ACCC: 'paid',
  ACCP: 'processing',
  ACSP: 'processing',
  ACTC: 'processing',
  ACWC: 'processing',
  ACFC: 'processing',
  PDNG: 'processing',
  RCVD: 'submitted',
  RJCT: 'failed',
  CANC: 'canceled',
};
/** Reasons that are not the payee's: no money, the form of the file, the time, the paying account. */
const OURS = /^(?:AM0[1-57]|AC02|AG|DT|DU|ED|FF|RF|TM)/;

const REASONS: Readonly<Record<string, string>> = {
  AC01: 'The account number is wrong.',
  AC04: 'The account is closed.',
  AC06: 'The account is blocked.',
  AM04: 'There was not enough money in the paying account.',
  BE01: 'The name does not belong to the account.',
  MS03: 'The bank gave no reason.',
  RC01: "The payee's bank is wrong.",
};

function readReport(source: string): BankReport | null {
  const report = readXml(source)?.children.find(({ name }) => name === 'CstmrPmtStsRpt');
  const [group] = childrenOf(report, 'OrgnlGrpInfAndSts');
  const batch = textOf(group, 'OrgnlMsgId');
  if (report === undefined || batch === '') return null;
  const at = Date.parse(`${textOf(report, 'GrpHdr', 'CreDtTm').slice(0, 19)}Z`) || 0;
  const parts = childrenOf(report, 'OrgnlPmtInfAndSts');
  const payments = parts
    .flatMap((part) => childrenOf(part, 'TxInfAndSts'))
    .flatMap((row) => transferOf(row, at));
  const whole =
    wordOf(textOf(group, 'GrpSts'), group, at) ??
    (parts.length === 1 ? wordOf(textOf(parts[0], 'PmtInfSts'), parts[0], at) : null);
  // mistakes of the file are not about a payee
  return { batch, payments, all: whole && (whole.state === 'failed' ? { ...whole, again: true } : whole) };
}

function transferOf(row: XmlElement, at: number): PaymentTruth[] {
  const truth = wordOf(textOf(row, 'TxSts'), row, at);
  const key = textOf(row, 'OrgnlEndToEndId');
  return truth === null || key === '' ? [] : [{ ...truth, key, ref: null }];
}

function wordOf(
  status: string,
  from: XmlElement | undefined,
  at: number,
): Omit<PaymentTruth, 'key' | 'ref'> | null {
  const state = Object.hasOwn(STATES, status) ? STATES[status] : undefined;
  if (state === undefined) return null;
  if (state !== 'failed') return { state, at };
  const [info] = childrenOf(from, 'StsRsnInf');
  const code = textOf(info, 'Rsn', 'Cd') || textOf(info, 'Rsn', 'Prtry') || 'RJCT';
  const message = REASONS[code] ?? (textOf(info, 'AddtlInf') || 'The bank refused the payment.');
  return { state, at, code, message, ...(OURS.test(code) && { again: true }) };
}
