import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { parseBigJson } from '../../src/core/big-json.js';
import type { CommerceProvider, Delivery, ProviderEvent, ProviderOrder, WebhookSource } from '../commerce.js';
import type { TestApi } from './test-api.js';

type Headers = Readonly<Record<string, string>>;

/** A delivery as the vendor sends it, and the events expected from it. */
export interface CommerceFixture {
  readonly name: string;
  /** JSON text, or a value that is written as JSON. */
  readonly body: unknown;
  readonly headers?: Headers;
  /** What the events must contain; more fields are fine. */
  readonly expected?: readonly object[];
  /**
   * Paths of the fields without which nothing can be read, e.g. `data.object.currency`; all others may be
   * missing.
   */
  readonly required?: readonly string[];
}

export interface CommerceSubject {
  /** The provider under test, with these secrets. */
  readonly provider: (secrets: readonly string[]) => CommerceProvider;
  readonly secrets: readonly [string, string];
  /** Headers of a delivery signed with this secret at this time. */
  readonly sign: (body: Buffer, secret: string, nowMs: number) => Headers;
  readonly signatureHeader: string;
  readonly status: 400 | 401;
  /** The scheme signs a time and accepts it for 300 seconds. */
  readonly timed: boolean;
  readonly fixtures: readonly CommerceFixture[];
  /** A signed delivery whose topic is not used. */
  readonly unknown: CommerceFixture;
}

const NOW = 1_700_000_000_000;

/** Tests a provider: `commerceContract({ describe, it }, 'our shop', subject)`. */
export function commerceContract(api: TestApi, name: string, subject: CommerceSubject): void {
  api.describe(`commerce provider: ${name}`, () => {
    for (const [title, check] of Object.entries({ ...SIGNATURE, ...(subject.timed ? TIMED : {}) }))
      api.it(title, async () => check(new Bench(subject)));
    for (const fixture of subject.fixtures) {
      for (const [title, check] of Object.entries(READING))
        api.it(`${fixture.name}: ${title}`, async () => check(new Bench(subject), fixture));
    }
    api.it('finds nothing in a topic of no interest', async () =>
      deepStrictEqual(new Bench(subject).parse(subject.unknown), []),
    );
  });
}

/** One provider, and what its checks need. */
class Bench {
  readonly source: WebhookSource;
  readonly body: Buffer;

  constructor(readonly subject: CommerceSubject) {
    const { webhook } = subject.provider([subject.secrets[0]]);
    ok(webhook, 'the provider has no webhook');
    this.source = webhook;
    this.body = bytesOf(subject.fixtures[0]?.body ?? {});
  }

  signed(body: Buffer, more: { secret?: string; at?: number } = {}): Headers {
    const first = this.subject.fixtures[0];
    return {
      ...first?.headers,
      ...this.subject.sign(body, more.secret ?? this.subject.secrets[0], more.at ?? NOW),
    };
  }

  verify(body: Buffer, headers: Headers, source = this.source): boolean {
    const verdict = source.verify(deliveryOf(body, headers), NOW);
    if (!verdict.ok) strictEqual(verdict.status, this.subject.status);
    return verdict.ok;
  }

  parse(fixture: CommerceFixture): readonly ProviderEvent[] {
    const body = bytesOf(fixture.body);
    return this.source.parse(
      deliveryOf(body, { ...fixture.headers, ...this.subject.sign(body, this.subject.secrets[0], NOW) }),
    );
  }
}

const bytesOf = (body: unknown): Buffer =>
  Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

function deliveryOf(body: Buffer, headers: Headers): Delivery {
  const known = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { body, json: parseBigJson(body), header: (name) => known.get(name.toLowerCase()) };
}

type Check = (bench: Bench) => void;

const SIGNATURE: Readonly<Record<string, Check>> = {
  'accepts its own signature': (bench) => ok(bench.verify(bench.body, bench.signed(bench.body))),
  'refuses a body with one byte changed': (bench) => {
    const headers = bench.signed(bench.body);
    for (const at of [0, Math.floor(bench.body.length / 2), bench.body.length - 1]) {
      const changed = Buffer.from(bench.body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      ok(!bench.verify(changed, headers));
    }
  },
  'refuses another secret': (bench) =>
    ok(!bench.verify(bench.body, bench.signed(bench.body, { secret: bench.subject.secrets[1] }))),
  'accepts the second of two secrets': (bench) => {
    const { webhook } = bench.subject.provider(bench.subject.secrets);
    ok(
      webhook &&
        bench.verify(bench.body, bench.signed(bench.body, { secret: bench.subject.secrets[1] }), webhook),
    );
  },
  'refuses a signature that is missing, empty or garbage': (bench) => {
    const { [bench.subject.signatureHeader]: signature = '', ...others } = bench.signed(bench.body);
    notStrictEqual(signature, '');
    ok(!bench.verify(bench.body, others));
    for (const wrong of [
      '',
      'garbage',
      '\u0000',
      signature.slice(0, -4),
      `${signature}AAAA`,
      ',',
      '=',
      'v1,',
      't=,v1=',
    ]) {
      ok(!bench.verify(bench.body, { ...others, [bench.subject.signatureHeader]: wrong }), wrong);
    }
  },
  'signs bytes, not characters': (bench) => {
    for (const body of [Buffer.from('{"note":"Grüße 日本 😀"}'), Buffer.from('\uFEFF{"a":1}')])
      ok(bench.verify(body, bench.signed(body)));
  },
  'gives the same delivery the same key, and another one another': (bench) => {
    const key = (body: Buffer): string => bench.source.deliveryKey(deliveryOf(body, bench.signed(body)));
    strictEqual(key(bench.body), key(bench.body));
    ok(key(bench.body).length > 0);
  },
};

const TIMED: Readonly<Record<string, Check>> = {
  'accepts 300 seconds either way and no more': (bench) => {
    for (const seconds of [-301, -300, 0, 300, 301]) {
      strictEqual(
        bench.verify(bench.body, bench.signed(bench.body, { at: NOW + seconds * 1000 })),
        Math.abs(seconds) <= 300,
        `${seconds} s`,
      );
    }
  },
};

const READING: Readonly<Record<string, (bench: Bench, fixture: CommerceFixture) => void>> = {
  'reads the events': (bench, fixture) => {
    const events = bench.parse(fixture);
    if (!fixture.expected) return;
    strictEqual(events.length, fixture.expected.length);
    for (const [at, expected] of fixture.expected.entries()) contains(events[at], expected, `${at}`);
  },
  'reads twice alike and leaves its input alone': (bench, fixture) => {
    const body = bytesOf(fixture.body);
    const delivery = deliveryOf(body, { ...fixture.headers });
    deepFreeze(delivery.json);
    deepStrictEqual(bench.source.parse(delivery), bench.source.parse(delivery));
    deepStrictEqual(delivery.body, bytesOf(fixture.body));
  },
  'does without any field that may be missing': (bench, fixture) => {
    for (const { path, value } of without(parseBigJson(bytesOf(fixture.body)))) {
      if (fixture.required?.includes(path)) continue;
      try {
        bench.parse({ ...fixture, body: value });
      } catch (cause) {
        throw new Error(`${path} is missing`, { cause });
      }
    }
  },
  'adds up': (bench, fixture) => {
    for (const event of bench.parse(fixture)) if ('order' in event) addsUp(event.order);
  },
};

/** The items add up to the goods, and the parts to what was charged, within one minor unit. */
function addsUp({ items, totals }: ProviderOrder): void {
  if (items.length > 0)
    ok(
      Math.abs(items.reduce((sum, item) => sum + item.net, 0) - totals.goods) <= 1,
      'items do not make up the goods',
    );
  const {
    goods,
    goods_tax: tax,
    shipping,
    shipping_tax: shippingTax,
    fees,
    fees_tax: feesTax,
    grand_total: total,
  } = totals;
  ok(
    Math.abs(goods + tax + shipping + shippingTax + fees + feesTax - total) <= 1,
    'parts do not make up the total',
  );
  ok(
    Object.values(totals).every((amount: number) => Number.isSafeInteger(amount) && amount >= 0),
    'an amount is below zero or no integer',
  );
}

/** Every copy of a payload without one of its fields. */
function* without(value: unknown, path = ''): Generator<{ path: string; value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const name = path === '' ? key : `${path}.${key}`;
    const { [key]: inner, ...rest } = value as Record<string, unknown>;
    const copy = (replacement?: unknown): unknown => {
      if (!Array.isArray(value)) return replacement === undefined ? rest : { ...value, [key]: replacement };
      return replacement === undefined
        ? value.filter((_, at) => String(at) !== key)
        : value.with(Number(key), replacement);
    };
    yield { path: name, value: copy() };
    for (const deeper of without(inner, name)) yield { path: deeper.path, value: copy(deeper.value) };
  }
}

function contains(actual: unknown, expected: unknown, path: string): void {
  if (typeof expected !== 'object' || expected === null) {
    strictEqual(actual, expected, path);
    return;
  }
  if (Array.isArray(expected))
    strictEqual((actual as unknown[] | undefined)?.length, expected.length, `${path}.length`);
  for (const [key, value] of Object.entries(expected))
    contains((actual as Record<string, unknown> | undefined)?.[key], value, `${path}.${key}`);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
}
