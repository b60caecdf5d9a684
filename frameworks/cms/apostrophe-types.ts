import type { IncomingMessage } from 'node:http';
import type { HostAdapter } from '../../adapters/index.js';
import type { AffiliateService } from '../../src/index.js';

// What is used of ApostropheCMS, which has no types of its own.

export interface ApostropheUser {
  readonly _id: string;
  readonly aposDocId?: string;
  readonly username?: string;
  readonly email?: string;
  readonly title?: string;
  readonly role?: string;
  readonly archived?: boolean;
  readonly createdAt?: string | Date;
}

export interface ApostrophePage {
  readonly _id: string;
  readonly aposDocId?: string;
  readonly title: string;
  readonly slug: string;
  readonly _url?: string;
}

export interface ApostropheRequest extends IncomingMessage {
  readonly user?: ApostropheUser | null;
  readonly sessionID?: string;
  /** A bearer token of the CMS. */
  readonly token?: string | null;
}

interface Query<Doc> {
  archived(which: boolean | null): Query<Doc>;
  areas(load: boolean): Query<Doc>;
  relationships(load: boolean): Query<Doc>;
  limit(count: number): Query<Doc>;
  toArray(): Promise<Doc[]>;
  toObject(): Promise<Doc | undefined>;
}

interface Other {
  readonly options: Readonly<Record<string, { readonly secret?: unknown } | undefined>>;
  getTransport?(): { sendMail(mail: object): Promise<unknown> };
  newInstance?(): object;
}

export interface Apostrophe {
  readonly rootDir: string;
  readonly shortName: string;
  readonly baseUrl?: string;
  readonly modules: Readonly<Record<string, Other | undefined>>;
  readonly task: { getReq(): object };
  readonly user: {
    find(req: object, query: object): Query<ApostropheUser>;
    newInstance(): object;
    insert(req: object, user: object): Promise<ApostropheUser>;
    update(req: object, user: object): Promise<ApostropheUser>;
  };
  readonly page: {
    readonly typeChoices: readonly { readonly name: string }[];
    find(req: object, query: object): Query<ApostrophePage>;
    insert(req: object, target: string, position: string, page: object): Promise<ApostrophePage>;
  };
  readonly login: { passportLogin(req: ApostropheRequest, user: ApostropheUser): Promise<void> };
  readonly adminBar?: { add(name: string, label: string, permission: object, options: object): void };
  isTask(): boolean;
}

export interface ApostropheModule {
  readonly apos: Apostrophe;
  service?: AffiliateService;
  host?: HostAdapter;
}
