import { fc } from './random.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { typesOf, type Schema } from '../../src/platform/http/normalize.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';

export type Encoding = 'json' | 'form' | 'parts' | 'raw';

/** Stands for the caller with an API key of the administrator. */
export const KEY_CALLER = 6;
export const BOUNDARY = 'part';

export interface RandomRequest {
  readonly route: string;
  readonly path: string;
  readonly method: string;
  readonly user: number;
  readonly encoding: Encoding;
  readonly query: readonly (readonly [string, string])[];
  readonly body: unknown;
  readonly raw: string;
  readonly headers: Readonly<Record<string, string>>;
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    'yes',
    'no',
    'null',
    'all',
    'active',
    'pending',
    'unpaid',
    'rejected',
    'ASC',
    'id',
    'a@b.test',
    'https://x.test/',
    '2026-01-15',
    '1e400',
    '99999999999.99',
    '1.005',
    "' or 1=1 --",
    '%',
    '_',
    '\\',
    '=1+1',
    '<script>alert(1)</script>',
    '\u0000',
    '\uD800',
    '__proto__',
    'id:1',
    'amount=5',
    'x'.repeat(300),
  ),
);
const number = fc.oneof(
  fc.integer({ min: -2, max: 5 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1e308, 2 ** 53, 99_999_999_999.99, 0.005, 1.00005),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const junk: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/** Mostly a value of the schema's type, now and then anything. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk });
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueOf));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.flag) return fc.constantFrom('yes', 'no', true, 0, 'true');
  if (schema.lenient) return fc.oneof(fc.integer({ min: 0, max: 5 }), text);
  const types = typesOf(schema);
  if (types.includes('object')) return record(schema);
  if (types.includes('array')) return fc.array(valueOf(schema.items ?? {}), { maxLength: 5 });
  if (types.includes('string')) return text;
  if (types.includes('boolean')) return fc.boolean();
  return types.length === 0 ? junk : number;
}

function record(schema: unknown): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueOf(inner)])),
    {
      requiredKeys: required.filter((name) => name in properties),
    },
  );
  const unknown = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(text, junk, { maxKeys: 3 }) },
  );
  return fc.tuple(known, unknown).map(([mine, more]) => ({ ...more, ...mine }));
}

function address(path: string): fc.Arbitrary<string> {
  const id = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }).map(String) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0',
        '999999',
        '9007199254740991',
        '9'.repeat(30),
        '-1',
        'abc',
        '1.5',
        '%zz',
        '%00',
        '..',
        'export',
        "1'",
      ),
    },
  );
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => (segment.startsWith(':') ? id : fc.constant(segment)));
  return fc
    .tuple(
      ...segments,
      fc.oneof(
        { weight: 20, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom('/', '//') },
      ),
    )
    .map((parts) => `/${parts.slice(0, -1).join('/')}${parts.at(-1)}`);
}

const query = (schema: unknown): fc.Arbitrary<[string, string][]> =>
  fc
    .tuple(record(schema ?? {}), fc.array(fc.tuple(text, text), { maxLength: 2 }))
    .map(([fields, more]) => [...flatten(fields), ...more]);

/** Fields in bracket notation, as forms and query strings carry them. */
export function flatten(fields: unknown, prefix = ''): [string, string][] {
  if (typeof fields !== 'object' || fields === null) return prefix === '' ? [] : [[prefix, plain(fields)]];
  return Object.entries(fields).flatMap(([key, value]) =>
    flatten(value, prefix === '' ? key : `${prefix}[${Array.isArray(fields) ? '' : key}]`),
  );
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : (JSON.stringify(value) ?? '');

/** The same fields as files of a form. */
export const parts = (fields: unknown): string =>
  flatten(fields)
    .map(
      ([name, value]) =>
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.csv"\r\n\r\n${value}\r\n`,
    )
    .join('') + `--${BOUNDARY}--\r\n`;

const cell = fc.oneof(
  text,
  number.map(String),
  fc.constantFrom('u2@shop.test', 'alice', 'USD', 'paid', '1.234,56'),
);
const csv = fc
  .tuple(
    fc.constantFrom('id,email,status', 'id,affiliate_id,amount,currency,status,date', 'email;amount', ''),
    fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 4 }),
  )
  .map(([header, rows]) => [header, ...rows.map((row) => row.join(','))].join('\n'));
const files = fc.dictionary(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('affiliates', 'customers', 'commissions', 'clicks', 'payouts', 'coupons'),
    },
    { weight: 1, arbitrary: fc.oneof(fc.constant('settings'), text) },
  ),
  fc.oneof({ weight: 6, arbitrary: csv }, { weight: 1, arbitrary: text }),
  { maxKeys: 4 },
);

/** Requests to any of the routes, by anybody, in any encoding, mostly plausible. */
export function randomRequests(routes: readonly Route[]): fc.Arbitrary<RandomRequest> {
  return fc.constantFrom(...inMatchingOrder(routes)).chain(({ route, path }) =>
    fc.record({
      route: fc.constant(route.id),
      path: address(path),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant<string>(route.method) },
        { weight: 1, arbitrary: fc.constantFrom('get', 'post', 'patch', 'delete', 'put', 'head', 'options') },
      ),
      user: fc.oneof(
        { weight: 6, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 5 }) },
        { weight: 1, arbitrary: fc.constant(KEY_CALLER) },
      ),
      encoding: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Encoding>('json') },
        { weight: 4, arbitrary: fc.constant<Encoding>('form') },
        { weight: 1, arbitrary: fc.constant<Encoding>('raw') },
        { weight: route.accepts?.stream === true ? 50 : 1, arbitrary: fc.constant<Encoding>('parts') },
      ),
      query: query(route.query),
      body: fc.oneof(
        { weight: 8, arbitrary: route.accepts?.stream === true ? files : record(route.body) },
        { weight: 1, arbitrary: junk },
      ),
      raw: text,
      headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
    }),
  );
}

const headers: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { Accept: 'application/json' },
  { 'X-HTTP-Method-Override': 'PATCH' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Encoding': 'br' },
  { 'Idempotency-Key': 'one' },
  { 'Idempotency-Key': ' ' },
  { 'Content-Type': 'text/plain' },
  { 'X-Request-Id': '<x>' },
  { 'X-Forwarded-For': '1.2.3.4, zz' },
);
