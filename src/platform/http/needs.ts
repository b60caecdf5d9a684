import type { HostUser } from '../../../adapters/host.js';
import type { PresentedKey } from '../access/key-rights.js';
import type { Platform } from '../platform.js';
import type { RequestInfo } from './request-info.js';

/** Who a connected site proved to be. */
export interface SiteIdentity {
  readonly site_id: string;
}

/** What stands below every module, and what the router asks of modules: who sent this, and is it the stored state? */
export interface RouterNeeds extends Platform {
  readonly apiKeys: {
    prove(sent: string): Promise<{ readonly key: PresentedKey; readonly user: HostUser } | null>;
  };
  readonly sites: { authenticate(request: RequestInfo): Promise<SiteIdentity> };
  readonly settings: { tag(names: readonly string[]): Promise<string> };
}
