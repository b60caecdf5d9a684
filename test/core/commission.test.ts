import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';
import { parseAmount, toDecimal } from '../../src/core/money.js';
import {
  computeCommission,
  type CommissionInput,
  type Rate,
} from '../../src/attribution/conversions/commission.js';
import { checkConversion } from '../../src/attribution/conversions/input.js';
import { mailbox } from '../../src/core/mailbox.js';
import type { ItemInput, OrderInput, RateRule } from '../../src/attribution/conversions/types.js';

const percent = (value: number): Rate => ({
  type: 'percentage',
  rate_e4: Math.round(value * 10_000),
  source: 'global',
});
const flat = (value: number): Rate => ({
  type: 'flat',
  rate_e4: Math.round(value * 10_000),
  source: 'affiliate',
});
const rule = (
  id: string,
  type: 'percentage' | 'fixed',
  rate: number,
  kind: RateRule['object_type'] = 'product',
): RateRule => ({ object_type: kind, object_ids: [id], rate_type: type, rate_e4: rate * 10_000 });

interface Case {
  readonly order: OrderInput;
  readonly items?: readonly ItemInput[];
  readonly rate?: Rate;
  readonly rules?: readonly RateRule[];
  readonly tax?: 'yes' | 'no';
  readonly shipping?: 'yes' | 'no';
  readonly discount?: 'yes' | 'no';
}

function compute({
  order,
  items = [],
  rate = percent(20),
  rules = [],
  tax = 'yes',
  shipping = 'yes',
  discount = 'yes',
}: Case): ReturnType<typeof computeCommission> {
  const {
    totals,
    items: checked,
    currency,
  } = checkConversion({ provider: 'shop', reference: '1', order, items }, { currency: 'USD', now: 0 });
  const input: CommissionInput = {
    totals: totals!,
    items: checked,
    currency,
    program_currency: currency,
    rate,
    rules,
    base: { exclude_tax: tax, exclude_shipping: shipping, exclude_discount: discount, include_fees: false },
  };
  return computeCommission(input);
}

const amount = (given: Case): string => toDecimal(compute(given).amount, given.order.currency ?? 'USD');

describe('the commission of an order (docs/tracking.md §8.4)', () => {
  const order = { subtotal: '100', discount: '10', tax: '18', shipping: '5' };
  const item = (id: string, subtotal: string, quantity = 1): ItemInput => ({ id, subtotal, quantity });

  it.each<[string, Case, string]>([
    ['1 goods after discount', { order }, '18.00'],
    ['2 tax and shipping counted', { order, tax: 'no', shipping: 'no' }, '22.60'],
    [
      '3 a rule for one item',
      {
        order: { subtotal: '100' },
        items: [item('A', '60'), item('B', '40')],
        rules: [rule('A', 'percentage', 10)],
      },
      '14.00',
    ],
    [
      '4 a fixed rule once per line, flat rate on the rest',
      {
        order: { subtotal: '100' },
        items: [item('A', '60', 3), item('B', '40')],
        rules: [rule('A', 'fixed', 5)],
        rate: flat(10),
      },
      '15.00',
    ],
    [
      '5 no rest, no flat rate',
      {
        order: { subtotal: '60' },
        items: [item('A', '60')],
        rules: [rule('A', 'percentage', 10)],
        rate: flat(10),
      },
      '6.00',
    ],
    ['6 half a cent up', { order: { subtotal: '10.05' }, rate: percent(10) }, '1.01'],
    ['7', { order: { subtotal: '1.99' }, rate: percent(12.5) }, '0.25'],
    ['8 yen', { order: { subtotal: '1005', currency: 'JPY' }, rate: percent(10) }, '101'],
    ['9 dinar', { order: { subtotal: '10.000', currency: 'KWD' }, rate: percent(12.5) }, '1.250'],
    ['10', { order: { subtotal: '26.75' }, rate: percent(1) }, '0.27'],
    ['11 a rate of 0', { order: { subtotal: '80' }, rate: percent(0) }, '0.00'],
    [
      '14 one rounding for all lines',
      {
        order: { subtotal: '9.99' },
        items: [item('A', '3.33'), item('A', '3.33'), item('A', '3.33')],
        rules: [rule('A', 'percentage', 10)],
      },
      '1.00',
    ],
    ['discount counted as if not given', { order, discount: 'no' }, '20.00'],
    [
      'goods tax only, when shipping is left out',
      { order: { ...order, shipping_tax: '1' }, tax: 'no' },
      '21.60',
    ],
    [
      'tax of shipping with shipping',
      { order: { ...order, shipping_tax: '1' }, tax: 'no', shipping: 'no' },
      '22.80',
    ],
    ['only money received', { order: { subtotal: '100', paid: '60' } }, '12.00'],
    [
      'gift cards earn nothing',
      { order: { subtotal: '100' }, items: [item('A', '60'), { ...item('G', '40'), commissionable: false }] },
      '12.00',
    ],
    [
      'a rule of 0 excludes an item',
      {
        order: { subtotal: '100' },
        items: [item('A', '60'), item('B', '40')],
        rules: [rule('A', 'percentage', 0)],
      },
      '8.00',
    ],
    [
      'the first rule that matches wins',
      {
        order: { subtotal: '60' },
        items: [{ ...item('A', '60'), categories: ['c'] }],
        rules: [rule('c', 'percentage', 5, 'category'), rule('A', 'percentage', 10)],
      },
      '3.00',
    ],
    [
      'order discount spread over items',
      {
        order: { subtotal: '100', discount: '10' },
        items: [item('A', '60'), item('B', '40')],
        rules: [rule('A', 'percentage', 10)],
      },
      '12.60',
    ],
  ])('%s', (_name, given, expected) => expect(amount(given)).toBe(expected));

  it('explains every part, and the parts add up', () => {
    const { explanation, amount: total } = compute({
      order: { subtotal: '100' },
      items: [item('A', '60'), item('B', '40')],
      rules: [rule('A', 'percentage', 10)],
    });

    expect(explanation).toMatchObject({
      level: 'item',
      source: 'global',
      rate: '20%',
      basis: { base_minor: 10_000, counted: ['goods'] },
    });
    expect(explanation.lines).toEqual([
      { item_id: 'A', source: 'product', rate: '10%', base_minor: 6000, amount_minor: 600 },
      { item_id: 'B', source: 'global', rate: '20%', base_minor: 4000, amount_minor: 800 },
    ]);
    expect(explanation.lines.reduce((sum, line) => sum + line.amount_minor, 0)).toBe(total);
  });

  it('marks a flat rate in a foreign currency instead of paying it', () => {
    const { totals, items, currency } = checkConversion(
      { provider: 'shop', reference: '1', order: { subtotal: '100', currency: 'EUR' } },
      { currency: 'USD', now: 0 },
    );
    const base = {
      exclude_tax: 'yes',
      exclude_shipping: 'yes',
      exclude_discount: 'yes',
      include_fees: false,
    } as const;

    expect(
      computeCommission({ totals: totals!, items, currency, program_currency: 'USD', rate: flat(5), base }),
    ).toMatchObject({ amount: 0, mismatch: true });
  });

  it('is never lost or invented by its lines', () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ cents: fc.integer({ min: 0, max: 1_000_000 }), rated: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 0, max: 5000 }),
        (lines, rateE4, off) => {
          const sum = lines.reduce((total, line) => total + line.cents, 0);
          const { amount: total, explanation } = compute({
            order: { subtotal: { minor: sum }, discount: { minor: Math.min(off, sum) } },
            rate: { type: 'percentage', rate_e4: rateE4, source: 'global' },
            items: lines.map((line, at) => ({
              id: line.rated ? 'A' : `B${at}`,
              subtotal: { minor: line.cents },
            })),
            rules: [rule('A', 'percentage', 7)],
          });
          expect(explanation.lines.reduce((part, line) => part + line.amount_minor, 0)).toBe(total);
          expect(total).toBeLessThanOrEqual(sum * 1.01);
        },
      ),
    ));
});

describe('money and names as shops write them', () => {
  it.each([
    ['1e2', 10_000],
    ['12.345', 1235],
    [0.1, 10],
    [{ minor: 250 }, 250],
  ])('reads %p', (given, expected) => {
    expect(parseAmount(given, 'USD')).toBe(expected);
  });

  it.each([
    ['Alice+shop@Example.com', 'alice@example.com'],
    ['a.l.i.c.e@googlemail.com', 'alice@gmail.com'],
    ['a.b@example.com', 'a.b@example.com'],
    ['nobody', null],
  ])('the mailbox behind %p is %p', (given, expected) => expect(mailbox(given)).toBe(expected));
});
