import { weaknessOf } from '../core/weak-secret.js';
import { readJson } from '../core/json.js';
import { resealState, storedResealState } from './resealing.js';
import { HOUR, DAY } from '../core/duration.js';
import type { Platform } from './platform.js';
import { UNDECLARED_PROXY } from './http/proxy-watch.js';

/** The platform, and which providers are enabled. */
interface RiskDeps extends Platform {
  readonly settings: {
    referralConfig(): Promise<{ readonly enabled_integrations: readonly string[] }>;
    isCopy(): Promise<boolean>;
  };
}

const STORED = 'risks_at_start';

/** Findings of the start, and a check of the database. */
export interface StartReport {
  /** Settings of the database that may lose acknowledged writes. */
  readonly durability: readonly string[];
  /** Schema steps of a newer version, also those applied since the start. */
  newerSteps(): Promise<readonly string[]>;
}

/**
 * Something about this installation that can cost money, data or trust. Clients may rely on codes, not on
 * texts.
 */
export interface Risk {
  readonly code: RiskCode;
  /** `warning`: likely a mistake; `notice`: a choice you should know about. */
  readonly severity: 'warning' | 'notice';
  readonly text: string;
}

const TEXTS = {
  default_secret: ['warning', 'Set `secret`. The service now uses one stored in the database it protects.'],
  secret_differs: [
    'warning',
    'Another process uses this database with another secret. Set the same `secret` everywhere.',
  ],
  undeclared_proxy: [
    'warning',
    'Visitors behind a proxy count as one. Add the proxy to `tracking.trustProxy`.',
  ],
  durability: [
    'warning',
    'The database can lose saved data after a crash. The startup log names the settings to change.',
  ],
  jobs_off: [
    'warning',
    'No job ran in the last hour, so mails and retries wait. Call `service.jobs.runDue()`.',
  ],
  mails_undeliverable: [
    'warning',
    'Mails are logged, not sent. Set `mailer` or `smtp`, or use a host with `mail`.',
  ],
  provider_silent: [
    'warning',
    'An active commerce provider has reported nothing for a week. Check its webhooks.',
  ],
  mails_failed: [
    'warning',
    'Some mails failed permanently. Check the outbox, then run `affiliate-service outbox --retry-dead`.',
  ],
  mails_bounced: [
    'warning',
    'Mails bounced in the last 30 days. The service no longer sends to those addresses. *System* lists these mails as skipped with `bounced`.',
  ],
  clock_ahead: ['warning', 'Jobs ran at a future time. Check the clocks of your servers.'],
  schema_newer: ['warning', 'A newer version has changed the tables. Update this process too.'],
  old_secret_needed: [
    'warning',
    "Don't remove the old secret from `previousSecrets` yet. It was used in the last hour.",
  ],
  secrets_lost: [
    'warning',
    "Stored secrets (webhooks, connected sites, payments, captcha, license) can't be decrypted. Add the old secret to `previousSecrets`.",
  ],
  program_copy: [
    'notice',
    'This is a staging copy and sends no mail. To change that, run `affiliate-service go-live`.',
  ],
  provider_off: [
    'warning',
    'A commerce provider is switched off, so its orders earn nothing. Switch it on, or set `enabled: true`.',
  ],
  unproved_addresses: [
    'warning',
    "`registration.verifyEmail` is off. People can sign up with other people's addresses and find out who has an account.",
  ],
  tools_count: ['warning', '`tracking.countTools` is on. Command-line programs count as visitors.'],
  private_networks: [
    'notice',
    '`allowPrivateNetworks` is on in `events`, `connectedSites` or `captcha`. The service can send requests to private addresses.',
  ],
  insecure_sites: ['notice', '`connectedSites.allowHttp` is on. Sites can report over unencrypted http://.'],
  trusted_amounts: ['notice', '`connectedSites.trustAmounts` lets connected sites set commission amounts.'],
  weak_secret: [
    'warning',
    '`secret` is public or easy to guess, so it is rejected in production. Set a random one.',
  ],
  unsigned_conversions: ['notice', '`tracking.unsignedConversions` accepts unsigned orders.'],
  unsigned_cookies: [
    'notice',
    '`tracking.cookie.acceptUnsigned` accepts unsigned cookies, which anyone can forge.',
  ],
  views_may_write: [
    'notice',
    'The capabilities `fa_view_*` can also change data. To limit them, set `access.viewCapabilitiesReadOnly`.',
  ],
  self_management: [
    'notice',
    'Managers can change their own affiliate data and payments. To prevent this, set `forbidSelfManagement`.',
  ],
} as const satisfies Record<string, readonly [Risk['severity'], string]>;

export type RiskCode = keyof typeof TEXTS;

/** The current risks of this installation. */
export async function risks(app: RiskDeps, start: StartReport): Promise<Risk[]> {
  const { options, host, secrets } = app;
  const found: Readonly<Record<RiskCode, boolean>> = {
    ...(await resealState(app)),
    default_secret: !secrets.given,
    secret_differs: secrets.differs,
    undeclared_proxy:
      options.tracking.trustProxy === undefined && (await optionRow(app, UNDECLARED_PROXY)) !== null,
    durability: start.durability.length > 0,
    jobs_off: !options.jobs && !(await isNew(app)) && !(await jobsRan(app)),
    mails_undeliverable: !options.mailer && !options.smtp && !host.mail,
    provider_silent: await isProviderSilent(app),
    mails_failed: await hasFailedMails(app),
    mails_bounced: await hasBounces(app),
    clock_ahead: await isClockAhead(app),
    schema_newer: (await start.newerSteps()).length > 0,
    program_copy: await app.settings.isCopy(),
    provider_off: await isProviderOff(app),
    unproved_addresses: host.users.create !== undefined && !options.registration.verifyEmail,
    tools_count: options.tracking.countTools,
    private_networks: [options.events, options.connectedSites, options.registration.captcha].some(
      (part) => part.allowPrivateNetworks,
    ),
    insecure_sites: options.connectedSites.allowHttp,
    trusted_amounts: options.connectedSites.trustAmounts,
    weak_secret: options.secret !== undefined && weaknessOf(options.secret) !== null,
    unsigned_conversions: options.tracking.unsignedConversions,
    unsigned_cookies: options.tracking.cookie.acceptUnsigned,
    views_may_write: !options.access.viewCapabilitiesReadOnly,
    self_management: !options.forbidSelfManagement,
  };
  return (Object.keys(TEXTS) as RiskCode[]).filter((code) => found[code]).map(riskOf);
}

const riskOf = (code: RiskCode): Risk => ({ code, severity: TEXTS[code][0], text: TEXTS[code][1] });

/**
 * On start: writes one line per severity to the log, and stores the codes in the database, where `doctor`
 * reads them.
 */
export async function logRisks(app: RiskDeps, start: StartReport): Promise<void> {
  const known = await risks(app, start);
  for (const [severity, level] of [
    ['warning', 'warn'],
    ['notice', 'info'],
  ] as const) {
    const shown = known.filter((risk) => risk.severity === severity);
    if (shown.length > 0)
      app.log[level]('risks of this installation', {
        codes: shown.map(({ code }) => code).join(', '),
        texts: shown.map(({ text }) => text).join(' '),
      });
  }
  const value = JSON.stringify(known.map(({ code }) => code));
  if ((await optionRow(app, STORED)) === value) return;
  const row = { name: STORED, value, version: 1, updated_at: app.clock.now() };
  await app.db.dialect.upsert(app.db, 'options', [row], ['name'], ['value', 'updated_at']);
}

/**
 * The risks that the last start found, and what the database says now; for a command that runs beside the service.
 */
export async function storedRisks(app: RiskDeps): Promise<Risk[]> {
  const codes = new Set(readJson<string[]>(await optionRow(app, STORED), []));
  if ((await optionRow(app, UNDECLARED_PROXY)) !== null && codes.size > 0) codes.add('undeclared_proxy');
  const now: Partial<Record<RiskCode, boolean>> = {
    ...(await storedResealState(app)),
    mails_failed: await hasFailedMails(app),
    mails_bounced: await hasBounces(app),
    clock_ahead: await isClockAhead(app),
  };
  for (const [code, isSo] of Object.entries(now)) codes[isSo ? 'add' : 'delete'](code);
  return (Object.keys(TEXTS) as RiskCode[]).filter((code) => codes.has(code)).map(riskOf);
}

async function optionRow(app: RiskDeps, name: string): Promise<string | null> {
  const row = await app.db.findByKey('options', ['value'], { name });
  return (row?.['value'] ?? null) as string | null;
}

async function hasFailedMails({ db }: RiskDeps): Promise<boolean> {
  const rows = await db.readLocal(
    `select id from ${db.name('outbox')} where channel = ? and status = ? limit 1`,
    ['mail', 'dead'],
  );
  return rows.length > 0;
}

async function hasBounces({ db, clock }: RiskDeps): Promise<boolean> {
  const rows = await db.readLocal(
    `select mark from ${db.name('bounced_addresses')} where bounced_at > ? limit 1`,
    [clock.now() - 30 * DAY],
  );
  return rows.length > 0;
}

async function isClockAhead({ db, clock }: RiskDeps): Promise<boolean> {
  const rows = await db.readLocal(
    `select name from ${db.name('job_leases')} where name like 'job:%' and last_run_at > ? limit 1`,
    [clock.now() + HOUR],
  );
  return rows.length > 0;
}

/** A program made less than an hour ago has had no time for its first jobs. */
async function isNew({ db, clock }: RiskDeps): Promise<boolean> {
  const now = clock.now();
  const rows = await db.readLocal(
    `select id from ${db.name('schema_steps')} where applied_at > ? and applied_at <= ? limit 1`,
    [now - HOUR, now],
  );
  return rows.length > 0;
}

async function jobsRan(app: RiskDeps): Promise<boolean> {
  const rows = await app.db.readLocal(
    `select name from ${app.db.name('job_leases')} where name like 'job:%' and last_run_at > ? limit 1`,
    [app.clock.now() - HOUR],
  );
  return rows.length > 0;
}

async function isProviderOff(app: RiskDeps): Promise<boolean> {
  const { enabled_integrations: enabled } = await app.settings.referralConfig();
  return app.options.providers.some(({ key }) => !enabled.includes(key));
}

/** A provider counts as silent only if it has delivered before; otherwise it is new. */
async function isProviderSilent(app: RiskDeps): Promise<boolean> {
  const { enabled_integrations: enabled } = await app.settings.referralConfig();
  if (enabled.length === 0) return false;
  const rows: { last: number | string }[] = await app
    .db('provider_deliveries')
    .max({ last: 'received_at' })
    .whereIn('provider', enabled)
    .groupBy('provider');
  return rows.some(({ last }) => Number(last) < app.clock.now() - 7 * DAY);
}
