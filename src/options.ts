import { isMap } from './core/is-map.js';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Static, TSchema, TUnsafe } from 'typebox';
import type { CommerceProvider } from '../adapters/commerce.js';
import type { DatabaseOption } from '../adapters/database/open.js';
import type { Mailer } from '../adapters/mailer.js';
import type { OpenTelemetry } from './core/telemetry.js';
import type { SmtpOptions } from '../adapters/smtp-mailer.js';
import { systemClock, type Clock } from './core/clock.js';
import { consoleLogger, type Logger } from './core/logger.js';
import { nearMiss } from './core/nearest.js';
import type { ExtensionOf } from './extension.js';
import { Type } from './core/type.js';
import type { Migrator } from '../adapters/imports.js';
import { problemsOf } from './option-checks.js';
import { RULE_NAMES, type RuleName } from './core/rule-names.js';
import type { PayoutMethod } from '../adapters/payers.js';

export type { DatabaseOption, ExtensionOf };

type Meta = { readonly description: string };
const given = <T>(description: string, value?: unknown): TUnsafe<T> =>
  Type.Unsafe<T>({ description, ...(value === undefined ? {} : { default: value }) });
const flag = (value: boolean, description: string): TUnsafe<boolean> =>
  Type.Unsafe<boolean>({ type: 'boolean', default: value, description });
const words = <const T extends readonly string[]>(
  values: T,
  value: T[number],
  description: string,
): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: value, description });
const text = (value: string, pattern: string, description: string): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', pattern, default: value, description });
const whole = (value: number, minimum: number, maximum: number, description: string): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'integer', minimum, maximum, default: value, description });
const texts = (description: string): TUnsafe<readonly string[]> =>
  Type.Unsafe<readonly string[]>({ type: 'array', items: { type: 'string' }, default: [], description });
const group = <const P extends Record<string, TSchema>>(
  meta: Meta,
  properties: P,
): ReturnType<typeof Type.Object<P>> =>
  Type.Object(properties, { ...meta, additionalProperties: false, default: {} });

const FRAUD = ['off', 'flag', 'hold', 'reject'] as const;

/**
 * All options. The check of an option, its default, its type and its row in docs/reference.md come from this
 * table.
 */
export const optionSchema = Type.Object(
  {
    database: given<DatabaseOption>(
      "Database connection: `client` (better-sqlite3, pg or mysql2) and `connection` (file, URL, settings or a function that returns them). Or pass the host's own knex instance, `pg.Pool`, `mysql2` pool or `better-sqlite3` database.",
      { client: 'better-sqlite3', connection: 'affiliate-service.sqlite' },
    ),
    durability: words(
      ['warn', 'strict'],
      'warn',
      "Action if the database can lose acknowledged writes: log a warning, or don't start.",
    ),
    hookPrefix: text(
      'affiliate_service',
      '^[a-z][a-z0-9_]{0,49}$',
      'Prefix of every hook name: `<prefix>/name`.',
    ),
    namespace: text(
      'affiliate-service',
      '^[a-z][a-z0-9-]{0,49}$',
      "REST namespace. The base path is the host's REST prefix, the namespace and `/v2`.",
    ),
    compat: Type.Optional(
      Type.Unsafe<'fluent-affiliate'>({
        type: 'string',
        enum: ['fluent-affiliate'],
        description:
          'With `fluent-affiliate`, the admin and portal apps of that WordPress plugin work with this service. ' +
          'Sets `namespace`, `hookPrefix`, `managers.permissionLabels` and `access.managersMayReadOptions` if you ' +
          "don't. Responses then contain `group_id`, `affiliate_ids` and `group_ids` as strings, and icons as SVG.",
      }),
    ),
    tablePrefix: text('fa_', '^[a-z][a-z0-9_]{0,19}$', 'Prefix of every table name.'),
    secret: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        minLength: 32,
        description:
          'Signs cookies and encrypts stored keys. At least 32 characters. If not set, a secret is ' +
          'generated and stored in the database.',
      }),
    ),
    secrets: words(
      ['warn', 'strict', 'replace'],
      'warn',
      "Action if another process uses this database with a different secret: log a warning, don't " +
        'start, or replace the secret in use with this one.',
    ),
    previousSecrets: Type.Unsafe<readonly PreviousSecret[]>({
      type: 'array',
      items: {
        anyOf: [
          { type: 'string', minLength: 32 },
          {
            type: 'object',
            required: ['secret'],
            properties: { secret: { type: 'string', minLength: 32 }, decryptOnly: { type: 'boolean' } },
            additionalProperties: false,
          },
        ],
      },
      default: [],
      description:
        'Earlier secrets. On start, values encrypted with them are encrypted again with `secret`. Their ' +
        'signatures stay valid for 400 days. For a leaked secret, pass `{ secret, decryptOnly: true }`; ' +
        'its signatures are then rejected.',
    }),
    migrate: flag(
      true,
      "Apply schema migrations on start. With `false`, the service doesn't start on an older schema.",
    ),
    jobs: flag(
      true,
      'Run due jobs on a timer in this process. Set `false` if your host calls `service.jobs.runDue()`.',
    ),
    strictHooks: flag(true, 'Throw for hook names that are neither in the catalog nor declared.'),
    logger: given<Logger>('`debug`, `info`, `warn`, `error`; by default warnings and errors go to stderr.'),
    openTelemetry: Type.Optional(
      given<OpenTelemetry>(
        'The module `@opentelemetry/api`. The service then creates metrics, and spans for requests, orders, deliveries, transactions and statements.',
      ),
    ),
    clock: given<Clock>('`now()` in epoch milliseconds; for tests.'),
    mailer: Type.Optional(given<Mailer>("Sends e-mails. Default: the host's `mail`, if it has one.")),
    smtp: Type.Optional(
      given<SmtpOptions>(
        "SMTP server for e-mails: `host`, `port`, `secure`, `tls`, `auth`, `from`. Used if `mailer` isn't set.",
      ),
    ),
    uploads: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        minLength: 1,
        description:
          'Folder for pictures uploaded in the console, shared by all processes. Used if the host has no `files`.',
      }),
    ),
    extensions: Type.Unsafe<readonly ExtensionOf<never, never>[]>({
      type: 'array',
      default: [],
      description:
        'Extensions: objects with a name and their additions, such as hooks, e-mails, fields and pages.',
    }),
    providers: Type.Unsafe<readonly CommerceProvider[]>({
      type: 'array',
      default: [],
      description: 'Commerce providers: the shops and payment systems that report orders.',
    }),
    brandName: text('Affiliate Service', '^[^<>]{1,100}$', "Title of the service's own report."),
    currency: text('USD', '^[A-Z]{3}$', 'Program currency until you save one in the settings.'),
    migrators: Type.Unsafe<readonly Migrator[]>({
      type: 'array',
      default: [],
      description: 'Import sources: `wordpressMigrators(…)`, `csvMigrator(…)` or your own.',
    }),
    createImportedUsers: flag(
      false,
      "Create missing users during an import, if the host can. Otherwise their affiliates can't sign in.",
    ),
    forbidSelfManagement: flag(
      false,
      'Prevent managers from changing their own affiliate, customers, referrals and transactions (recommended).',
    ),
    clawback: words(
      ['adjust', 'off'],
      'adjust',
      'Action if a paid commission is refunded: subtract it from the next payout, or only report it.',
    ),
    refundFlat: words(
      ['prorate', 'keep'],
      'prorate',
      'Action if an order with a flat commission is partially refunded: reduce the commission proportionally, or keep it until the order is fully refunded.',
    ),
    stalePendingDays: whole(
      30,
      0,
      3650,
      'Report commissions that are pending for more than this many days. 0 turns this off.',
    ),
    locked: Type.Unsafe<readonly RuleName[]>({
      type: 'array',
      items: { type: 'string', enum: RULE_NAMES },
      default: [],
      description:
        "Rules that can't be changed in the settings: " +
        '`clawback`, `refundFlat`, `stalePendingDays`, `minPayout`, `approvalAbove`, `requirePaymentDetails`, ' +
        '`fraud`.',
    }),
    includeFees: flag(false, "Include an order's fees in the commission."),
    access: group(
      { description: 'Access rights.' },
      {
        viewCapabilitiesReadOnly: flag(false, 'Limit the capabilities `fa_view_*` to read access.'),
        manageAllDataOpensSettings: flag(
          false,
          'Give managers with `manage_all_data` access to settings, groups, creatives and connected sites.',
        ),
        managersMayReadOptions: flag(
          false,
          'Let managers with a `manage_…` permission read the lists for select inputs.',
        ),
      },
    ),
    managers: group(
      { description: 'Managers and their permissions.' },
      {
        permissionLabels: words(
          ['object', 'string'],
          'object',
          'Shape of the permission map: `{key: {label}}` or `{key: label}`.',
        ),
      },
    ),
    payouts: group(
      { description: 'Payout rules.' },
      {
        requireActive: flag(false, 'Pay only active affiliates.'),
        requirePaymentDetails: flag(false, 'Pay only affiliates with payment details.'),
        allowDeletePaid: flag(
          true,
          'Allow paid transactions to be deleted. Their referrals become unpaid again.',
        ),
        approvalAbove: Type.Optional(
          Type.Unsafe<number>({
            type: 'number',
            minimum: 0,
            description:
              'Above this amount, a payout must be marked as paid by a different user than its creator.',
          }),
        ),
        minPayout: Type.Optional(
          Type.Unsafe<number>({
            type: 'number',
            minimum: 0,
            description: 'Minimum payout per affiliate, in the program currency.',
          }),
        ),
        methods: Type.Unsafe<readonly PayoutMethod[]>({
          type: 'array',
          default: [],
          description: 'Payout methods in addition to manual, paypal and bank.',
        }),
      },
    ),
    tracking: group(
      { description: 'Clicks and the attribution cookie.' },
      {
        path: text('/track', '^/[A-Za-z0-9/_.-]{1,99}$', 'Path of the tracking endpoint on the router.'),
        scriptPath: text(
          '/site-links.js',
          '^/[A-Za-z0-9/_.-]{1,99}$',
          "Path of the browser script on the host's pages.",
        ),
        redirectPath: text(
          '/go',
          '^/[A-Za-z0-9/_.-]{1,99}$',
          'Path of redirect links, such as `/go/<name>`, on the router and on host pages with the tracker.',
        ),
        noPathLinks: texts(
          "Paths, such as `/admin`, below which a URL that ends in `/ref/x` isn't treated as a referral " +
            'link. The path of the REST API is always one of them.',
        ),
        consent: words(
          ['implied', 'required'],
          'implied',
          'With `required`, nothing is stored before the visitor consents.',
        ),
        unsignedConversions: flag(
          false,
          "Accept orders reported by a page without the host's signature. They are pending until a manager reviews them.",
        ),
        countTools: flag(
          false,
          'Count headless browsers and command-line clients as visitors. For demos and acceptance tests.',
        ),
        ip: words(['truncate', 'hash', 'none', 'raw'], 'truncate', "How to store a visitor's IP address."),
        cookie: group(
          { description: 'The attribution cookie.' },
          {
            name: text(
              'f_aff',
              '^[A-Za-z0-9_-]{1,40}$',
              'Name of the cookie. If you set `namespace`, the default is `f_aff-<namespace>`.',
            ),
            domain: Type.Optional(
              text('', '^[A-Za-z0-9.-]*$', "Domain of the cookie. Default: the page's host."),
            ),
            acceptUnsigned: flag(
              false,
              'Accept unsigned cookies. Set this for some time after you move from another system.',
            ),
          },
        ),
        trustProxy: Type.Optional(
          Type.Unsafe<false | readonly string[]>({
            description:
              "IP addresses or networks of trusted proxies. The last other address in the forwarded header is the visitor's. " +
              'Use `unix` for a proxy that connects over a UNIX socket, `false` if there is no proxy. ' +
              'If not set, forwarded headers cause a warning.',
          }),
        ),
        retentionDays: whole(
          395,
          0,
          36_500,
          "Days until visits and buyers' IP addresses are deleted. Counters are kept. 0 keeps all.",
        ),
        bannedReferrers: texts("Referring hosts whose clicks aren't counted, including subdomains."),
        bannedAddresses: texts("IP addresses and networks (`203.0.113.0/24`) whose clicks aren't counted."),
        waitingClicks: whole(
          5000,
          1,
          1_000_000,
          "Maximum number of clicks waiting to be stored. Further clicks aren't counted, but their pages are served.",
        ),
        affiliateClicksPerHour: whole(
          1_000_000,
          0,
          1_000_000_000,
          'Maximum number of clicks counted per affiliate and hour. 0 counts all.',
        ),
        allowedHosts: Type.Unsafe<readonly string[]>({
          type: 'array',
          items: { type: 'string' },
          default: [],
          description: 'Additional hosts whose pages can report clicks.',
        }),
      },
    ),
    connectedSites: group(
      { description: 'Connected sites, which report visits and orders.' },
      {
        allowHttp: flag(false, 'Allow http:// for sites other than localhost.'),
        requireSecret: flag(false, "Don't issue tokens if the option `secret` isn't set."),
        verifyReachable: flag(false, 'Send one HEAD request to a site before connecting it.'),
        allowPrivateNetworks: flag(
          false,
          'Allow loopback and private addresses for `verifyReachable`. For development.',
        ),
        auth: words(['any', 'signed'], 'any', '`signed` rejects requests that only have a bearer token.'),
        trustAmounts: flag(false, 'Use the commission amount sent by a site.'),
        requestsPerMinute: whole(600, 1, 1_000_000, 'Maximum number of valid requests per site and minute.'),
      },
    ),
    events: group(
      { description: 'Webhooks.' },
      {
        allowPrivateNetworks: flag(
          false,
          'Allow webhook endpoints with http://, loopback or private addresses. For development or a private network.',
        ),
      },
    ),
    audit: group(
      { description: 'The audit log.' },
      {
        retentionDays: whole(3650, 0, 36_500, 'Days until audit log entries are deleted. 0 keeps them.'),
      },
    ),
    fraud: group(
      {
        description:
          'Action for a suspicious first sale: none, flag the referral, hold it for review, or reject it.',
      },
      {
        selfReferral: words(
          ['reject', 'hold', 'flag'],
          'reject',
          'The buyer is the affiliate. The setting `self_referral_disabled` turns off this rule and the next three.',
        ),
        sameDomain: words(
          FRAUD,
          'off',
          "The buyer and the affiliate share an e-mail domain that isn't a free provider's.",
        ),
        freeMailDomains: texts('Additional domains of free e-mail providers.'),
        sameAddress: words(
          FRAUD,
          'off',
          'The order comes from an IP address that the affiliate used in the last 90 days.',
        ),
        samePayment: words(
          FRAUD,
          'off',
          "The buyer pays with the affiliate's card or account (`customer.payment_fingerprint`).",
        ),
        disposableMail: words(FRAUD, 'off', 'The buyer uses a disposable e-mail address.'),
        disposableDomains: texts('Additional domains of disposable e-mail services.'),
        bannedReferrer: words(FRAUD, 'off', 'The click came from a banned site.'),
        bannedReferrers: texts('Hosts of banned sites, including subdomains.'),
        couponSite: words(FRAUD, 'off', 'The click came from a coupon or cash-back site.'),
        couponSites: texts('Additional hosts of coupon sites.'),
        paidTraffic: words(
          FRAUD,
          'off',
          'The click came from a paid ad (`gclid`, `msclkid`, `utm_medium=cpc` …).',
        ),
        paidTrafficParams: texts('Additional query parameters of ad networks.'),
        allowedCampaigns: texts('IDs and names of campaigns whose paid clicks are allowed.'),
        fastOrder: words(FRAUD, 'off', 'The order follows the click too quickly.'),
        fastOrderSeconds: whole(10, 1, 86_400, 'Minimum number of seconds between click and order.'),
        addressOrders: words(FRAUD, 'off', 'Too many orders come from one IP address.'),
        addressOrdersPerDay: whole(5, 1, 1_000_000, 'Maximum number of orders per IP address and day.'),
        refundRatio: words(
          FRAUD,
          'off',
          "Too many of the affiliate's first sales of the last 90 days were refunded or disputed.",
        ),
        refundRatioPercent: whole(30, 1, 100, 'Percentage of refunded sales from which the rule applies.'),
        refundRatioOrders: whole(10, 1, 500, 'Minimum number of sales for the rule to apply.'),
        sharedPayout: words(FRAUD, 'off', 'Another affiliate has the same payment e-mail or bank account.'),
        sameOrder: words(
          FRAUD,
          'flag',
          'Another provider recorded an order with the same customer, total and currency within 24 hours.',
        ),
        codeWithoutClick: words(
          FRAUD,
          'off',
          "An affiliate's coupon was used without a click on the affiliate's links, or the use of its coupons rose sharply.",
        ),
        codeWithoutClickDays: whole(
          30,
          1,
          365,
          "Number of days in which the buyer must have clicked one of the affiliate's links.",
        ),
        codeRiseOrders: whole(
          20,
          1,
          1_000_000,
          'Number of coupon orders in 24 hours up to which the rule never applies.',
        ),
        codeRiseFactor: whole(
          5,
          2,
          1000,
          'Factor over the daily average of the previous 28 days above which the rule applies.',
        ),
        codeWithoutClickExcept: texts(
          'IDs of affiliates that the rule skips because their coupons are used without clicks, such as podcasts.',
        ),
      },
    ),
    creatives: group(
      { description: 'Creatives.' },
      {
        ownSitesOnly: flag(
          false,
          'Allow creatives to link only to this site, its `tracking.allowedHosts` and connected sites.',
        ),
      },
    ),
    registration: group(
      { description: 'Public sign-up.' },
      {
        verifyEmail: flag(true, 'Require guests to confirm their e-mail address with a code.'),
        perFiveMinutes: whole(
          10,
          1,
          10_000,
          'Maximum number of sign-ups in five minutes per IP address and per e-mail address.',
        ),
        captcha: group(
          { description: 'Verification with reCAPTCHA, hCaptcha or Turnstile.' },
          {
            verifyUrl: text(
              '',
              '^(?:https?://\\S+)?$',
              "Verification URL to use instead of the provider's, such as " +
                '`https://www.recaptcha.net/recaptcha/api/siteverify`.',
            ),
            allowPrivateNetworks: flag(
              false,
              'Allow loopback and private addresses for the verification request. For development.',
            ),
          },
        ),
      },
    ),
  },
  { additionalProperties: false },
);

export type ResolvedOptions = Static<typeof optionSchema>;

type Input<T> = {
  readonly [K in keyof T]?: T[K] extends boolean | string | number | readonly unknown[] | undefined
    ? T[K]
    : T[K] extends DatabaseOption | Logger | Clock
      ? T[K]
      : Input<T[K]>;
};
/** A secret that was replaced; `decryptOnly` refuses everything it signed. */
export type PreviousSecret = string | { readonly secret: string; readonly decryptOnly?: boolean };

/** The options as a host writes them, with extensions of this type. */
export type OptionsOf<Extension> = Input<Omit<ResolvedOptions, 'extensions'>> & {
  readonly extensions?: readonly Extension[];
};

const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, allErrors: true });

const checks = new Map<string, ValidateFunction>();

/** The check of options with these names. It is cached, since ajv never frees what it compiled. */
function checkOf(names: readonly string[]): ValidateFunction {
  const key = names.toSorted().join();
  const known = checks.get(key);
  if (known) return known;
  const properties = pick((optionSchema as unknown as Group).properties, names);
  const check = ajv.compile({ type: 'object', properties, additionalProperties: false });
  checks.set(key, check);
  return check;
}

/** Checks options and fills in defaults; throws a TypeError that names a wrong or unknown key. */
export function resolveOptions(options: OptionsOf<ExtensionOf<never>> = {}): ResolvedOptions {
  const schema = optionSchema as unknown as Group; // the table, seen as plain JSON Schema
  const resolved = withDefaults(schema, withOwnCookie(withCompat(copyGroups(options, schema))));
  resolved['logger'] ??= consoleLogger;
  resolved['clock'] ??= systemClock;
  // Only what the host gives can be wrong; checking everything would take a quarter of the start.
  const given = Object.keys(options);
  const check = checkOf(given);
  const wrong = check(pick(resolved, given)) ? [] : (check.errors ?? []).map(explain);
  if (wrong.length > 0) throw new TypeError([...new Set(wrong)].join(' '));
  const checked = resolved as unknown as ResolvedOptions; // what was given is checked, the rest are our defaults
  const problems = problemsOf(checked);
  if (problems.length > 0) throw new TypeError(problems.join(' '));
  return withExtensions(checked);
}

/** The lists of the extensions behind those of the options. */
function withExtensions(options: ResolvedOptions): ResolvedOptions {
  const { extensions, providers, migrators, payouts } = options;
  return {
    ...options,
    providers: [...providers, ...extensions.flatMap((each) => each.providers ?? [])],
    migrators: [...migrators, ...extensions.flatMap((each) => each.migrators ?? [])],
    payouts: {
      ...payouts,
      methods: [...payouts.methods, ...extensions.flatMap((each) => each.payoutMethods ?? [])],
    },
  };
}

const pick = <T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** With `compat`: what the apps of the plugin expect, unless the host sets another value. */
function withCompat(given: Record<string, unknown>): Record<string, unknown> {
  if (given['compat'] !== 'fluent-affiliate') return given;
  return {
    namespace: 'fluent-affiliate',
    hookPrefix: 'fluent_affiliate',
    ...given,
    managers: { permissionLabels: 'string', ...(given['managers'] as object | undefined) },
    access: { managersMayReadOptions: true, ...(given['access'] as object | undefined) },
  };
}

/** Programs of one application have namespaces of their own, and must not share the cookie. */
function withOwnCookie(given: Record<string, unknown>): Record<string, unknown> {
  const { namespace, tracking = {} } = given;
  const isShared =
    namespace === undefined || namespace === 'affiliate-service' || given['compat'] !== undefined;
  const cookie = isMap(tracking) ? (tracking['cookie'] ?? {}) : null;
  if (isShared || typeof namespace !== 'string' || !isMap(tracking) || !isMap(cookie)) return given;
  const name = `f_aff-${namespace}`.slice(0, 40);
  return { ...given, tracking: { ...tracking, cookie: { name, ...cookie } } };
}

interface Group {
  readonly properties: Properties;
}
type Properties = Readonly<Record<string, Partial<Group> & { readonly default?: unknown }>>;

/** The given options, with the defaults of the schema for what is absent, in nested groups too. */
function withDefaults(
  { properties }: Group,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...given };
  for (const [name, schema] of Object.entries(properties)) {
    const value = given[name];
    if (schema.properties !== undefined && (value === undefined || isMap(value)))
      filled[name] = withDefaults(schema as Group, value ?? {});
    else if (value === undefined && schema.default !== undefined)
      filled[name] = structuredClone(schema.default);
  }
  return filled;
}

// Only our own groups are copied: a knex instance, a logger or a clock is used as it is.
function copyGroups(value: object, schema: Partial<Group>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([key, entry]) => {
        const inner = schema.properties?.[key];
        return [key, inner?.properties && isMap(entry) ? copyGroups(entry, inner) : entry];
      }),
  );
}

function explain({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword !== 'additionalProperties') return `Option "${path}" ${demandOf(keyword, params)}.`;
  const unknown = String(params['additionalProperty']);
  const name = [path, unknown].filter(Boolean).join('.');
  const known = Object.keys(path === '' ? optionSchema.properties : groupAt(path));
  const near = nearMiss(unknown, known) ?? pathOf(unknown);
  return near === null ? `Unknown option "${name}".` : `Unknown option "${name}"; did you mean "${near}"?`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'an object',
};

/** What a rule of the schema demands, in words. */
function demandOf(rule: string, params: ErrorObject['params']): string {
  const limit = String(params['limit']);
  switch (rule) {
    case 'type':
      return `must be ${KINDS[String(params['type'])] ?? String(params['type'])}`;
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as readonly unknown[]).join(', ')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${limit} characters`;
    case 'required':
      return `lacks "${String(params['missingProperty'])}"`;
    case 'pattern':
      return `has a form that is not allowed; it must match ${String(params['pattern'])}`;
    default:
      return 'has none of the allowed forms';
  }
}

/** The path of an option of this name in a group, for one that was given at the wrong place; null: none. */
function pathOf(name: string, properties: Properties = optionSchema.properties as never): string | null {
  for (const [key, { properties: inner }] of Object.entries(properties)) {
    if (inner === undefined) continue;
    if (Object.hasOwn(inner, name)) return `${key}.${name}`;
    const deeper = pathOf(name, inner);
    if (deeper !== null) return `${key}.${deeper}`;
  }
  return null;
}

function groupAt(path: string): object {
  let schema: Partial<Group> = optionSchema as never; // as plain JSON Schema
  for (const part of path.split('.')) schema = schema.properties?.[part] ?? {};
  return schema.properties ?? {};
}
