import type { App } from './app.js';

/**
 * What hosts may call of each service. The rest of a service (locks, postings,
 * rows inside somebody else's transaction) is for other modules: it is not on these objects.
 */
export const frontDoor = (app: App) => ({
  affiliates: {
    ...only(app.affiliates, [
      'changeStatus',
      'create',
      'find',
      'findByUser',
      'findMany',
      'get',
      'merge',
      'remove',
      'saveProfile',
      'update',
    ]),
    ...lists(app.affiliates, ['list']),
  },
  apiKeys: only(app.apiKeys, ['create', 'get', 'list', 'remove', 'update']),
  audit: lists(app.audit, ['list']),
  captcha: only(app.captcha, ['challenge', 'save', 'settings']),
  conversions: only(app.conversions, [
    'bindCoupon',
    'cancel',
    'complete',
    'couponsOf',
    'dispute',
    'find',
    'record',
    'refund',
    'skipped',
    'unbindCoupon',
  ]),
  creatives: {
    ...only(app.creatives, ['create', 'embedCode', 'find', 'get', 'remove', 'update']),
    ...lists(app.creatives, ['list']),
  },
  customers: {
    ...only(app.customers, ['export', 'find', 'forget', 'link', 'match', 'search', 'unlink', 'view']),
    ...lists(app.customers, ['list']),
  },
  emails: only(app.emails, ['config', 'deliverDue', 'notifications', 'saveConfig', 'sendTest', 'smartCodes']),
  events: {
    ...listsOf(app.events, ['deliveries']),
    ...only(app.events, [
      'createEndpoint',
      'deliverDue',
      'endpoint',
      'endpoints',
      'lineUp',
      'list',
      'ping',
      'removeEndpoint',
      'replay',
      'resend',
      'rotateSecret',
      'secret',
      'updateEndpoint',
    ]),
  },
  fraud: {
    ...only(app.fraud, ['actions', 'paysWith', 'sawAt']),
    ...lists(app.fraud, ['list']),
  },
  groups: {
    ...only(app.groups, ['create', 'find', 'findMany', 'get', 'names', 'overview', 'remove', 'update']),
    ...lists(app.groups, ['list']),
  },
  integrations: only(app.integrations, [
    'bindCoupon',
    'deliveries',
    'get',
    'intake',
    'keys',
    'list',
    'reconcile',
    'register',
    'settings',
    'sweep',
  ]),
  ledger: {
    ...only(app.ledger, ['reconcile', 'verify']),
    correct: app.referrals.correct.bind(app.referrals),
  },
  license: only(app.license, ['activate', 'deactivate', 'status']),
  links: {
    ...only(app.links, ['create', 'get', 'remove', 'target', 'update']),
    ...lists(app.links, ['list']),
  },
  managers: only(app.managers, ['list', 'remove', 'save']),
  migrations: only(app.migrations, [
    'cancel',
    'check',
    'compareAffiliates',
    'dataCounts',
    'exportProgram',
    'importProgram',
    'list',
    'remarks',
    'report',
    'resume',
    'run',
    'start',
    'statistics',
    'status',
    'wipe',
  ]),
  payouts: {
    ...only(app.payouts, [
      'deleteTransaction',
      'failTransaction',
      'find',
      'findMany',
      'get',
      'items',
      'markAllPaid',
      'methods',
      'methodsFor',
      'preview',
      'process',
      'setTransactionStatus',
      'update',
      'view',
    ]),
    ...lists(app.payouts, ['list']),
    ...listsOf(app.payouts, ['transactions']),
  },
  referrals: {
    ...only(app.referrals, [
      'create',
      'delete',
      'find',
      'findByKey',
      'findMany',
      'get',
      'staleSummary',
      'update',
      'view',
    ]),
    ...lists(app.referrals, ['list', 'stale']),
    /**
     * Why a commission is what it is: its facts, what it waits for and how it was computed.
     * Null without an order.
     */
    explain: async (id: number) => app.orders.explain(await app.referrals.get(id)),
  },
  registration: only(app.registration, ['confirm', 'form', 'list', 'register', 'save', 'settings', 'state']),
  reports: only(app.reports, ['chart', 'dashboard', 'provider', 'providers']),
  settings: only(app.settings, [
    'features',
    'portalUrl',
    'referralConfig',
    'rules',
    'saveReferralConfig',
    'saveRules',
  ]),
  sites: only(app.sites, [
    'active',
    'config',
    'connectConfig',
    'disconnect',
    'find',
    'getSite',
    'issue',
    'setStatus',
    'update',
  ]),
  tracking: only(app.tracking, [
    'attribution',
    'buildShareUrl',
    'flush',
    'resolveParam',
    'shareUrlOf',
    'signConversion',
    'skipped',
    'trackerVars',
    'valueOf',
  ]),
  visits: {
    ...only(app.visits, ['find', 'findMany']),
    ...lists(app.visits, ['list']),
  },
});

/** The services behind the routes: same rules, no HTTP. */
export type Services = ReturnType<typeof frontDoor>;
export type AffiliatesApi = Services['affiliates'];
export type ApiKeysApi = Services['apiKeys'];
export type AuditApi = Services['audit'];
export type ConversionsApi = Services['conversions'];
export type CreativesApi = Services['creatives'];
export type CustomersApi = Services['customers'];
export type EmailsApi = Services['emails'];
export type EventsApi = Services['events'];
export type FraudApi = Services['fraud'];
export type GroupsApi = Services['groups'];
export type IntegrationsApi = Services['integrations'];
export type LedgerApi = Services['ledger'];
export type LinksApi = Services['links'];
export type ManagersApi = Services['managers'];
export type MigrationsApi = Services['migrations'];
export type PayoutsApi = Services['payouts'];
export type ReferralsApi = Services['referrals'];
export type RegistrationApi = Services['registration'];
export type ReportsApi = Services['reports'];
export type SettingsApi = Services['settings'];
export type SitesApi = Services['sites'];
export type TrackingApi = Services['tracking'];
export type VisitsApi = Services['visits'];

/** What a request for a list leaves out. */
const FIRST_PAGE = { page: 1, per_page: 20, search: '', order_by: '', order_type: 'DESC' } as const;

const wholeQuery = (query: unknown): object => ({
  ...FIRST_PAGE,
  ...Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)),
});

/** Lists whose query may leave out what a request may. */
type Lists<Service, Name extends keyof Service> = {
  readonly [Each in Name]: Service[Each] extends (query: infer Query, ...rest: infer Rest) => infer Answer
    ? (query?: Partial<Query>, ...rest: Rest) => Answer
    : never;
};

/** The same for lists of what belongs to one record. */
type ListsOf<Service, Name extends keyof Service> = {
  readonly [Each in Name]: Service[Each] extends (id: number, query: infer Query) => infer Answer
    ? (id: number, query?: Partial<Query>) => Answer
    : never;
};

type Call = (...given: readonly unknown[]) => unknown;

function lists<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Lists<Service, Name> {
  const lenient = changed(
    service,
    names,
    (list) =>
      (query, ...rest) =>
        list(wholeQuery(query), ...rest),
  );
  return lenient as Lists<Service, Name>;
}

function listsOf<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): ListsOf<Service, Name> {
  const lenient = changed(service, names, (list) => (id, query) => list(id, wholeQuery(query)));
  return lenient as ListsOf<Service, Name>;
}

function changed<Service extends object>(
  service: Service,
  names: readonly (keyof Service)[],
  change: (member: Call) => Call,
): object {
  return Object.fromEntries(names.map((name) => [name, change((service[name] as Call).bind(service))]));
}

function only<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Pick<Service, Name> {
  const members = names.map((name) => {
    const member = service[name];
    return [name, typeof member === 'function' ? (member.bind(service) as unknown) : member];
  });
  return Object.fromEntries(members) as Pick<Service, Name>;
}
