import type { IncomingMessage } from 'node:http';

/** A user of the host. Ids are integers; hosts with text ids map them through `hostUserIds` (adapters/README.md). */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly email: string;
  readonly display_name: string;
  readonly first_name: string;
  readonly last_name: string;
  /** First and last name, else the display name. */
  readonly full_name: string;
  readonly url: string;
  readonly avatar: string;
  /** ISO 8601, UTC, or "" when unknown. */
  readonly registered_at: string;
  readonly roles?: readonly string[];
}

export interface HostSite {
  /** Absolute URL of the home page, without a trailing slash. */
  readonly url: string;
  readonly name: string;
  readonly description?: string;
  readonly adminEmail?: string;
  /** IANA name; every day, chart and export follows it. */
  readonly timeZone: string;
  /** Where the host mounts REST interfaces, e.g. `/wp-json`. */
  readonly restPrefix: string;
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

/** Absent = kept. E-mail, login and password stay the host's own business. */
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
}

/** A file of the host's media library. */
export interface HostMedia {
  readonly url: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly type: string | null;
}

/** What an addon is, as `GET /settings/features` shows it. */
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

/** Everything the library asks of the site it lives in. Optional parts: without one, its endpoints answer as documented. */
export interface HostAdapter {
  site(): HostSite;
  /** The signed-in user of a request, whatever it takes (cookie, token, basic auth); never looks at the nonce. */
  currentUser(req: IncomingMessage): Promise<HostUser | null>;
  can(userId: number, capability: string): Promise<boolean>;
  readonly nonces: {
    create(user: HostUser, req: IncomingMessage): Promise<string>;
    verify(nonce: string, user: HostUser, req: IncomingMessage): Promise<boolean>;
  };
  readonly users: {
    /** The known ones among these ids, in any order, in one call per page. */
    find(ids: readonly number[]): Promise<HostUser[]>;
    /** Users whose login, e-mail, display name or full name contains the text, without regard to case. */
    search(text: string, limit: number): Promise<HostUser[]>;
    findByLogin?(login: string): Promise<HostUser | null>;
    findByEmail?(email: string): Promise<HostUser | null>;
    create?(user: NewHostUser): Promise<HostUser>;
    /** Changes what users may change about themselves and answers the user as it is then. Without it the portal shows the profile only. */
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
  readonly license?: {
    status(options: { readonly verify: boolean }): Promise<Readonly<Record<string, unknown>>>;
    activate(key: string): Promise<Readonly<Record<string, unknown>>>;
    deactivate(): Promise<Readonly<Record<string, unknown>>>;
  };
  /**
   * Units of `to` for one unit of `from` today (ISO 4217 codes), as decimal text or a number; null when the host does not know.
   * Asked for a flat commission of an order in another currency; without an answer the commission waits for a person.
   */
  exchangeRate?(from: string, to: string): Promise<string | number | null>;
  readonly mail?: (mail: HostMail) => Promise<void>;
}
