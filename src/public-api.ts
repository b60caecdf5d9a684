import type { App } from './app.js';
import type { BalanceCorrection, ReferralStatus } from './accounting/ledger/types.js';
import { readId } from './core/id.js';
import type { AffiliateInput } from './program/affiliates/types.js';

/**
 * What hosts may call of each service. The other methods (locks, ledger entries, changes inside another
 * transaction) are for modules only and are not reachable here.
 */
export const publicApi = (app: App) => ({
  affiliates: {
    ...byId(app.affiliates, ['changeStatus', 'find', 'get', 'remove', 'saveProfile', 'update']),
    ...byId(app.affiliates, ['merge'], 2),
    ...byMany(app.affiliates, ['findMany']),
    /**
     * Makes an affiliate of a user: `user` is the host's own id, also a text; `user_id` is the program's number for
     * this user. Throws 422 `validation_failed` for a user the host does not know.
     */
    create: async ({ user, ...input }: OfUser<AffiliateInput>) =>
      app.affiliates.create({
        ...input,
        user_id: user === undefined ? input.user_id! : await userId(app, user),
      }),
    /** The affiliate of a user, given by the host's own id or the program's number; null when there is none. */
    findByUser: async (user: string | number) => app.affiliates.findByUser(await userId(app, user)),
    /**
     * What an affiliate has earned, in each currency: `from` and `to` are days of the site's time zone
     * (`2026-01-31`), both included; `status` is one status or several. One statement, whatever the number of orders.
     */
    totals: (id: number, { from, to, status }: EarningsQuery = {}) =>
      app.referrals.totals({
        ...FIRST_PAGE,
        affiliate_id: idOf(id),
        ...(from !== undefined && { date_from: from }),
        ...(to !== undefined && { date_to: to }),
        ...(status !== undefined && { status }),
      }),
    ...lists(app.affiliates, ['list']),
  },
  apiKeys: {
    ...byId(app.apiKeys, ['get', 'remove', 'update']),
    ...only(app.apiKeys, ['create', 'list']),
  },
  audit: lists(app.audit, ['list']),
  captcha: only(app.captcha, ['challenge', 'save', 'settings']),
  conversions: {
    ...byId(app.conversions, ['couponsOf']),
    ...only(app.conversions, [
      'cancel',
      'cancelLead',
      'complete',
      'couponHistory',
      'dispute',
      'find',
      'lead',
      'qualify',
      'record',
      'refund',
      'skipped',
      'unbindCoupon',
      'update',
    ]),
    bindCoupon: (provider: string, code: string, affiliateId: number) =>
      app.conversions.bindCoupon(provider, code, idOf(affiliateId)),
    ...lists(app.conversions, ['listCoupons']),
  },
  creatives: {
    ...byId(app.creatives, ['embedCode', 'find', 'get', 'remove', 'update']),
    ...only(app.creatives, ['create']),
    ...lists(app.creatives, ['list']),
  },
  customers: {
    ...byId(app.customers, ['find', 'update', 'view']),
    ...byId(app.customers, ['keepApart', 'link', 'merge', 'unlink'], 2),
    ...only(app.customers, ['export', 'forget', 'match', 'search']),
    ...lists(app.customers, ['list']),
  },
  emails: only(app.emails, [
    'allow',
    'bounced',
    'config',
    'deliverDue',
    'notifications',
    'saveConfig',
    'send',
    'sendTest',
    'smartCodes',
  ]),
  events: {
    ...byId(app.events, [
      'endpoint',
      'ping',
      'removeEndpoint',
      'replay',
      'rotateSecret',
      'secret',
      'updateEndpoint',
    ]),
    ...byId(app.events, ['resend'], 2),
    ...listsOf(app.events, ['deliveries']),
    ...only(app.events, ['createEndpoint', 'deliverDue', 'endpoints', 'lineUp', 'list']),
  },
  fraud: {
    ...byId(app.fraud, ['paysWith', 'sawAt']),
    ...only(app.fraud, ['actions']),
    ...lists(app.fraud, ['list']),
  },
  groups: {
    ...byId(app.groups, ['find', 'get', 'remove', 'update']),
    ...byMany(app.groups, ['findMany']),
    ...only(app.groups, ['create', 'names', 'overview']),
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
    correct: (affiliateId: number, input: BalanceCorrection) =>
      app.referrals.correct(idOf(affiliateId), input),
  },
  license: only(app.license, ['activate', 'deactivate', 'status']),
  links: {
    ...byId(app.links, ['get', 'remove', 'update']),
    ...only(app.links, ['create', 'target']),
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
  payers: {
    ...byId(app.payers, ['batches', 'methodsOf', 'payments', 'reconcile', 'statesOf']),
    ...byId(app.payers, ['cancel', 'retry', 'settle', 'settleBatch'], 2),
    plan: (payoutId: number, method: string, options?: { readonly confirm?: boolean }) =>
      app.payers.plan(idOf(payoutId), method, options),
    send: (payoutId: number, input: Parameters<typeof app.payers.send>[1]) =>
      app.payers.send(idOf(payoutId), input),
    ...only(app.payers, ['callDue', 'followDue', 'list', 'saveSettings', 'settings', 'toDo']),
  },
  payouts: {
    ...byId(app.payouts, [
      'failTransaction',
      'find',
      'get',
      'items',
      'markAllPaid',
      'undo',
      'undoPreview',
      'update',
      'view',
    ]),
    ...byId(app.payouts, ['deleteTransaction', 'setTransactionStatus', 'takePayee'], 2),
    ...byMany(app.payouts, ['findMany']),
    ...only(app.payouts, ['methods', 'methodsFor', 'preview', 'process', 'running']),
    ...lists(app.payouts, ['list']),
    ...listsOf(app.payouts, ['transactions']),
  },
  portal: only(app.portal, ['terms']),
  referrals: {
    ...byId(app.referrals, ['delete', 'find', 'get', 'update', 'view']),
    ...byMany(app.referrals, ['findMany']),
    ...only(app.referrals, ['create', 'findByKey', 'staleSummary']),
    ...lists(app.referrals, ['list', 'stale']),
    /**
     * Why a commission is what it is: the facts of its order, what it waits for and how it was computed. Null
     * without an order.
     */
    explain: async (id: number) => app.orders.explain(await app.referrals.get(idOf(id))),
  },
  registration: only(app.registration, [
    'confirm',
    'form',
    'list',
    'register',
    'save',
    'sendAgain',
    'settings',
    'state',
  ]),
  rewards: {
    ...byId(app.rewards, ['activate', 'get', 'remove', 'retire', 'simulate', 'simulation', 'update']),
    ...only(app.rewards, ['at', 'create']),
    terms: (affiliateId?: number) =>
      app.rewards.terms(affiliateId === undefined ? undefined : idOf(affiliateId)),
    ...only(app.conversions, ['tryRules']),
    ...byId(app.goals, ['pin', 'progressOf']),
    ...lists(app.rewards, ['list']),
  },
  reports: only(app.reports, ['balances', 'chart', 'dashboard', 'provider', 'providers']),
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
    ...byId(app.visits, ['find']),
    ...byMany(app.visits, ['findMany']),
    ...lists(app.visits, ['list']),
  },
});

/** Input that may name its user by the host's own id instead of the program's number. */
export type OfUser<Input extends { readonly user_id: number }> = Omit<Input, 'user_id'> & {
  readonly user_id?: number;
  readonly user?: string | number;
};

export interface EarningsQuery {
  readonly from?: string;
  readonly to?: string;
  readonly status?: ReferralStatus | readonly ReferralStatus[];
}

/** The program's number for a user of the host; 0, which is nobody's, for one the host does not know. */
const userId = async (app: App, user: string | number): Promise<number> =>
  typeof user === 'number' ? idOf(user) : ((await app.accounts.meet(user)) ?? 0);

/** The services behind the routes: same rules, no HTTP. */
export type Services = ReturnType<typeof publicApi>;
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

/** Default query of a list. */
const FIRST_PAGE = { page: 1, per_page: 20, search: '', order_by: '', order_type: 'DESC' } as const;

const wholeQuery = (query: unknown): object => ({
  ...FIRST_PAGE,
  ...Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)),
});

/** Lists: any part of their query may be left out. */
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

/**
 * Methods whose first arguments are ids. A value that cannot be an id is treated like the id of no record.
 */
function byId<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
  ids: 1 | 2 = 1,
): Pick<Service, Name> {
  const checked = changed(
    service,
    names,
    (member) =>
      (...given) =>
        member(...Array.from({ length: ids }, (_, at) => idOf(given[at])), ...given.slice(ids)),
  );
  return checked as Pick<Service, Name>;
}

/** The same for methods that take a list of ids. */
function byMany<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Pick<Service, Name> {
  const checked = changed(
    service,
    names,
    (member) => (ids) => member([...(ids as Iterable<unknown>)].map(idOf)),
  );
  return checked as Pick<Service, Name>;
}

/** 0 is the id of no record. */
const idOf = (given: unknown): number => readId(given) ?? 0;

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
  const lenient = changed(service, names, (list) => (id, query) => list(idOf(id), wholeQuery(query)));
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
