import type { Flag } from '../../program/settings/types.js';
import type { ConnectedSite } from './record.js';

export type { ConnectedSite, SiteSettings } from './record.js';

export interface SitesConfig {
  readonly status: Flag;
  readonly sites: readonly ConnectedSite[];
}

/** A site's address, or the text of its connector (`child_token`), which contains the address. */
export interface IssueInput {
  readonly site_url?: unknown;
  readonly site_title?: unknown;
  readonly child_token?: unknown;
}

/** The response when a site is connected; only this contains the token. */
export interface IssuedSite {
  readonly site: ConnectedSite;
  readonly server_token: string;
  /** The site was already connected; its old token no longer works. */
  readonly rotated: boolean;
}

/** An entry of the portal's share widget. */
export interface ShareEntry {
  readonly name: string;
  readonly url: string;
  readonly param: string;
  readonly id?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly description?: string;
  readonly logo?: string;
}
