import type { IncomingMessage } from 'node:http';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ReportedOrder } from './types.js';

/** What a redirect link means. */
export interface Redirect {
  readonly affiliate: Affiliate;
  readonly target: URL;
  /** For visits whose address names no campaign. */
  readonly utm_campaign: string | null;
}

/** What modules above add to tracking; registered when the service is built. */
export interface TrackingContributions {
  /** Hosts of the active connected sites. */
  readonly siteHosts: () => Promise<ReadonlySet<string>>;
  /** The parameter each of them reads, by host. */
  readonly siteParams: () => Promise<ReadonlyMap<string, string>>;
  /** The active redirect link of this name; null when there is none. */
  readonly redirect: (slug: string) => Promise<Redirect | null>;
  /** Credits an order that a page reported; was it taken? */
  readonly takeOrder: (req: IncomingMessage, order: ReportedOrder) => Promise<boolean>;
}

export const NO_CONTRIBUTIONS: TrackingContributions = {
  siteHosts: async () => new Set(),
  siteParams: async () => new Map(),
  redirect: async () => null,
  takeOrder: async () => false,
};
