import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import type { CommerceProvider, Delivery } from '../../adapters/commerce.js';
import {
  fromDecimal,
  fromVendorMinor,
  shopify,
  standardProvider,
  stripe,
  STRIPE_DIGITS,
  woo,
} from '../../adapters/index.js';
import { parseBigJson } from '../../src/core/big-json.js';

const delivery = (body: string, headers: Readonly<Record<string, string>>): Delivery => ({
  body: Buffer.from(body),
  json: parseBigJson(Buffer.from(body)),
  header: (name) => headers[name.toLowerCase()],
});
const verdict = (provider: CommerceProvider, given: Delivery, seconds = 1_700_000_000): unknown =>
  provider.webhook?.verify(given, seconds * 1000);
const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('signatures of the vendors', () => {
  it.each([
    [
      'stripe',
      stripe({ secrets: ['whsec_test'] }),
      '{"id":"evt_1","object":"event"}',
      {
        'stripe-signature':
          't=1700000000,v1=4c15fb2a43f93ef61eaa3e0893866d57cad9cad4223242cfb96f362480cb4021',
      },
    ],
    [
      'woo',
      woo({ secrets: ['s3cr3t-of-woo'], stores: ['https://woo.test'] }),
      '{"id":727,"status":"processing","total":"59.00"}',
      { 'x-wc-webhook-signature': 'Lbv7/SQzA2CnzNnxx8pnWnI7xZOGPpD7CMTIDMoVDgY=' },
    ],
    [
      'shopify',
      shopify({ secrets: ['hush-hush'] }),
      '{"id":820982911946154508,"currency":"USD"}',
      { 'x-shopify-hmac-sha256': 'bXaF9G/nQ3WkGxs5M9wfSH1q7N3AZB57L28u3/JNbdo=' },
    ],
    [
      'shopify without X-',
      shopify({ secrets: ['hush-hush'] }),
      '{"id":820982911946154508,"currency":"USD"}',
      { 'shopify-hmac-sha256': 'bXaF9G/nQ3WkGxs5M9wfSH1q7N3AZB57L28u3/JNbdo=' },
    ],
    [
      'standard',
      standardProvider({ key: 'own', secrets: [STANDARD] }),
      '{"type":"order.paid"}',
      {
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1700000000',
        'webhook-signature': 'v1,bqRUZIjvFlut7xy6KoKOMxRt1gK9JS46+FXNrWIaO8c=',
      },
    ],
  ])('are accepted: %s', (_, provider, body, headers) => {
    expect(verdict(provider, delivery(body, headers))).toEqual({ ok: true });
    expect(verdict(provider, delivery(`${body} `, headers))).toMatchObject({ ok: false });
  });

  it("are those of the vendor's own library", () => {
    const payload = '{"id":"evt_9","note":"Grüße 😀"}';
    const header = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: 'whsec_abc',
      timestamp: 1_700_000_000,
    });
    expect(
      verdict(
        stripe({ secrets: ['whsec_old', 'whsec_abc'] }),
        delivery(payload, { 'stripe-signature': header }),
      ),
    ).toEqual({ ok: true });
    const signature = new Webhook(STANDARD).sign('msg_7', new Date(1_700_000_000_000), payload);
    expect(
      verdict(
        standardProvider({ key: 'own', secrets: [STANDARD] }),
        delivery(payload, {
          'webhook-id': 'msg_7',
          'webhook-timestamp': '1700000000',
          'webhook-signature': `v1,AAAA ${signature}`,
        }),
      ),
    ).toEqual({ ok: true });
  });

  it('count several while a secret is rolled, and only of our scheme', () => {
    const good = '4c15fb2a43f93ef61eaa3e0893866d57cad9cad4223242cfb96f362480cb4021';
    const check = (header: string): unknown =>
      verdict(
        stripe({ secrets: ['whsec_test'] }),
        delivery('{"id":"evt_1","object":"event"}', { 'stripe-signature': header }),
      );
    expect(check(`t=1700000000,v1=${'0'.repeat(64)},v1=${good}`)).toEqual({ ok: true });
    expect(check(`t=1700000000,v0=${good}`)).toMatchObject({ ok: false, status: 400 });
  });

  it('are never made with an empty key', () => {
    expect(() => stripe({ secrets: [] })).toThrow(/at least one secret/);
    for (const nothing of [undefined, null, 'whsec_all_as_text', {}, []])
      for (const make of [
        stripe,
        shopify,
        (options: never) => standardProvider(Object.assign({ key: 'own' }, options)),
      ])
        expect(() => make({ secrets: nothing } as never)).toThrow(
          /`secrets` must be a list with at least one secret/,
        );
    for (const short of ['', '   ', 'short', undefined, 12_345_678])
      expect(() => stripe({ secrets: ['whsec_test', short] as never })).toThrow(
        /`secrets\[1\]` is no text, blank or shorter/,
      );
    expect(() => woo({ secrets: ['a-secret'], stores: [] })).toThrow(/at least one shop/);
    const own = standardProvider({ key: 'own', secrets: () => ['whsec_', ''] });
    const signature = new Webhook(Buffer.alloc(1), { format: 'raw' }).sign(
      'm',
      new Date(1_700_000_000_000),
      '{}',
    );
    expect(
      verdict(
        own,
        delivery('{}', {
          'webhook-id': 'm',
          'webhook-timestamp': '1700000000',
          'webhook-signature': signature,
        }),
      ),
    ).toMatchObject({ ok: false });
  });
});

describe('amounts of the vendors', () => {
  it.each([
    ['ISK', 150000, 1500],
    ['UGX', 500, 5],
    ['KWD', 10000, 10000],
    ['JPY', 1005, 1005],
    ['USD', 1005, 1005],
    ['HUF', 1000, 1000],
    ['TWD', 1000, 1000],
    ['MGA', 500, 50000],
    ['VND', 7, 7],
  ])('in %s', (currency, vendor, minor) => {
    expect(fromVendorMinor(vendor, currency, STRIPE_DIGITS)).toBe(minor);
  });

  it.each([
    ['59.00', 'USD', 5900],
    ['1.005', 'USD', 101],
    ['1005', 'JPY', 1005],
    ['0.5', 'JPY', 1],
    ['10.0005', 'KWD', 10001],
    [undefined, 'USD', 0],
    ['', 'USD', 0],
  ])('as text: %s %s', (text, currency, minor) => {
    expect(fromDecimal(text, currency)).toBe(minor);
  });

  it.each(['x', '1,00', {}, Number.NaN, '1e400'])('that are none: %s', (value) => {
    expect(() => fromDecimal(value, 'USD')).toThrow(TypeError);
    expect(() => fromVendorMinor(1.5, 'USD')).toThrow(TypeError);
  });
});

describe('long numbers', () => {
  it('stay what they are, and digits in texts too', () => {
    expect(
      parseBigJson(
        Buffer.from(
          '{"id":820982911946154508,"n":-9007199254740993,"small":123,"x":1.2345678901234567890,"note":"820982911946154508 \\" 9999999999999999"}',
        ),
      ),
    ).toEqual({
      id: '820982911946154508',
      n: '-9007199254740993',
      small: 123,
      x: 1.2345678901234567,
      note: '820982911946154508 " 9999999999999999',
    });
    expect(parseBigJson(Buffer.from('\uFEFF[1]'))).toEqual([1]);
    expect(parseBigJson(Buffer.from('{"a":'))).toBeUndefined();
  });
});
