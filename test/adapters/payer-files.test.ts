import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { memoryPages, validateXML } from 'xmllint-wasm';
import { nachaFile, sepaFile } from '../../adapters/index.js';
import { achDay, targetDay } from '../../adapters/payers/bank-days.js';
import { readXml, textOf } from '../../adapters/payers/xml.js';
import type { Payment, SentBatch } from '../../src/accounting/payouts/types.js';

const SCHEMA = process.env['SEPA_SCHEMA'] ?? join(import.meta.dirname, '../support/pain.001-minimal.xsd');
const AT = Date.UTC(2026, 3, 3, 10); // Good Friday

const NAMES = [
  'محمد عبد الله',
  '🎉 Party 🎉',
  'Ä'.repeat(200),
  'O’Brien & Søn <Ltd>',
  '',
  '   ',
  "D'Arc-Łukasz ß",
];

const batchOf = (
  count: number,
  currency: string,
  details: (at: number) => Record<string, string>,
): SentBatch => ({
  key: 'P5-B41-1-0123456789ab',
  ref: null,
  created_at: AT,
  repeated: false,
  payments: Array.from({ length: count }, (_, at): Payment => {
    const cents = 1 + ((at * 7919) % 250_000);
    return {
      id: at + 1,
      key: `P5-T${41 + at}-1-0123456789ab`,
      amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
      amount_minor: cents,
      currency,
      details: details(at),
      name: NAMES[at % NAMES.length]!,
      user_id: 1,
      note: 'January 🎉 für alle',
    };
  }),
});

const sepa = sepaFile({ name: 'Müller & Söhne', iban: 'DE89 3704 0044 0532 0130 00' });
const ibanOf = (at: number) => ({ name: NAMES[at % NAMES.length]!, iban: 'NL91 ABNA 0417 1643 00' });

describe('a SEPA file', () => {
  it.each([1, 7, 10_000])('of %s payments is valid, with exact count and sum', async (count) => {
    const batch = batchOf(count, 'EUR', ibanOf);
    const file = sepa.fileOf!(batch);
    if (file.kind !== 'document') throw new Error('a document');

    const root = readXml(file.text)?.children[0];
    const sum = batch.payments.reduce((total, { amount_minor: amount }) => total + amount, 0);
    expect(textOf(root, 'GrpHdr', 'NbOfTxs')).toBe(String(count));
    expect(textOf(root, 'GrpHdr', 'CtrlSum')).toBe((sum / 100).toFixed(2));
    expect(textOf(root, 'PmtInf', 'CtrlSum')).toBe((sum / 100).toFixed(2));
    expect(textOf(root, 'PmtInf', 'ReqdExctnDt', 'Dt')).toBe('2026-04-07'); // after Easter
    const transfers = root!.children[1]!.children.filter(({ name }) => name === 'CdtTrfTxInf');
    expect(transfers).toHaveLength(count);
    expect(new Set(transfers.map((row) => textOf(row, 'PmtId', 'EndToEndId'))).size).toBe(count);
    for (const row of transfers) {
      expect(textOf(row, 'Cdtr', 'Nm')).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/);
      expect(textOf(row, 'RmtInf', 'Ustrd').length).toBeLessThanOrEqual(140);
    }
    expect(file.text.includes('<!-- One payment')).toBe(count === 1);
    const { valid, errors } = await validateXML({
      xml: { fileName: 'sepa.xml', contents: file.text },
      schema: { fileName: 'pain.001.xsd', contents: readFileSync(SCHEMA, 'utf8') },
      maxMemoryPages: memoryPages.GiB,
    });
    expect(errors.slice(0, 3)).toEqual([]);
    expect(valid).toBe(true);
  });

  it('is the same each time, and refuses accounts that cannot be', () => {
    const batch = batchOf(3, 'EUR', ibanOf);
    expect(sepa.fileOf!(batch)).toEqual(sepa.fileOf!(batch));
    expect(
      sepa.check!({ iban: 'DE00370400440532013000', name: 'A' }, { amount: null, currency: 'EUR' }),
    ).toMatchObject({ ok: false });
    expect(() => sepaFile({ name: 'A', iban: 'DE1' })).toThrow('IBAN');
  });

  it("has its answer read: rejected with the bank's reason, accepted, settled", () => {
    const answer = (body: string) =>
      sepa.readAnswer!(
        `<?xml version="1.0"?><ns:Document xmlns:ns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><ns:CstmrPmtStsRpt>` +
          `<ns:GrpHdr><ns:MsgId>B1</ns:MsgId><ns:CreDtTm>2026-04-08T09:00:00+02:00</ns:CreDtTm></ns:GrpHdr>` +
          `<ns:OrgnlGrpInfAndSts><ns:OrgnlMsgId>P5-B41-1</ns:OrgnlMsgId>${body}</ns:CstmrPmtStsRpt></ns:Document>`,
      );
    const rejected =
      '<ns:GrpSts>PART</ns:GrpSts></ns:OrgnlGrpInfAndSts><ns:OrgnlPmtInfAndSts><ns:TxInfAndSts>' +
      '<ns:OrgnlEndToEndId>P5-T41-1</ns:OrgnlEndToEndId><ns:TxSts>RJCT</ns:TxSts><ns:StsRsnInf><ns:Rsn><ns:Cd>AC04</ns:Cd></ns:Rsn></ns:StsRsnInf>' +
      '</ns:TxInfAndSts></ns:OrgnlPmtInfAndSts>';
    expect(answer(rejected)).toMatchObject({
      batch: 'P5-B41-1',
      all: null,
      payments: [{ key: 'P5-T41-1', state: 'failed', code: 'AC04', message: 'The account is closed.' }],
    });
    expect(answer('<ns:GrpSts>ACSC</ns:GrpSts></ns:OrgnlGrpInfAndSts>')).toMatchObject({
      all: { state: 'paid' },
    });
    expect(answer('<ns:GrpSts>ACCP</ns:GrpSts></ns:OrgnlGrpInfAndSts>')).toMatchObject({
      all: { state: 'processing' },
    });
    expect(answer('<ns:GrpSts>RJCT</ns:GrpSts></ns:OrgnlGrpInfAndSts>')).toMatchObject({
      all: { state: 'failed', again: true },
    });
    for (const text of [
      '',
      'no xml',
      '<a><b></a>',
      '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
      '<Document/>',
    ])
      expect(sepa.readAnswer!(text)).toBeNull();
  });
});

describe('a NACHA file', () => {
  const nacha = nachaFile({
    routing: '091000019',
    bankName: 'First Bank of Läke',
    companyId: '1123456789',
    companyName: 'Fernway Inc.',
  });
  const account = (at: number) => ({
    name: 'Zoë Parker',
    routing: at % 2 ? '121042882' : '091000019',
    account: `12345${at}`,
    type: at % 3 ? 'checking' : 'savings',
  });

  it.each([1, 3, 1000])('of %s payments reads back with its sums', (count) => {
    const batch = batchOf(count, 'USD', account);
    const file = nacha.fileOf!(batch);
    if (file.kind !== 'document') throw new Error('a document');

    const lines = file.text.replace(/\r\n$/, '').split('\r\n');
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([94]));
    expect(lines.length % 10).toBe(0);
    expect(/^[\x20-\x7e\r\n]+$/.test(file.text)).toBe(true);
    const entries = lines.filter((line) => line.startsWith('6'));
    const sum = entries.reduce((total, line) => total + Number(line.slice(29, 39)), 0);
    const hash = entries.reduce((total, line) => total + Number(line.slice(3, 11)), 0) % 10_000_000_000;
    expect(sum).toBe(batch.payments.reduce((total, { amount_minor: amount }) => total + amount, 0));
    const [control] = lines.filter((line) => line.startsWith('8220'));
    expect(control!.slice(4, 10)).toBe(String(count * 2).padStart(6, '0'));
    expect(Number(control!.slice(10, 20))).toBe(hash);
    expect(Number(control!.slice(32, 44))).toBe(sum);
    const [end] = lines.filter((line) => line.startsWith('9000'));
    expect(Number(end!.slice(7, 13))).toBe(lines.length / 10);
    expect(Number(end!.slice(43, 55))).toBe(sum);
    expect(entries.map((line) => line.slice(1, 3)).slice(0, 3)).toEqual(
      ['32', '22', '22'].slice(0, Math.min(3, count)),
    );
    expect(lines.filter((line) => line.startsWith('705'))).toHaveLength(count);
    expect(lines[1]!.slice(69, 75)).toBe('260406');
  });

  it('refuses accounts that cannot be', () => {
    const refuse = (details: Record<string, string>) =>
      nacha.check!(details, { amount: null, currency: 'USD' });
    expect(refuse({ routing: '091000018', account: '12345', name: 'A' })).toMatchObject({ ok: false });
    expect(refuse({ routing: '091000019', account: '1', name: 'A' })).toMatchObject({ ok: false });
    expect(refuse({ routing: '091000019', account: '12345', name: 'محمد' })).toMatchObject({ ok: false });
    expect(refuse({ routing: '091000019', account: '12345', name: 'A' })).toEqual({ ok: true });
  });
});

it('money moves on banking days', () => {
  expect(targetDay(Date.UTC(2026, 11, 25))).toBe('2026-12-28');
  expect(targetDay(Date.UTC(2026, 0, 15))).toBe('2026-01-15');
  expect(achDay(Date.UTC(2026, 6, 3))).toBe('2026-07-06');
  expect(achDay(Date.UTC(2026, 10, 25))).toBe('2026-11-27');
  expect(achDay(Date.UTC(2027, 6, 3))).toBe('2027-07-06'); // the fourth is a Sunday
});
