import { adviceFor, isHostPool } from '../adapters/database/host-pool.js';
import { isMap } from './core/is-map.js';
import { isWiderThanPrivate, readNetwork } from './core/networks.js';
import { isProduction } from './core/runtime.js';
import { unknownKey } from './core/unknown-key.js';
import { weaknessOf } from './core/weak-secret.js';

type Test = (value: unknown) => boolean;
/** What a member must be, in words, and its test. */
interface Kind {
  readonly words: string;
  readonly test: Test;
}
interface Shape {
  readonly needs?: Readonly<Record<string, Kind>>;
  readonly may?: Readonly<Record<string, Kind>>;
  /** Other members are refused; for objects that only we read. */
  readonly isClosed?: boolean;
}

const kind = (words: string, test: Test): Kind => ({ words, test });
const FUNCTION = kind('a function', (value) => typeof value === 'function');
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const TEXT = kind('a text', isText);
const FLAG = kind('true or false', (value) => typeof value === 'boolean');
const MAP = kind('an object', isMap);
const LIST = kind('a list', Array.isArray);
const SET = kind('a Set', (value) => value instanceof Set);
const whole = (from: number, to: number): Kind =>
  kind(
    `a whole number from ${from} to ${to}`,
    (value) => Number.isInteger(value) && (value as number) >= from && (value as number) <= to,
  );
const form = (words: string, pattern: RegExp): Kind =>
  kind(words, (value) => typeof value === 'string' && pattern.test(value));
const all = <const Names extends readonly string[]>(names: Names, what: Kind): Record<Names[number], Kind> =>
  Object.fromEntries(names.map((name) => [name, what])) as Record<Names[number], Kind>;

const LOGGER: Shape = { needs: all(['debug', 'info', 'warn', 'error'], FUNCTION) };
const CLOCK: Shape = { needs: { now: FUNCTION } };
const MAILER: Shape = { needs: { send: FUNCTION } };
const SMTP: Shape = {
  needs: { host: TEXT },
  may: { port: whole(1, 65_535), secure: FLAG, auth: MAP, tls: MAP, from: TEXT },
  isClosed: true,
};
const SMTP_AUTH: Shape = { needs: all(['user', 'pass'], TEXT), isClosed: true };
const LISTS = [
  'payoutMethods',
  'providers',
  'migrators',
  'mails',
  'groupFields',
  'affiliateFields',
  'consolePages',
  'portalPages',
  'widgets',
] as const;
const EXTENSION: Shape = {
  needs: { name: TEXT },
  may: { setup: FUNCTION, close: FUNCTION, hooks: MAP, ...all(LISTS, LIST) },
  isClosed: true,
};
/** The same for all readers, or one for each language, English among them. */
const LOCALIZED = kind(
  'a text, or texts by language with `en` among them',
  (value) => isText(value) || (isMap(value) && isText(value['en']) && Object.values(value).every(isText)),
);
const WORD = form('a word such as "points" (small letters, digits and _)', /^[a-z][a-z0-9_]{0,49}$/);
const PART = form('a word such as "points" (small letters, digits and -)', /^[a-z][a-z0-9-]{0,49}$/);
const MAIL: Shape = {
  needs: {
    key: WORD,
    ...all(['title', 'description', 'subject', 'body'], LOCALIZED),
    recipient: form('"affiliate" or "admin"', /^(?:affiliate|admin)$/),
  },
  may: { codes: MAP },
  isClosed: true,
};
const CODE: Shape = { needs: { label: LOCALIZED, example: TEXT }, isClosed: true };
const FIELD: Shape = {
  needs: { name: WORD, label: LOCALIZED },
  may: {
    help: LOCALIZED,
    type: form('"text", "number", "select" or "switch"', /^(?:text|number|select|switch)$/),
    options: LIST,
    default: kind('a text or a number', (value) => ['string', 'number'].includes(typeof value)),
  },
  isClosed: true,
};
const CHOICE: Shape = { needs: { value: TEXT, label: LOCALIZED }, isClosed: true };
const PAGE: Shape = {
  needs: { title: LOCALIZED, path: PART },
  may: {
    module: kind('an address or a `file:` URL', (value) => isText(value) || value instanceof URL),
    url: TEXT,
  },
  isClosed: true,
};
const CONSOLE_PAGE: Shape = {
  ...PAGE,
  may: {
    ...PAGE.may,
    right: form(
      '"administrator", "settings", "affiliates", "referrals", "visits" or "payouts"',
      /^(?:administrator|settings|affiliates|referrals|visits|payouts)$/,
    ),
  },
};
const PROVIDER: Shape = {
  needs: {
    key: form('a word such as "shop" (small letters, digits and _)', /^[a-z][a-z0-9_]{1,31}$/),
    info: MAP,
  },
  may: {
    ...all(['attach', 'couponAffiliate', 'orderUrl', 'fetchOrder', 'changedSince'], FUNCTION),
    ...all(['enabled', 'uniqueIds', 'trustAffiliateId', 'acceptUnsigned'], FLAG),
    ...all(['extraFields', 'aliases', 'webhook', 'catalog'], MAP),
    mode: form('"live" or "test"', /^(?:live|test)$/),
    abilities: SET,
    stores: LIST,
  },
};
const PROVIDER_INFO: Shape = {
  needs: {
    ...all(['title', 'type'], TEXT),
    description: kind('a text', (value) => typeof value === 'string'),
  },
};
const WEBHOOK: Shape = {
  needs: all(['verify', 'deliveryKey', 'parse'], FUNCTION),
  may: all(['isProbe', 'remark', 'enrich'], FUNCTION),
};
const MIGRATOR: Shape = {
  needs: { ...all(['slug', 'name'], TEXT), ...all(['isAvailable', 'counts', 'migrate'], FUNCTION) },
};
const METHOD: Shape = {
  needs: {
    key: form('a word such as "bank" (small letters, digits, _ and -)', /^[a-z][a-z0-9_-]{0,49}$/),
    title: TEXT,
  },
  may: {
    ...all(
      ['prepare', 'acknowledge', 'fail', 'check', 'send', 'fetch', 'webhook', 'cancel', 'quote', 'balance'],
      FUNCTION,
    ),
    ...all(['list', 'test', 'connect', 'fileOf', 'readAnswer'], FUNCTION),
    sandbox: FLAG,
    currencies: LIST,
    limits: MAP,
    timeoutMs: whole(1, 3_600_000),
  },
};
const DATABASE: Shape = {
  needs: {
    client: form('"better-sqlite3", "pg" or "mysql2"', /^(?:better-sqlite3|pg|mysql2)$/),
    connection: kind(
      'a file, an address, settings, or a function that returns them',
      (value) =>
        (typeof value === 'string' && value.trim() !== '') || isMap(value) || typeof value === 'function',
    ),
  },
  may: { pool: MAP, pooler: kind('true or false', (value) => typeof value === 'boolean') },
  isClosed: true,
};
const POOL: Shape = { may: { min: whole(0, 10_000), max: whole(1, 10_000) }, isClosed: true };

/** The options that are checked here; a JSON schema cannot express what they must be. */
interface CheckedOptions {
  readonly database: unknown;
  readonly secret?: string;
  readonly logger: unknown;
  readonly clock: unknown;
  readonly mailer?: unknown;
  readonly smtp?: unknown;
  readonly extensions: readonly object[];
  readonly providers: readonly object[];
  readonly migrators: readonly object[];
  readonly payouts: { readonly methods: readonly object[] };
  readonly tracking: {
    readonly trustProxy?: unknown;
    readonly bannedAddresses: readonly string[];
    readonly cookie: { readonly domain?: string };
  };
}

/** One sentence for each mistake. */
export function problemsOf(options: CheckedOptions): string[] {
  const { database, logger, clock, mailer, smtp, extensions, providers, migrators, tracking } = options;
  return [
    ...secretProblems(options.secret),
    ...(typeof database === 'function' ? [] : databaseProblems(database)),
    ...misshapen('logger', logger, LOGGER),
    ...misshapen('clock', clock, CLOCK),
    ...(mailer === undefined ? [] : misshapen('mailer', mailer, MAILER)),
    ...(smtp === undefined ? [] : smtpProblems(smtp)),
    ...each('extensions', extensions, extensionProblems),
    ...twice('extensions', extensions, 'name'),
    ...each('providers', providers, providerProblems),
    ...twice('providers', [...providers, ...partsOf(extensions, 'providers')], 'key'),
    ...each('migrators', migrators, shaped(MIGRATOR)),
    ...twice('migrators', [...migrators, ...partsOf(extensions, 'migrators')], 'slug'),
    ...each('payouts.methods', options.payouts.methods, shaped(METHOD)),
    ...twice('payouts.methods', [...options.payouts.methods, ...partsOf(extensions, 'payoutMethods')], 'key'),
    ...(
      [
        ['mails', 'key'],
        ['groupFields', 'name'],
        ['affiliateFields', 'name'],
        ['consolePages', 'path'],
        ['portalPages', 'path'],
      ] as const
    ).flatMap(([list, key]) => twice(`extensions.${list}`, partsOf(extensions, list), key)),
    ...trackingProblems(tracking),
  ];
}

const DATABASES =
  '{ client, connection }, a knex instance, a pg.Pool, a pool of mysql2 or a database of better-sqlite3';

function databaseProblems(database: unknown): string[] {
  if (isHostPool(database)) return [];
  const advice = adviceFor(database);
  if (!isMap(database) || advice !== null)
    return [`Option "database" must be ${DATABASES}.${advice === null ? '' : ` ${advice}`}`];
  const { pool, pooler, client, connection } = database;
  if (isHostPool(connection))
    return ['Option "database.connection" is a pool of your own. Pass it as "database" itself.'];
  return [
    ...misshapen('database', database, DATABASE),
    ...(pool === undefined ? [] : misshapen('database.pool', pool, POOL)),
    ...(client === 'better-sqlite3' && typeof connection === 'function'
      ? ['Option "database.connection" must be a file name for SQLite, not a function.']
      : []),
    ...(pooler === true && client !== 'pg'
      ? ['Option "database.pooler" is for PostgreSQL (`client: \'pg\'`) only.']
      : []),
  ];
}

/** What all extensions have in this list; a list that is none has been named already. */
const partsOf = (extensions: readonly object[], list: (typeof LISTS)[number]): readonly object[] =>
  extensions.flatMap((extension) => {
    const parts: unknown = isMap(extension) ? extension[list] : [];
    return Array.isArray(parts) ? (parts as object[]) : [];
  });

function extensionProblems(name: string, value: unknown): string[] {
  const list = (part: (typeof LISTS)[number], check: (name: string, value: unknown) => string[]): string[] =>
    each(`${name}.${part}`, isMap(value) && Array.isArray(value[part]) ? value[part] : [], check);
  const hooks = isMap(value) && isMap(value['hooks']) ? Object.entries(value['hooks']) : [];
  return [
    ...misshapen(name, value, EXTENSION),
    ...hooks
      .filter(([, tap]) => typeof tap !== 'function')
      .map(([hook]) => `Option "${name}.hooks.${hook}" must be a function.`),
    ...list('providers', providerProblems),
    ...list('migrators', shaped(MIGRATOR)),
    ...list('payoutMethods', shaped(METHOD)),
    ...list('mails', mailProblems),
    ...list('groupFields', fieldProblems),
    ...list('affiliateFields', fieldProblems),
    ...list('consolePages', pageProblems(CONSOLE_PAGE)),
    ...list('portalPages', pageProblems(PAGE)),
    ...list('widgets', (at, widget) =>
      typeof widget === 'function' ? [] : [`Option "${at}" must be a function.`],
    ),
  ];
}

function mailProblems(name: string, value: unknown): string[] {
  const codes = isMap(value) && isMap(value['codes']) ? Object.entries(value['codes']) : [];
  return [
    ...misshapen(name, value, MAIL),
    ...codes.flatMap(([code, entry]) => [
      ...misshapen(`${name}.codes.${code}`, entry, CODE),
      ...(WORD.test(code) ? [] : [`Option "${name}.codes": "${code}" must be ${WORD.words}.`]),
    ]),
  ];
}

function fieldProblems(name: string, value: unknown): string[] {
  if (!isMap(value)) return misshapen(name, value, FIELD);
  const options = Array.isArray(value['options']) ? value['options'] : [];
  const isEmptySelect = value['type'] === 'select' && options.length === 0;
  return [
    ...misshapen(name, value, FIELD),
    ...each(`${name}.options`, options, shaped(CHOICE)),
    ...(isEmptySelect ? [`Option "${name}.options" must list the values of the select.`] : []),
  ];
}

const pageProblems =
  (shape: Shape) =>
  (name: string, value: unknown): string[] => [
    ...misshapen(name, value, shape),
    ...(isMap(value) && (value['module'] === undefined) === (value['url'] === undefined)
      ? [`Option "${name}" must have either \`module\` or \`url\`.`]
      : []),
  ];

const smtpProblems = (smtp: unknown): string[] => [
  ...misshapen('smtp', smtp, SMTP),
  ...(isMap(smtp) && isMap(smtp['auth']) ? misshapen('smtp.auth', smtp['auth'], SMTP_AUTH) : []),
];

const providerProblems = (name: string, value: unknown): string[] => [
  ...misshapen(name, value, PROVIDER),
  ...(isMap(value) && isMap(value['info']) ? misshapen(`${name}.info`, value['info'], PROVIDER_INFO) : []),
  ...(isMap(value) && isMap(value['webhook']) ? misshapen(`${name}.webhook`, value['webhook'], WEBHOOK) : []),
];

/** One sentence for each member that is missing, of the wrong kind or unknown. Inherited members count. */
function misshapen(
  name: string,
  value: unknown,
  { needs = {}, may = {}, isClosed = false }: Shape,
): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`Option "${name}" must be an object.`];
  const member = (key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];
  const known = { ...needs, ...may };
  const wrong = Object.entries(known)
    .filter(([key, { test }]) => !test(member(key)) && (key in needs || member(key) !== undefined))
    .map(([key, { words }]) => `Option "${name}.${key}" must be ${words}.`);
  const unknown = Object.keys(value).filter((key) => isClosed && !(key in known));
  return [
    ...wrong,
    ...unknown.map(
      (key) =>
        `Option "${name}": ${unknownKey(key, { path: `${name}.`, known: Object.keys(known) }).message}`,
    ),
  ];
}

const shaped =
  (shape: Shape) =>
  (name: string, value: unknown): string[] =>
    misshapen(name, value, shape);

const each = (
  name: string,
  values: readonly unknown[],
  check: (name: string, value: unknown) => string[],
): string[] => values.flatMap((value, at) => check(`${name}[${at}]`, value));

function twice(name: string, values: readonly object[], key: string): string[] {
  const names = values.filter(isMap).map((value) => value[key]);
  const repeated = new Set(
    names.filter((each, at) => typeof each === 'string' && names.indexOf(each) !== at),
  );
  return [...repeated].map((each) => `Option "${name}" has two entries with the ${key} "${String(each)}".`);
}

function secretProblems(secret: string | undefined): string[] {
  const weakness = secret === undefined || !isProduction() ? null : weaknessOf(secret);
  return weakness === null
    ? []
    : [`Option "secret" ${weakness}. Generate one of your own: openssl rand -hex 32.`];
}

function trackingProblems({ trustProxy, bannedAddresses, cookie }: CheckedOptions['tracking']): string[] {
  const banned = bannedAddresses.find((entry) => readNetwork(entry) === null);
  return [
    ...(banned === undefined
      ? []
      : [
          `Option "tracking.bannedAddresses" must list addresses and networks such as "203.0.113.0/24"; "${banned}" is neither.`,
        ]),
    ...(cookie.domain && !/^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(cookie.domain)
      ? [
          'Option "tracking.cookie.domain" must be a domain of your own such as "shop.example", or not be set.',
        ]
      : []),
    ...(trustProxy === undefined || trustProxy === false ? [] : proxyProblems(trustProxy)),
  ];
}

function proxyProblems(trust: unknown): string[] {
  const name = 'Option "tracking.trustProxy"';
  const isProxy = (entry: unknown): boolean =>
    typeof entry === 'string' && (entry === 'unix' || readNetwork(entry) !== null);
  if (!Array.isArray(trust) || !trust.every(isProxy))
    return [
      `${name} must be false, or the list of addresses and networks of your proxies, such as ["10.0.0.0/8"]; use "unix" for a UNIX socket.`,
    ];
  return trust.some((entry: string) => entry !== 'unix' && isWiderThanPrivate(readNetwork(entry)!))
    ? [`${name} must name your proxies only: with so large a network, every visitor could send any address.`]
    : [];
}
