import type { HostUser } from '../../../adapters/host.js';
import type { PresentedKey } from '../access/key-rights.js';
import type { Platform } from '../platform.js';
import type { RequestInfo } from './request-info.js';

/** The connected site that sent a request. */
export interface SiteIdentity {
  readonly site_id: string;
}

/**
 * The platform, and what the router asks of modules: who sent this request, and are the settings still those
 * it read?
 */
export interface RouterNeeds extends Platform {
  readonly apiKeys: {
    prove(sent: string): Promise<{ readonly key: PresentedKey; readonly user: HostUser } | null>;
  };
  readonly connectedSites: { authenticate(request: RequestInfo): Promise<SiteIdentity> };
  readonly affiliates: {
    /** The response without fields that only readers of affiliates may see. */
    trimmed(this: void, response: unknown, options: { readonly payment: boolean }): unknown;
  };
  readonly settings: { tag(names: readonly string[]): Promise<string> };
}
