import type { Level } from './keys.js';

/**
 * What the pages of console and portal begin with: who the user is, what they may do, and currency and time
 * zone of the program.
 */
export interface Session {
  readonly user: SessionUser | null;
  /** For `X-WP-Nonce`; null for visitors. */
  readonly nonce: string | null;
  readonly rights: Rights;
  /** The affiliate row of the user, in any status. */
  readonly affiliate: { readonly id: number; readonly status: string } | null;
  readonly program: ProgramFacts;
}

export interface SessionUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly avatar: string;
}

/** The rights as the REST interface decides them now; the interface checks every request itself. */
export interface Rights {
  readonly administrator: boolean;
  /** Groups, creatives, links and every setting. */
  readonly settings: boolean;
  /** Names for select inputs (affiliates, groups, users). */
  readonly options: boolean;
  /** Inviting people and writing to affiliates. */
  readonly messages: boolean;
  readonly affiliates: Level;
  readonly referrals: Level;
  readonly visits: Level;
  readonly payouts: Level;
}

export interface ProgramFacts {
  readonly brand: string;
  readonly siteName: string;
  readonly siteUrl: string;
  /** Pictures can be uploaded. */
  readonly uploads: boolean;
  readonly timeZone: string;
  readonly loginUrl: string | null;
  /** ISO 4217 code of the program and its digits. */
  readonly currency: string;
  readonly digits: number;
  readonly payoutMethod: string;
  /** Query parameter of referral links. */
  readonly referralVariable: string;
}
