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
      "Connection (`client`: better-sqlite3, pg or mysql2; `connection`: file, URL, settings or a function that answers them), or the host's own: a knex instance, a `pg.Pool`, a pool of `mysql2`, a `better-sqlite3` database.",
      { client: 'better-sqlite3', connection: 'affiliate-service.sqlite' },
    ),
    durability: words(
      ['warn', 'strict'],
      'warn',
      'What to do when the database may lose acknowledged writes: log it, or refuse to start.',
    ),
    hookPrefix: text(
      'affiliate_service',
      '^[a-z][a-z0-9_]{0,49}$',
      'First part of every hook name, `<prefix>/name`.',
    ),
    namespace: text(
      'affiliate-service',
      '^[a-z][a-z0-9-]{0,49}$',
      "REST namespace: the base path is the host's REST prefix, this and `/v2`.",
    ),
    compat: Type.Optional(
      Type.Unsafe<'fluent-affiliate'>({
        type: 'string',
        enum: ['fluent-affiliate'],
        description:
          '`fluent-affiliate`: the admin and portal apps of that WordPress plugin run against this service. ' +
          'Sets `namespace`, `hookPrefix`, `managers.permissionLabels` and `access.managersMayReadOptions` where ' +
          'they are not given. Answers then have `group_id`, `affiliate_ids` and `group_ids` as texts, and icons as SVG.',
      }),
    ),
    tablePrefix: text('fa_', '^[a-z][a-z0-9_]{0,19}$', 'First part of every table name.'),
    secret: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        minLength: 32,
        description:
          'Signs cookies and encrypts stored keys; at least 32 characters. ' +
          'Without it one is generated and stored in the database.',
      }),
    ),
    secrets: words(
      ['warn', 'strict', 'replace'],
      'warn',
      'What to do when another process uses this database with another secret: ' +
        'log a warning, refuse to start, or make this one the secret in use.',
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
        'Earlier secrets. On start, what they encrypted is encrypted again with `secret`; what they signed stays valid ' +
        'for 400 more days. For a leaked one use `{ secret, decryptOnly: true }`: nothing it signed is accepted.',
    }),
    migrate: flag(true, 'Apply schema steps on start; `false` refuses to start on an older schema.'),
    jobs: flag(
      true,
      'Run due jobs on a timer in this process; `false` when the host calls `service.jobs.runDue()`.',
    ),
    strictHooks: flag(true, 'Refuse functions for hook names that are neither in the catalog nor declared.'),
    logger: given<Logger>('`debug`, `info`, `warn`, `error`; by default warnings and errors go to stderr.'),
    openTelemetry: Type.Optional(
      given<OpenTelemetry>(
        'The module `@opentelemetry/api`: spans for requests, orders, deliveries, transactions and statements, and figures.',
      ),
    ),
    clock: given<Clock>('`now()` in epoch milliseconds; for tests.'),
    mailer: Type.Optional(given<Mailer>("Delivers mails; default: the host's `mail`, else none.")),
    smtp: Type.Optional(
      given<SmtpOptions>(
        'SMTP server for mails: `host`, `port`, `secure`, `tls`, `auth`, `from`; used when there is no `mailer`.',
      ),
    ),
    uploads: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        minLength: 1,
        description:
          'Folder for pictures that are uploaded in the console; used when the host has no `files`. All processes share it.',
      }),
    ),
    extensions: Type.Unsafe<readonly ExtensionOf<never, never>[]>({
      type: 'array',
      default: [],
      description:
        'Extensions: objects with a name and what they add, such as hooks, mails, fields and pages.',
    }),
    providers: Type.Unsafe<readonly CommerceProvider[]>({
      type: 'array',
      default: [],
      description: 'Commerce providers: shops and payment systems whose orders count.',
    }),
    brandName: text('Affiliate Service', '^[^<>]{1,100}$', "Title of the service's own report."),
    currency: text('USD', '^[A-Z]{3}$', 'Program currency until one is saved in the settings.'),
    migrators: Type.Unsafe<readonly Migrator[]>({
      type: 'array',
      default: [],
      description:
        'Systems that data can be imported from: `wordpressMigrators(…)`, `csvMigrator(…)` or your own.',
    }),
    createImportedUsers: flag(
      false,
      'Create users that an import does not find, if the host can; otherwise their affiliates have no login.',
    ),
    forbidSelfManagement: flag(
      false,
      'Managers may not change their own affiliate, customers, referrals and transactions (recommended).',
    ),
    clawback: words(
      ['adjust', 'off'],
      'adjust',
      'What a refund of a paid commission does: it is subtracted from the next payout, or only reported.',
    ),
    refundFlat: words(
      ['prorate', 'keep'],
      'prorate',
      'What a partial refund does to a flat commission: reduce it in proportion, or keep it until the refund is full.',
    ),
    stalePendingDays: whole(
      30,
      0,
      3650,
      'Commissions that are pending for more days than this are reported; 0 reports none.',
    ),
    locked: Type.Unsafe<readonly RuleName[]>({
      type: 'array',
      items: { type: 'string', enum: RULE_NAMES },
      default: [],
      description:
        'Rules that cannot be changed in the settings: ' +
        '`clawback`, `refundFlat`, `stalePendingDays`, `minPayout`, `approvalAbove`, `requirePaymentDetails`, ' +
        '`fraud`.',
    }),
    includeFees: flag(false, 'The commission is also computed from the fees of an order.'),
    access: group(
      { description: 'Who may do what.' },
      {
        viewCapabilitiesReadOnly: flag(false, 'Limit the capabilities `fa_view_*` to reading.'),
        manageAllDataOpensSettings: flag(
          false,
          'Managers with `manage_all_data` may also use settings, groups, creatives and connected sites.',
        ),
        managersMayReadOptions: flag(
          false,
          'Managers with a key `manage_…` may read the lists behind select inputs.',
        ),
      },
    ),
    managers: group(
      { description: 'Delegated managers.' },
      {
        permissionLabels: words(
          ['object', 'string'],
          'object',
          'Shape of the permission map: `{key: {label}}` or `{key: label}`.',
        ),
      },
    ),
    payouts: group(
      { description: 'Rules of payout runs.' },
      {
        requireActive: flag(false, 'Only active affiliates are paid.'),
        requirePaymentDetails: flag(false, 'Only affiliates with payment details are paid.'),
        allowDeletePaid: flag(true, 'A paid transaction may be deleted (its referrals become unpaid again).'),
        approvalAbove: Type.Optional(
          Type.Unsafe<number>({
            type: 'number',
            minimum: 0,
            description: 'Above this amount, another user than the one who made a payout must mark it paid.',
          }),
        ),
        minPayout: Type.Optional(
          Type.Unsafe<number>({
            type: 'number',
            minimum: 0,
            description: 'No run pays an affiliate less than this, in the program currency.',
          }),
        ),
        methods: Type.Unsafe<readonly PayoutMethod[]>({
          type: 'array',
          default: [],
          description: 'Payout methods besides manual, paypal and bank.',
        }),
      },
    ),
    tracking: group(
      { description: 'Clicks and their cookie.' },
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
          "Path of redirect links, `/go/<name>`: on the host's pages behind the tracker, and on the router.",
        ),
        noPathLinks: texts(
          'Paths, such as `/admin`, below which `/ref/x` at the end of an address is a page of the host and no link; ' +
            'the path of the REST interface is always one of them.',
        ),
        consent: words(
          ['implied', 'required'],
          'implied',
          '`required`: nothing is stored before the visitor has agreed.',
        ),
        unsignedConversions: flag(
          false,
          "Take orders that a page reports without the host's signature; they wait as pending for a person.",
        ),
        countTools: flag(
          false,
          'Count headless browsers and command-line clients as visitors: for demos and acceptance tests.',
        ),
        ip: words(['truncate', 'hash', 'none', 'raw'], 'truncate', "How a visitor's address is stored."),
        cookie: group(
          { description: 'The attribution cookie.' },
          {
            name: text(
              'f_aff',
              '^[A-Za-z0-9_-]{1,40}$',
              'Name of the cookie; with a `namespace` of your own, the default is `f_aff-<namespace>`.',
            ),
            domain: Type.Optional(
              text('', '^[A-Za-z0-9.-]*$', "Domain of the cookie; default: the page's host."),
            ),
            acceptUnsigned: flag(
              false,
              'Accept cookies without signature: for some time after moving from another system.',
            ),
          },
        ),
        trustProxy: Type.Optional(
          Type.Unsafe<false | readonly string[]>({
            description:
              'Addresses or networks of trusted proxies; the last other address in the forwarded header is the visitor. ' +
              '`unix` stands for a proxy that connects over a UNIX socket. ' +
              '`false` says that there is no proxy. If not set, forwarded headers cause a warning.',
          }),
        ),
        retentionDays: whole(
          395,
          0,
          36_500,
          'Days after which visits and the IP addresses of buyers are removed; counters stay. 0 keeps them.',
        ),
        bannedReferrers: texts('Hosts whose visitors are not counted, subdomains included.'),
        bannedAddresses: texts('Addresses and networks (`203.0.113.0/24`) whose clicks are not counted.'),
        waitingClicks: whole(
          5000,
          1,
          1_000_000,
          'How many clicks may wait for the database; more are not counted, but their pages are served.',
        ),
        affiliateClicksPerHour: whole(
          1_000_000,
          0,
          1_000_000_000,
          'The most clicks that are counted for one affiliate in an hour; 0 counts all.',
        ),
        allowedHosts: Type.Unsafe<readonly string[]>({
          type: 'array',
          items: { type: 'string' },
          default: [],
          description: 'Further hosts whose pages may report clicks.',
        }),
      },
    ),
    connectedSites: group(
      { description: 'Sites that report visits and orders.' },
      {
        allowHttp: flag(false, 'Allow http:// for other sites than localhost.'),
        requireSecret: flag(false, 'Refuse to issue tokens if the option `secret` is not given.'),
        verifyReachable: flag(false, 'Ask the site with one HEAD request before connecting it.'),
        allowPrivateNetworks: flag(
          false,
          'The request of `verifyReachable` may go to loopback and private addresses: for development.',
        ),
        auth: words(['any', 'signed'], 'any', '`signed` refuses the plain bearer form.'),
        trustAmounts: flag(false, 'Use the commission amount that a site sends.'),
        requestsPerMinute: whole(600, 1, 1_000_000, 'How many valid requests a site may send in a minute.'),
      },
    ),
    events: group(
      { description: 'Outgoing events.' },
      {
        allowPrivateNetworks: flag(
          false,
          'Endpoints may be http:// and have loopback or private addresses: for development, or a network of your own.',
        ),
      },
    ),
    audit: group(
      { description: 'The audit log.' },
      {
        retentionDays: whole(
          3650,
          0,
          36_500,
          'Days after which entries of the audit log are deleted. 0 keeps them.',
        ),
      },
    ),
    fraud: group(
      {
        description:
          'What a suspicious first sale leads to: nothing, a mark in the referral, waiting for a person, ' +
          'or no commission.',
      },
      {
        selfReferral: words(
          ['reject', 'hold', 'flag'],
          'reject',
          'The buyer is the affiliate; the setting `self_referral_disabled` switches this and the next three off.',
        ),
        sameDomain: words(
          FRAUD,
          'off',
          "Buyer and affiliate share a mail domain that is not a free mail provider's.",
        ),
        freeMailDomains: texts('Further mail domains of free providers, besides the built-in list.'),
        sameAddress: words(
          FRAUD,
          'off',
          'The buyer orders from an IP address where the affiliate was seen in the last 90 days.',
        ),
        samePayment: words(
          FRAUD,
          'off',
          'The buyer pays with a card or account of the affiliate (`customer.payment_fingerprint`).',
        ),
        disposableMail: words(FRAUD, 'off', 'The buyer uses a throw-away mail service.'),
        disposableDomains: texts('Further mail domains of throw-away services, besides the built-in list.'),
        bannedReferrer: words(FRAUD, 'off', 'The click came from a banned site.'),
        bannedReferrers: texts('Hosts of banned sites, subdomains included.'),
        couponSite: words(FRAUD, 'off', 'The click came from a coupon or cash-back site.'),
        couponSites: texts('Further hosts of coupon sites, besides the built-in list.'),
        paidTraffic: words(
          FRAUD,
          'off',
          'The landing page was reached by a paid advertisement (`gclid`, `msclkid`, `utm_medium=cpc` …).',
        ),
        paidTrafficParams: texts(
          'Further query parameters of advertising networks, besides the built-in list.',
        ),
        allowedCampaigns: texts('Campaign ids and names whose paid clicks are welcome.'),
        fastOrder: words(FRAUD, 'off', 'The order follows its click too fast.'),
        fastOrderSeconds: whole(
          10,
          1,
          86_400,
          'Orders less than this many seconds after the click are too fast.',
        ),
        addressOrders: words(FRAUD, 'off', 'Too many orders come from one IP address.'),
        addressOrdersPerDay: whole(
          5,
          1,
          1_000_000,
          'More orders than this from one IP address in a day are too many.',
        ),
        refundRatio: words(
          FRAUD,
          'off',
          "Too many of the affiliate's first sales of the last 90 days were refunded or disputed.",
        ),
        refundRatioPercent: whole(
          30,
          1,
          100,
          'From this percentage of refunded sales on, they are too many.',
        ),
        refundRatioOrders: whole(
          10,
          1,
          500,
          'The rule is not applied to affiliates with fewer sales than this.',
        ),
        sharedPayout: words(FRAUD, 'off', 'Another affiliate is paid to the same e-mail or bank account.'),
        sameOrder: words(
          FRAUD,
          'flag',
          'Another provider recorded an order of the same customer, total and currency within 24 hours.',
        ),
        codeWithoutClick: words(
          FRAUD,
          'off',
          "A coupon credits an affiliate although the buyer followed none of its links, or the affiliate's coupons are suddenly used far more often.",
        ),
        codeWithoutClickDays: whole(
          30,
          1,
          365,
          'The buyer has to have followed a link of the affiliate within this many days.',
        ),
        codeRiseOrders: whole(
          20,
          1,
          1_000_000,
          'Up to this many orders by coupon in 24 hours are never too many.',
        ),
        codeRiseFactor: whole(
          5,
          2,
          1000,
          'More than this many times the daily average of the 28 days before are too many.',
        ),
        codeWithoutClickExcept: texts(
          'Ids of affiliates whose coupons are used without clicks, such as podcasts; the rule leaves them out.',
        ),
      },
    ),
    creatives: group(
      { description: 'Promotional material.' },
      {
        ownSitesOnly: flag(
          false,
          'Creatives may only lead to this site, its `tracking.allowedHosts` and connected sites.',
        ),
      },
    ),
    registration: group(
      { description: 'Public sign-up.' },
      {
        verifyEmail: flag(true, 'Guests prove their e-mail address with a code.'),
        perFiveMinutes: whole(
          10,
          1,
          10_000,
          'Sign-ups in five minutes, per IP address and per e-mail address.',
        ),
        captcha: group(
          { description: 'Asking reCAPTCHA, hCaptcha or Turnstile about an answer.' },
          {
            verifyUrl: text(
              '',
              '^(?:https?://\\S+)?$',
              "The address where answers are checked, instead of the provider's own, " +
                'such as `https://www.recaptcha.net/recaptcha/api/siteverify`.',
            ),
            allowPrivateNetworks: flag(
              false,
              'The request that checks an answer may go to loopback and private addresses: for development.',
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
