import type { IncomingMessage } from 'node:http';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { ReportedOrder } from './types.js';

/** The target of a redirect link. */
export interface Redirect {
  readonly id: number;
  readonly affiliate: Affiliate;
  readonly target: URL;
  /** The campaign of visits whose address names none. */
  readonly utm_campaign: string | null;
}

/** What later modules add to tracking; registered when the service is built. */
export interface TrackingContributions {
  /** Hosts of the active connected sites. */
  readonly siteHosts: () => Promise<ReadonlySet<string>>;
  /** The parameter that each connected site reads, by host. */
  readonly siteParams: () => Promise<ReadonlyMap<string, string>>;
  /** The active redirect link with this name, or null. */
  readonly redirect: (slug: string) => Promise<Redirect | null>;
  /** Credits an order that a page reported; resolves to false when it was refused. */
  readonly takeOrder: (req: IncomingMessage, order: ReportedOrder) => Promise<boolean>;
  /** A page requested the script, according to the Referer, which any program can set. */
  readonly scriptServed: (page: URL) => void;
}

export const NO_CONTRIBUTIONS: TrackingContributions = {
  siteHosts: async () => new Set(),
  siteParams: async () => new Map(),
  redirect: async () => null,
  takeOrder: async () => false,
  scriptServed: () => undefined,
};
