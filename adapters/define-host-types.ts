import type { IncomingMessage } from 'node:http';
import type {
  HostAdapter,
  HostPage,
  HostSite,
  HostUser,
  HostUserChanges,
  NewHostPage,
  NewHostUser,
} from './host.js';

/**
 * `text`: UUIDs, cuids, object ids; the library stores an integer for each. `integer`: used as they are; text
 * made of digits counts too.
 */
export type HostIdKind = 'text' | 'integer';
export type HostId<Kind extends HostIdKind> = Kind extends 'text' ? string : number;

type Awaitable<T> = T | Promise<T>;
type None = null | undefined;

/** Facts of the site. A slash at the end of `url` is taken off. */
export interface SiteDefinition extends Omit<HostSite, 'restPrefix'> {
  /** Path under which the interface is mounted; default `/api`. */
  readonly restPrefix?: string;
}

/** What the library needs to know of a user. Only `id` and `email` are required. */
export interface UserProfile {
  readonly id: string | number;
  readonly email: string;
  /** Default: the e-mail address. */
  readonly login?: string | null;
  /** The name shown; default: first and last name, else the login. */
  readonly name?: string | null;
  /** Default: the first word of `name`. */
  readonly first_name?: string | null;
  /** Default: the other words of `name`. */
  readonly last_name?: string | null;
  /** The user's own site. */
  readonly url?: string | null;
  readonly avatar?: string | null;
  readonly registered_at?: string | number | Date | null;
  /** Language of mails to this user, BCP 47 (`de`, `pt-BR`); default: that of the site. */
  readonly language?: string | null;
  readonly roles?: readonly string[] | null;
}

/** Who is signed in. */
export interface SessionOf<Row> {
  readonly user: Row;
  /** Something that changes with every sign-in, such as the session's id: nonces end with it. */
  readonly signIn: string;
  /**
   * `false` for credentials that browsers do not send by themselves (`Authorization`): then no nonce is asked
   * for. Default true.
   */
  readonly ambient?: boolean;
}

export interface PageRow {
  readonly id: string | number;
  readonly title: string;
  /** Absolute, or a path of the site. */
  readonly link: string;
}

/**
 * What `defineHost` takes. `Row` is the host's own user record, in any shape. Every function may be async.
 */
export interface HostDefinition<Row, Kind extends HostIdKind = HostIdKind> {
  readonly site: SiteDefinition | (() => SiteDefinition);
  readonly ids: Kind;
  /** Signs the nonces; at least 16 characters, the same in every process. */
  readonly secret: string;
  /** The signed-in user of a request, by cookie or credentials; null for a visitor. */
  session(req: IncomingMessage): Awaitable<SessionOf<Row> | None>;
  user(row: Row): UserProfile;
  /**
   * `administrator`, or the capabilities of the user: `manage_options` (the same as administrator),
   * `fa_view_affiliates`, `fa_view_referrals`, `fa_view_visits`, `fa_view_payouts`, `list_users`.
   */
  rights(row: Row): Awaitable<'administrator' | readonly string[] | None>;
  readonly users: {
    /** The users with these ids, in any order, read by one query. Unknown ids are omitted. */
    byIds(ids: readonly HostId<Kind>[]): Awaitable<readonly (Row | None)[] | None>;
    /** Users with this text in login, e-mail address or name; `limit` is 1 or more. */
    search(text: string, limit: number): Awaitable<readonly (Row | None)[] | None>;
    byEmail?(email: string): Awaitable<Row | None>;
    byLogin?(login: string): Awaitable<Row | None>;
    /**
     * Makes an account without rights; throws when login or address is taken. With it, visitors can register.
     */
    readonly create?: (user: NewHostUser) => Awaitable<Row>;
    /** Changes what users may change about themselves, and returns the row as it is then. */
    readonly update?: (row: Row, changes: HostUserChanges) => Awaitable<Row>;
    /** Signs in a user who has just registered; sets the host's cookie on `res`. */
    readonly signIn?: (row: Row, req: IncomingMessage, res: unknown) => Awaitable<void>;
  };
  readonly pages?: {
    list(query: {
      readonly search: string;
      readonly limit: number;
    }): Awaitable<readonly (PageRow | None)[] | None>;
    create(page: NewHostPage): Awaitable<PageRow>;
    get?(id: HostId<Kind>): Awaitable<PageRow | None>;
    existsByPath?(path: string): Awaitable<boolean>;
  };
  /** Where an administrator edits this user in the host. */
  userUrl?(row: Row): string;
  readonly mail?: HostAdapter['mail'];
  readonly exchangeRate?: HostAdapter['exchangeRate'];
  readonly addons?: HostAdapter['addons'];
  readonly license?: HostAdapter['license'];
  readonly media?: HostAdapter['media'];
  readonly files?: HostAdapter['files'];
}

/**
 * A complete adapter, and the mapping between the host's ids and the library's. A plain object: spread it and
 * replace what you like.
 */
export interface DefinedHost<Kind extends HostIdKind = HostIdKind> extends HostAdapter {
  authenticate: NonNullable<HostAdapter['authenticate']>;
  readonly users: HostAdapter['users'] & Required<Pick<HostAdapter['users'], 'findByEmail' | 'findByLogin'>>;
  /** The user behind an id of the host, or null. */
  userOf(hostId: HostId<Kind>): Promise<HostUser | null>;
}

export type { HostPage };
