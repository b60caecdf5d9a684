import type { App } from './app.js';
import { MODULES } from './modules.js';
import type { BalanceCorrection, ReferralStatus } from '../accounting/ledger/types.js';
import { byId, FIRST_PAGE, idOf, only } from '../platform/api.js';
import type { AffiliateInput } from '../program/affiliates/types.js';

type Listed = (typeof MODULES)[number];
/** What each module lets hosts call. */
type ModuleApis = {
  readonly [M in Listed as ReturnType<M['api']> extends undefined ? never : M['name']]: ReturnType<M['api']>;
};
type JoinedApis = ReturnType<typeof joinedApis>;
/** A module's own methods, and those under its name that also use other modules. */
type ServicesByName = {
  readonly [Name in keyof ModuleApis]: Name extends keyof JoinedApis
    ? ModuleApis[Name] & JoinedApis[Name]
    : ModuleApis[Name];
};

/** The services behind the routes: same rules, no HTTP. */
export interface Services extends ServicesByName, EarlierNames {}

/** Former names of services. Each is the same object as under the new name. */
export interface EarlierNames {
  /** @deprecated Use `webhooks`. */
  readonly events: WebhooksApi;
  /** @deprecated Use `commerce`. */
  readonly integrations: CommerceApi;
  /** @deprecated Use `imports`. */
  readonly migrations: ImportsApi;
  /** @deprecated Use `connectedSites`. */
  readonly sites: ConnectedSitesApi;
}

export function publicApi(app: App): Services {
  const joined: Readonly<Record<string, object>> = joinedApis(app);
  const services = Object.fromEntries(
    MODULES.flatMap(({ name, api }) => {
      const own = (api as (service: object) => object | undefined)(app[name]); // the api takes this service
      return own === undefined ? [] : [[name, { ...own, ...joined[name] }]];
    }),
  ) as unknown as ServicesByName;
  return {
    ...services,
    events: services.webhooks,
    integrations: services.commerce,
    migrations: services.imports,
    sites: services.connectedSites,
  };
}

/** Methods that need more than one module. */
const joinedApis = (app: App) => ({
  affiliates: {
    /**
     * Makes an affiliate of a user: `user` is the host's own id, also a text; `user_id` is the program's number for
     * this user. Throws 422 `validation_failed` for a user the host does not know.
     */
    create: async ({ user, ...input }: OfUser<AffiliateInput>) =>
      app.affiliates.changes.create({
        ...input,
        user_id: user === undefined ? input.user_id! : await userId(app, user),
      }),
    /** The affiliate of a user, given by the host's own id or the program's number; null when there is none. */
    findByUser: async (user: string | number) => app.affiliates.findByUser(await userId(app, user)),
    /**
     * What an affiliate has earned, in each currency: `from` and `to` are days of the site's time zone
     * (`2026-01-31`), both included; `status` is one status or several. Runs one statement for any number of
     * orders.
     */
    totals: (id: number, { from, to, status }: EarningsQuery = {}) =>
      app.referrals.lists.totals({
        ...FIRST_PAGE,
        affiliate_id: idOf(id),
        ...(from !== undefined && { date_from: from }),
        ...(to !== undefined && { date_to: to }),
        ...(status !== undefined && { status }),
      }),
  },
  ledger: {
    correct: (affiliateId: number, input: BalanceCorrection) =>
      app.referrals.correct(idOf(affiliateId), input),
  },
  referrals: {
    /**
     * Why a commission is what it is: the facts of its order, what it waits for and how it was computed. Null
     * without an order.
     */
    explain: async (id: number) => app.orders.explain(await app.referrals.get(idOf(id))),
  },
  rewards: {
    ...only(app.conversions, ['tryRules']),
    ...byId(app.goals, ['pin', 'progressOf']),
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

/** The program's number for a user of the host; 0, which no user has, for a user the host does not know. */
const userId = async (app: App, user: string | number): Promise<number> =>
  typeof user === 'number' ? idOf(user) : ((await app.accounts.meet(user)) ?? 0);

export type AffiliatesApi = Services['affiliates'];
export type ApiKeysApi = Services['apiKeys'];
export type AuditApi = Services['audit'];
export type CommerceApi = Services['commerce'];
export type ConnectedSitesApi = Services['connectedSites'];
export type ConversionsApi = Services['conversions'];
export type CreativesApi = Services['creatives'];
export type CustomersApi = Services['customers'];
export type EmailsApi = Services['emails'];
export type FraudApi = Services['fraud'];
export type GroupsApi = Services['groups'];
export type ImportsApi = Services['imports'];
export type LedgerApi = Services['ledger'];
export type LinksApi = Services['links'];
export type ManagersApi = Services['managers'];
export type PayoutsApi = Services['payouts'];
export type ReferralsApi = Services['referrals'];
export type RegistrationApi = Services['registration'];
export type ReportsApi = Services['reports'];
export type SettingsApi = Services['settings'];
export type TrackingApi = Services['tracking'];
export type VisitsApi = Services['visits'];
export type WebhooksApi = Services['webhooks'];
/** @deprecated Use `WebhooksApi`. */
export type EventsApi = WebhooksApi;
/** @deprecated Use `CommerceApi`. */
export type IntegrationsApi = CommerceApi;
/** @deprecated Use `ImportsApi`. */
export type MigrationsApi = ImportsApi;
/** @deprecated Use `ConnectedSitesApi`. */
export type SitesApi = ConnectedSitesApi;
