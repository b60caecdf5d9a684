import type { Affiliate } from '../../program/affiliates/types.js';
import type { ConnectedSite } from './types.js';
import { isList } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter } from '../../platform/hooks/line.js';

export interface ShareSite {
  readonly name: string;
  readonly url: string;
  readonly param: string;
  /** What the portal shows beside them. */
  readonly id?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly description?: string;
  readonly logo?: string;
}

export const connectedSiteHooks = defineHooks(
  {
    'portal/additional_sites': filter<readonly ShareSite[], [affiliate: Affiliate | null]>(
      ['affiliate'],
      'Additional sites in the share widget, each `{name, url, param}`.',
      { check: isList, shown: true },
    ),
    connected_site_connected: after<[site: ConnectedSite, rotated: boolean]>(
      ['site', 'rotated'],
      "A site was connected or received a new token (`rotated`). Hooks don't receive the token.",
    ),
    connected_site_updated: after<[site: ConnectedSite, previous: ConnectedSite]>(
      ['site', 'previous'],
      'The settings of a connected site were updated.',
    ),
    connected_site_disconnected: after<[site: ConnectedSite]>(
      ['site'],
      'A site was disconnected. `site` is its last state.',
    ),
  },
  {
    'portal.additional_sites': 'portal/additional_sites',
    'site.connected': 'connected_site_connected',
    'site.updated': 'connected_site_updated',
    'site.disconnected': 'connected_site_disconnected',
  },
);
