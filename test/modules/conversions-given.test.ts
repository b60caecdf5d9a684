import { expect, it } from '@jest/globals';
import type { ConversionInput } from '../../src/index.js';
import { orderKey } from '../../src/core/order-key.js';
import { startShop } from '../support/shop.js';

it.each([
  [
    'a misspelled discount',
    { order: { subtotal: '100.00', discont: '10.00' } },
    { 'order.discont': 'unknown_key' },
  ],
  ['a currency beside the order', { currency: 'EUR' }, { currency: 'unknown_key' }],
  ['a misspelled status', { statsu: 'unpaid' }, { statsu: 'unknown_key' }],
  [
    'an item with a price',
    { items: [{ id: 1, subtotal: '100.00', dicount: '1.00' }] },
    { 'items.0.dicount': 'unknown_key' },
  ],
  [
    'a misspelled phase of a subscription',
    { subscription: { id: 'S', fase: 'renewal' } },
    { 'subscription.fase': 'unknown_key' },
  ],
  [
    'a misspelled rate in its rules',
    { rules: [{ object_type: 'product', object_ids: [1], rate_type: 'fixed', rate_e4: 1, rat_e4: 2 }] },
    { 'rules.0.rat_e4': 'unknown_key' },
  ],
  ['a fraction of a cent', { order: { subtotal: '100.005' } }, { 'order.subtotal': 'decimals' }],
  ['an amount computed in floats', { order: { subtotal: 0.1 + 0.2 } }, { 'order.subtotal': 'decimals' }],
  [
    'decimals where the currency has none',
    { order: { subtotal: '100.5', currency: 'JPY' } },
    { 'order.subtotal': 'decimals' },
  ],
  ['a commission of parts of a cent', { commission: '1.001' }, { commission: 'decimals' }],
])('an order with %s is refused by name', async (_, change, fields) => {
  const t = await startShop();
  const sent = { ...t.order(), ...change } as ConversionInput;
  await expect(t.service.conversions.record(null, sent)).rejects.toMatchObject({
    code: 'validation_failed',
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, rule]) => [field, { [rule]: expect.any(String) }]),
    ),
  });
  expect(await t.app.referrals.findByKey(orderKey('shop', 'A-1'))).toBeNull();
});

it.each([
  ['refund', [{ refund_id: 'R', amount: '10.00', undon: true }], { undon: 'unknown_key' }],
  [
    'refund',
    [{ refund_id: 'R', items: [{ id: 1, subtotal: '10.00', taks: '1.00' }] }],
    { 'items.0.taks': 'unknown_key' },
  ],
  ['cancel', ['cancelled'], { reason: 'in' }],
  ['dispute', ['opend'], { state: 'in' }],
] as const)('a misspelled word is no fact of an order: %s %j', async (method, words, fields) => {
  const t = await startShop();
  const { referral } = await t.service.conversions.record(null, t.order());
  const tell = t.service.conversions[method] as (...given: unknown[]) => Promise<unknown>;
  await expect(tell('shop', { reference: 'A-1' }, ...words)).rejects.toMatchObject({
    code: 'validation_failed',
    fields: Object.fromEntries(
      Object.entries(fields).map(([field, rule]) => [field, { [rule]: expect.any(String) }]),
    ),
  });
  const { timeline } = (await t.service.referrals.explain(referral!.id))!;
  expect(timeline.map(({ kind }) => kind).toSorted()).toEqual(['order', 'payment']);
});

it('trailing zeros are no decimals, and all customer fields of a form are accepted', async () => {
  const t = await startShop();
  const { referral } = await t.service.conversions.record(null, {
    ...t.order({ order: { subtotal: '100.0000', discount: 10, currency: 'usd' } }),
    customer: { email: 'jo@shop.test', newsletter: 'yes' },
  } as ConversionInput);
  expect(referral).toMatchObject({ amount: 18 });
});

it('names an unknown key, and suggests only similar ones', async () => {
  const t = await startShop();
  const messageOf = async (change: object): Promise<string> =>
    t.service.conversions.record(null, { ...t.order(), ...change }).then(
      () => 'recorded',
      (error: Error) => error.message,
    );
  expect(await messageOf({ foo: 1 })).toMatch(/^foo is not a known key\. Known keys: provider, reference,/);
  expect(await messageOf({ currency: 'EUR' })).toBe(
    'currency is not a known key; did you mean order.currency?',
  );
  expect(await messageOf({ order: { subtotal: 1, discont: 1 } })).toBe(
    'order.discont is not a known key; did you mean order.discount?',
  );
  expect(await messageOf({ '<b>': 1 })).toMatch(/^There is an unknown key\./);
});

it('explains how to call record when the request is missing', async () => {
  const t = await startShop();
  const record = t.service.conversions.record as (...given: unknown[]) => Promise<unknown>;
  for (const given of [[t.order()], [undefined, t.order()], [null], [{ headers: {} }, 'order']])
    await expect(record(...given)).rejects.toThrow('conversions.record(req, order): pass the request');
  await expect(record(new Request('https://shop.test/'), t.order())).rejects.toThrow('plainRequest(request)');
});

it.each([
  ['refund', [{ provider: 'shop', reference: 'A', amount: '1.00' }], 'provider'],
  ['refund', ['shop', { reference: 'A', amount: '1.00' }], 'key.amount'],
  ['refund', ['shop', 'A'], 'input'],
  ['refund', ['shop', 'A', '1.00'], 'input'],
  ['complete', ['shop'], 'key'],
  ['complete', [{ provider: 'shop', reference: 'A' }], 'provider'],
  ['cancel', [{ provider: 'shop', reference: 'A' }], 'provider'],
] as const)('explains what is wrong with the call %s(…%j)', async (method, given, field) => {
  const t = await startShop();
  const call = t.service.conversions[method] as (...all: unknown[]) => Promise<unknown>;
  const error = await call(...given).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'validation_failed', message: expect.stringMatching(/^.{20,}[.?]$/) });
  expect(Object.keys((error as { fields: object }).fields)).toContain(field);
});
