import { describe, expect, it } from '@jest/globals';
import { minor } from '../../src/core/money.js';
import { readConfig, type ConfigFrame } from '../../src/accounting/payouts/config.js';
import { findIban } from '../../src/core/iban.js';
import { bankMethod, manualMethod, paypalMethod, splitLines } from '../../src/accounting/payouts/methods.js';
import { checkFile, filePart } from '../../src/accounting/payouts/payment-file.js';
import type { PaymentLine, Payout, PayoutTransaction } from '../../src/accounting/payouts/types.js';

const NOW = Date.UTC(2026, 0, 15, 15, 0, 0, 400);
const frame: ConfigFrame = {
  currency: 'USD',
  timeZone: 'America/New_York',
  now: NOW,
  floor: undefined,
  methodKeys: 'paypal',
  methodKey: (name) => (name === 'paypal-csv' ? 'paypal' : null),
};
const read = (config: unknown, over: Partial<ConfigFrame> = {}): ReturnType<typeof readConfig> =>
  readConfig(config, { ...frame, ...over });
const form = { title: 'January', description: 'Run' };

// The first rule each field breaks.
function fieldsOf(config: unknown): Record<string, unknown> {
  try {
    read(config);
  } catch (error) {
    return Object.fromEntries(
      Object.entries((error as { fields?: Record<string, object> }).fields ?? {}).map(([name, rules]) => [
        name,
        Object.keys(rules)[0],
      ]),
    );
  }
  return {};
}

describe('payout configuration', () => {
  it('fills blank dates with everything up to this second on the site clock', () => {
    const config = read({ ...form, min_payout: '' });

    expect(config.settings).toEqual({
      start_date: '1970-01-01 00:00:00',
      end_date: '2026-01-15 10:00:00',
      min_payout: 0,
      affiliate_ids: [],
    });
    expect(config.to).toBe(Date.UTC(2026, 0, 15, 15, 0, 0, 999));
  });

  it('takes whole site days, both inclusive', () => {
    const config = read({ ...form, start_date: '2026-03-08', end_date: '2026-03-08' });

    expect(config.settings).toMatchObject({
      start_date: '2026-03-08 00:00:00',
      end_date: '2026-03-08 23:59:59',
    });
    expect(config.to - config.from).toBe(23 * 3_600_000 - 1); // the clock goes forward that night
  });

  it('takes the last day there is', () => {
    expect(read({ ...form, end_date: '9999-12-31' })).toMatchObject({
      to: Date.UTC(9999, 11, 31) + 29 * 3_600_000 - 1,
      settings: { end_date: '9999-12-31 23:59:59' },
    });
  });

  it('keeps a method under its one key', () => {
    expect(read(form).payout_method).toBe('manual');
    expect(read({ ...form, payout_method: ' paypal-csv ' }).payout_method).toBe('paypal');
  });

  it('reads ids as a form sends them', () => {
    expect(read({ ...form, affiliate_ids: ['3', 1, '3'] }).affiliate_ids).toEqual([1, 3]);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['no config', undefined, { config: 'required' }],
    ['a text as config', 'x', { config: 'required' }],
    ['an empty config', {}, { title: 'required', description: 'required' }],
    ['a long title', { ...form, title: 'x'.repeat(193) }, { title: 'max' }],
    ['a long description', { ...form, description: 'x'.repeat(5001) }, { description: 'max' }],
    ['an object as title', { ...form, title: {} }, { title: 'string' }],
    ['a text as minimum', { ...form, min_payout: 'ten' }, { min_payout: 'numeric' }],
    ['a negative minimum', { ...form, min_payout: -1 }, { min_payout: 'min' }],
    ['a start that is no date', { ...form, start_date: 'yesterday' }, { start_date: 'date' }],
    ['an end that is no date', { ...form, end_date: '2026-02-30' }, { end_date: 'date' }],
    ['ids that are none', { ...form, affiliate_ids: ['x'] }, { affiliate_ids: 'array' }],
    ['a blank id', { ...form, affiliate_ids: ['3', ''] }, { affiliate_ids: 'empty' }],
    [
      'too many ids',
      { ...form, affiliate_ids: Array.from({ length: 5001 }, (_, at) => at + 1) },
      { affiliate_ids: 'max' },
    ],
    ['an unknown method', { ...form, payout_method: 'pigeon' }, { payout_method: 'in' }],
    ['a list as method', { ...form, payout_method: ['paypal'] }, { payout_method: 'in' }],
    ['an unknown currency', { ...form, currency: 'ZZZ' }, { currency: 'in' }],
  ])('refuses %s', (_label, config, rules) => {
    expect(fieldsOf(config)).toEqual(rules);
  });

  it('answers a start after the end by its own code', () => {
    expect(() => read({ ...form, start_date: '2026-02-01', end_date: '2026-01-01' })).toThrow(
      expect.objectContaining({ code: 'invalid_date_range' }),
    );
  });

  it("never goes below the operator's minimum", () => {
    expect(read({ ...form, min_payout: 5 }, { floor: 20 }).min_payout_minor).toBe(2000);
    expect(read({ ...form, min_payout: '25.005' }, { floor: 20 }).min_payout_minor).toBe(2501);
  });
});

describe('IBAN in free text', () => {
  it.each([
    ['Acme Ltd\nIBAN: DE89 3704 0044 0532 0130 00 BIC COBADEFF', 'DE89370400440532013000'],
    ['gb82-west-1234-5698-7654-32', 'GB82WEST12345698765432'],
    ['account 12345, sort code 00-11-22', null],
    ['DE88370400440532013000', null],
  ])('%j', (text, iban) => {
    expect(findIban(text)).toBe(iban);
  });
});

describe('payment files', () => {
  const payout: Payout = {
    id: 5,
    created_by: 1,
    total_amount_minor: minor(5000),
    payout_method: 'manual',
    status: 'processing',
    currency: 'USD',
    title: 'January, part 1',
    description: null,
    settings: null,
    created_at: NOW,
    updated_at: NOW,
  };
  const line = (id: number, over: Partial<PaymentLine> = {}): PaymentLine => ({
    transaction: { id, payout_id: 5, affiliate_id: id, total_amount_minor: minor(5000) } as PayoutTransaction,
    user_id: id,
    affiliate_name: 'Jo Doe',
    email: 'jo@x.org',
    paid_to: 'jo@x.org',
    payee_changed: false,
    payment_email: 'pay@x.org',
    bank_details: '',
    amount: '50.00',
    currency: 'USD',
    ...over,
  });

  it('gives PayPal headerless lines', async () => {
    const file = await paypalMethod.prepare({ payout, lines: [line(41)] });

    expect(filePart(file, 1)).toMatchObject({
      name: 'payout_5_paypal.csv',
      text: 'pay@x.org,50.00,USD,P5-T41,"January, part 1",PAYPAL\n',
      parts: 1,
    });
  });

  it('splits at the 5,000 lines PayPal takes', async () => {
    const file = await paypalMethod.prepare({
      payout,
      lines: Array.from({ length: 5001 }, (_, at) => line(at + 1)),
    });

    const last = filePart(file, 2);
    expect(last).toMatchObject({ name: 'payout_5_paypal_2.csv', parts: 2 });
    expect(last.text.trim().split('\n')).toHaveLength(1);
  });

  it('lists bank transfers with the IBAN it finds', async () => {
    const file = await bankMethod.prepare({
      payout,
      lines: [line(1, { bank_details: '=DE89370400440532013000' })],
    });

    const [head, first, ...rest] = filePart(file, 1).text.trim().split('\n');
    expect(head).toBe(
      'name,recipientEmail,paymentReference,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN,bankDetails',
    );
    expect(first).toBe(
      "Jo Doe,jo@x.org,P5-T1,target,50.00,USD,USD,DE89370400440532013000,'=DE89370400440532013000",
    );
    expect(rest).toEqual([]);
  });

  it('knows who cannot be paid this way', () => {
    const lines = [line(1), line(2, { payment_email: '', bank_details: 'x' })];
    const ids = (list: readonly PaymentLine[]): number[] => list.map(({ transaction }) => transaction.id);

    expect(ids(splitLines(paypalMethod, lines).leftOut)).toEqual([2]);
    expect(ids(splitLines(bankMethod, lines).payable)).toEqual([2]);
    expect(ids(splitLines(manualMethod, lines).payable)).toEqual([1, 2]);
  });

  it('has one part when it is a document, and no other', () => {
    const document = { kind: 'document', name: 'pain.xml', contentType: 'text/xml', text: '<x/>' } as const;

    expect(filePart(document, 1)).toEqual({
      name: 'pain.xml',
      contentType: 'text/xml',
      text: '<x/>',
      parts: 1,
    });
    for (const part of [2, 0])
      expect(() => filePart(document, part)).toThrow(
        expect.objectContaining({ code: 'payment_file_part_not_found', status: 404 }),
      );
  });

  it.each([
    null,
    'text',
    { name: 'x.csv', contentType: 'text/csv', columns: [], rows: [] },
    { kind: 'document', name: 'x', contentType: 'text/xml' },
    { kind: 'csv', name: 'x', contentType: 'text/csv', columns: [], rows: [], maxRows: 0 },
  ])('is refused when a method answers %j', (answer) => {
    expect(() => checkFile(answer)).toThrow(expect.objectContaining({ code: 'payout_method_failed' }));
  });

  it('has a plain list for manual payment', async () => {
    const file = await manualMethod.prepare({ payout, lines: [line(1)] });

    expect(filePart(file, 1).text.trim().split('\n')).toEqual([
      'affiliate_id,name,email,payment_email,amount,currency,reference,paid_to,payee_changed',
      '1,Jo Doe,jo@x.org,pay@x.org,50.00,USD,P5-T1,jo@x.org,no',
    ]);
  });
});
