import type { IncomingMessage } from 'node:http';

/**
 * A user of the host. Ids are integers; `defineHost({ ids: 'text' })` and `hostUserIds` map text ids to them
 * (docs/hosts.md §2).
 */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly email: string;
  readonly display_name: string;
  readonly first_name: string;
  readonly last_name: string;
  /** First and last name, or the display name. */
  readonly full_name: string;
  readonly url: string;
  readonly avatar: string;
  /** ISO 8601, UTC, or "" when unknown. */
  readonly registered_at: string;
  /** Language of mails to this user, BCP 47 (`de`, `pt-BR`); default: that of the site. */
  readonly language?: string;
  readonly roles?: readonly string[];
  /** Where an administrator edits this account in the host; default: the site's `adminUrl`. */
  readonly edit_url?: string;
}

/** Who sent a request. */
export interface HostSignIn {
  readonly user: HostUser;
  /**
   * `false`: the request carries credentials that no browser sends by itself (an `Authorization` header, an
   * application password). Another site cannot have caused it, so no nonce is asked for. Cookies are always
   * ambient.
   */
  readonly ambient: boolean;
}

/**
 * Integers for the text ids of a host, stored in the service's database. They are made on first use and never
 * change.
 */
export interface HostIdTable {
  idOf(hostId: string): Promise<number>;
  /** The same for a list, in a fixed number of queries for each thousand ids. */
  idsOf(hostIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The text ids of these integers; integers without one are omitted. */
  hostIdsOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** What a service gives to its adapter. */
export interface HostLibrary {
  readonly userIds: HostIdTable;
  readonly pageIds: HostIdTable;
}

export interface HostSite {
  /** Absolute URL of the home page, without a trailing slash. */
  readonly url: string;
  readonly name: string;
  readonly description?: string;
  readonly adminEmail?: string;
  /** IANA name. It decides which day something belongs to, in charts and exports too. */
  readonly timeZone: string;
  /** Where the host mounts REST interfaces, e.g. `/wp-json`. */
  readonly restPrefix: string;
  /** Language of the site's texts, BCP 47 (`de`, `pt-BR`); default `en`. Mails are marked with it. */
  readonly language?: string;
  readonly adminUrl?: string;
  readonly loginUrl?: string;
}

export interface HostPage {
  readonly id: number;
  readonly title: string;
  readonly link: string;
}
export interface NewHostPage {
  readonly title: string;
  readonly content: string;
}

export interface NewHostUser {
  readonly login: string;
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** Absent fields do not change. E-mail, login and password can only be changed in the host. */
export interface HostUserChanges {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly url?: string;
}

export interface HostMail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly from?: string;
  readonly replyTo?: string;
  /** The same on every try to send it, so that a mail that arrived twice shows once. */
  readonly messageId?: string;
  /** Further header lines, e.g. `List-Unsubscribe`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file of the host's media library. */
export interface HostMedia {
  readonly url: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly type: string | null;
}

/** An uploaded picture: its content was checked and fits its type. */
export interface HostFile {
  /** Made from the content, so the same picture always has the same name, e.g. `3f0a….png`. */
  readonly name: string;
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/** An addon as `GET /settings/features` shows it. */
export interface HostAddon {
  readonly title: string;
  readonly description: string;
  readonly logo: string;
  readonly repo_slug: string;
  readonly plugin_file: string;
  readonly is_repo: boolean;
  readonly is_installed: boolean;
  readonly settings_url: string;
  readonly action_text: string;
}

/**
 * Everything the library asks of the site it lives in. What an endpoint does without an optional part is
 * documented with it.
 */
export interface HostAdapter {
  site(): HostSite;
  /** The signed-in user of a request, by cookie, token or basic auth. It must not look at the nonce. */
  currentUser(req: IncomingMessage): Promise<HostUser | null>;
  /** Used instead of `currentUser` for requests to the interface: also returns whether a nonce is needed. */
  authenticate?(req: IncomingMessage): Promise<HostSignIn | null>;
  can(userId: number, capability: string): Promise<boolean>;
  readonly nonces: {
    create(user: HostUser, req: IncomingMessage): Promise<string>;
    verify(nonce: string, user: HostUser, req: IncomingMessage): Promise<boolean>;
  };
  readonly users: {
    /** The users with these ids, in any order; called once per page of rows. Unknown ids are omitted. */
    find(ids: readonly number[]): Promise<HostUser[]>;
    /** Users whose login, e-mail, display name or full name contains the text, without regard to case. */
    search(text: string, limit: number): Promise<HostUser[]>;
    findByLogin?(login: string): Promise<HostUser | null>;
    findByEmail?(email: string): Promise<HostUser | null>;
    create?(user: NewHostUser): Promise<HostUser>;
    /**
     * Changes what users may change about themselves, and returns the user as it is then. Without it, the
     * portal only shows the profile.
     */
    update?(id: number, changes: HostUserChanges): Promise<HostUser>;
    /** Signs the user in after registration. */
    signIn?(user: HostUser, req: IncomingMessage, res: unknown): Promise<void>;
  };
  readonly pages?: {
    list(query: { readonly search: string; readonly limit: number }): Promise<HostPage[]>;
    get?(id: number): Promise<HostPage | null>;
    create(page: NewHostPage): Promise<HostPage>;
    existsByPath?(path: string): Promise<boolean>;
  };
  readonly addons?: {
    list(): Promise<Readonly<Record<string, HostAddon>>>;
    canInstall(user: HostUser): Promise<boolean>;
    install(key: string): Promise<void>;
  };
  /** Pictures an administrator can choose for a creative. */
  readonly media?: {
    get(id: number): Promise<HostMedia | null>;
  };
  /**
   * Stores uploaded pictures. Serve them with exactly this type and `X-Content-Type-Options: nosniff`, also to
   * visitors. Without it, the option `uploads` names a folder.
   */
  readonly files?: {
    /**
     * Stores the file and returns its public address. A repeated name may replace the file or leave it
     * unchanged.
     */
    put(file: HostFile): Promise<{ readonly url: string }>;
  };
  readonly license?: {
    status(options: { readonly verify: boolean }): Promise<Readonly<Record<string, unknown>>>;
    activate(key: string): Promise<Readonly<Record<string, unknown>>>;
    deactivate(): Promise<Readonly<Record<string, unknown>>>;
  };
  /**
   * How many units of `to` one unit of `from` is worth today (ISO 4217 codes), as decimal text or a number;
   * null when the host does not know. Asked when a flat commission applies to an order in another currency.
   * Without a rate, the commission waits for a person.
   */
  exchangeRate?(from: string, to: string): Promise<string | number | null>;
  readonly mail?: (mail: HostMail) => Promise<void>;
  /**
   * Called once when a service is created with this adapter; returns the function to call when the service
   * closes.
   */
  readonly connect?: (library: HostLibrary) => () => void;
}
