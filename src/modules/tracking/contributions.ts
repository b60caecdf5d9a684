/** What the connected sites add to tracking; registered when the service is built. */
export interface TrackingContributions {
  /** Hosts of the active sites. */
  readonly siteHosts: () => Promise<ReadonlySet<string>>;
  /** The parameter each of them reads, by host. */
  readonly siteParams: () => Promise<ReadonlyMap<string, string>>;
}

export const NO_CONTRIBUTIONS: TrackingContributions = {
  siteHosts: async () => new Set(),
  siteParams: async () => new Map(),
};
