import { deepStrictEqual, throws } from 'node:assert';
import { Ajv } from 'ajv';
import { expect, it } from '@jest/globals';
import { Type } from '../../src/core/type.js';
import { AffiliateError, FieldCheck } from '../../src/errors.js';
import { addKeywords } from '../../src/platform/http/keywords.js';
import { affiliates } from '../../src/program/affiliates/record.js';
import { apiKeys } from '../../src/program/api-keys/record.js';
import { entries } from '../../src/program/audit/record.js';
import { claimed } from '../../src/program/outbox/record.js';
import { creatives } from '../../src/attribution/creatives/record.js';
import { orderFacts, orders } from '../../src/accounting/orders/record.js';
import { customers } from '../../src/accounting/customers/record.js';
import { sites } from '../../src/channels/connected-sites/record.js';
import { deliveries as shopDeliveries } from '../../src/channels/commerce/record.js';
import { deliveries, endpoints, events } from '../../src/channels/webhooks/record.js';
import { fraudEvents } from '../../src/attribution/fraud/record.js';
import { groups } from '../../src/program/groups/record.js';
import { links } from '../../src/attribution/links/record.js';
import { payouts, transactions } from '../../src/accounting/payouts/record.js';
import { clicks, commissions } from '../../src/channels/portal/record.js';
import { referrals } from '../../src/accounting/referrals/record.js';
import { visits } from '../../src/accounting/visits/record.js';
import { SEED, seeded } from '../support/seed.js';

// What holds for every row a database may give back, and for every form somebody may send.

const ROWS = 5000;
type Plain = Readonly<Record<string, unknown>>;
interface Codec {
  readonly columns: readonly string[];
  readonly wire: Readonly<Record<string, Plain>>;
  fromRow(row: Record<string, unknown>): object;
  toRow(values: object): Record<string, unknown>;
  present(values: object, currency?: string): object;
}

const ajv = new Ajv({ strict: false });
addKeywords(ajv);

const random = seeded(SEED);
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;

const TEXTS = ['', ' ', 'x', 'a%b_c\\d', '0', '17', "O'Neil", '<b>&amp;</b>', 'Grüße', '日本', '🙂', 'a\nb'];
const MAPS = ['{}', '{"a":1}', '{"nested":{"list":[1,"b",null]}}', '{"rate":12.5,"status":"active"}'];
const CURRENCIES = ['USD', 'JPY', 'KWD', 'EUR'];

/** Large numbers come as text from some drivers. */
const whole = (most: number): number | string => {
  const number = below(most);
  return random() < 0.5 ? number : String(number);
};

/** What columns with JSON may contain. */
const JSON_TEXTS: Readonly<Record<string, readonly string[]>> = {
  products: ['[]', '[{"title":"A","total":"5.00"}]'],
  evidence: ['{}', '{"site":"coupons.test"}', '{"seconds":3}'],
  rights: ['[]', '["read_all_referrals"]', 'broken'],
  events: ['[]', '["*"]', '["referral.created","visit.created"]', 'broken'],
  settings: MAPS,
  custom_fields: MAPS,
  value: MAPS,
  meta: MAPS,
  before: MAPS,
  after: MAPS,
  data: MAPS,
  previous: MAPS,
  payload: MAPS,
  terms: ['{}', '{"amount_minor":1000,"lines":[]}', 'broken'],
  draft: ['{}', '{"amount_minor":1000}', 'broken'],
  click: ['{"at":1768489200000}', 'broken'],
  reasons: ['[]', '["unpaid_order","fraud:own"]', 'broken'],
  open_causes: ['[]', '["manual manual:1"]', 'broken'],
  event: ['{"type":"order"}', '{"raw":"<xml"}', 'broken'],
};

/** The words of a closed list, whether or not the column may be empty. */
const wordsOf = (schema: Plain = {}): readonly string[] | undefined =>
  (schema['enum'] ?? (schema['anyOf'] as readonly Plain[] | undefined)?.[0]?.['enum']) as
    readonly string[] | undefined;

/** Values as a database may give them back for a column, from what answers say the column is. */
function storedAs(column: string, schema: Plain | undefined): () => unknown {
  const text = JSON.stringify(schema ?? {});
  const orNone = (value: () => unknown): (() => unknown) =>
    text.includes('"null"') ? () => (random() < 0.3 ? null : value()) : value;
  const words = wordsOf(schema);
  if (words !== undefined) return orNone(() => pick(words));
  if (/_(?:minor|e4)$/u.test(column)) return orNone(() => whole(Number.MAX_SAFE_INTEGER));
  if (/(?:^|_)(?:at|since|until)$/u.test(column)) return orNone(() => whole(4_102_444_800_000));
  const texts = JSON_TEXTS[column];
  if (texts) return () => pick([null, ...texts]);
  const isNumber = text.includes('"type":"integer"') || ['failures', 'paid_elsewhere'].includes(column);
  return orNone(() => (isNumber ? whole(1_000_000) : pick(TEXTS)));
}

const wireName = (column: string): string => column.replace(/_(?:minor|e4)$/u, '');

const RECORDS = {
  affiliates,
  apiKeys,
  claimed,
  commissions,
  clicks,
  creatives,
  customers,
  deliveries,
  endpoints,
  entries,
  events,
  fraudEvents,
  groups,
  links,
  orderFacts,
  orders,
  payouts,
  referrals,
  shopDeliveries,
  sites,
  transactions,
  visits,
};

it.each(Object.entries(RECORDS))(
  '%s: a row becomes the answer its schema says, and the same row',
  (_name, given) => {
    const record = given as unknown as Codec; // each with the types of its own columns
    const isAnswer = ajv.compile(Type.Object(record.wire as never, { additionalProperties: false }));
    const columns = record.columns.map(
      (column) => [column, storedAs(column, record.wire[wireName(column)])] as const,
    );
    for (let at = 0; at < ROWS; at += 1) {
      const row = Object.fromEntries(columns.map(([column, value]) => [column, value()]));
      const values = record.fromRow(row);
      const answer = record.present(values, pick(CURRENCIES));

      if (!isAnswer(answer))
        throw new Error(JSON.stringify({ row, answer, problems: isAnswer.errors }, null, 1));
      deepStrictEqual(record.fromRow(record.toRow(values)), values);
    }
  },
);

const isRefusal = (error: unknown): boolean =>
  error instanceof AffiliateError && error.code === 'validation_failed';

const SAID: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  -1,
  0,
  3,
  12.5,
  1e12,
  Number.NaN,
  ...TEXTS,
  'active',
  'flat',
  'group',
  'jo@example.test',
  'not an address',
  'own-name',
  'x'.repeat(20_000),
  [],
  ['active'],
  {},
  { toString: 'no function' },
];

it('affiliates: a form is refused with the fields that are wrong, or becomes a row', () => {
  const names = Object.keys(affiliates.form);
  const current = affiliates.fromRow({
    ...Object.fromEntries(affiliates.columns.map((column) => [column, null])),
    status: 'active',
    rate_type: 'default',
    total_earnings_minor: 0,
    unpaid_earnings_minor: 0,
  });
  let stands = 0;
  for (let at = 0; at < ROWS; at += 1) {
    // Most fields are silent, so that some forms are accepted.
    const form: Plain = Object.fromEntries(
      names.flatMap((name) => (random() < 0.3 ? [[name, pick(SAID)]] : [])),
    );
    const check = new FieldCheck();
    const columns = affiliates.readForm(check, form).values(current, {});

    if (!check.isEmpty) {
      throws(() => {
        check.throwIfAny();
      }, isRefusal);
      continue;
    }
    stands += 1;
    const values = { ...current, ...columns };
    const read = affiliates.fromRow(affiliates.toRow(values));
    deepStrictEqual(
      [read.status, read.note, read.payment_email],
      [columns.status, columns.note, columns.payment_email],
    );
    for (const [column, value] of Object.entries(affiliates.editable(current)))
      if (form[wireName(column)] === undefined) deepStrictEqual((columns as Plain)[column], value, column);
  }
  expect(stands).toBeGreaterThan(ROWS / 20);
});
