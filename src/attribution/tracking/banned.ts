import { isInNetworks } from '../../platform/http/client-address.js';
import type { Deps } from './deps.js';
import type { ClickInput, SkipReason } from './types.js';

/** Why a click comes from a site or network that the host does not count, or null (docs/tracking.md §3). */
export function bannedReason(
  app: Deps,
  {
    referrer,
    visitor,
  }: Pick<ClickInput, 'referrer'> & { readonly visitor: Pick<ClickInput['visitor'], 'address'> },
): SkipReason | null {
  const { bannedReferrers: sites, bannedAddresses: networks } = app.options.tracking;
  const from = sites.length > 0 ? URL.parse(referrer ?? '') : null;
  if (
    from &&
    sites.some((site) =>
      isBelow(
        from.hostname,
        site
          .trim()
          .toLowerCase()
          .replace(/^\*?\./, ''),
      ),
    )
  )
    return 'banned_referrer';
  return networks.length > 0 && visitor.address !== null && isInNetworks(visitor.address, networks)
    ? 'banned_address'
    : null;
}

const isBelow = (host: string, domain: string): boolean =>
  domain !== '' && (host === domain || host.endsWith(`.${domain}`));
