import type { Deps } from './deps.js';
import type { ReferralConfig } from './types.js';

const LOOK_AT = 1000;

/** Address of the portal page, else the home page (docs/settings.md §5). */
export async function portalUrl(
  app: Deps,
  { dashboard_page_id: id }: Pick<ReferralConfig, 'dashboard_page_id'>,
): Promise<string> {
  const { pages } = app.host;
  const page =
    id === '' || !pages
      ? null
      : ((await pages.get?.(id)) ??
        (await pages.list({ search: '', limit: LOOK_AT })).find((each) => each.id === id) ??
        null);
  return app.hooks.applyFilters('portal_page_url', page?.link ?? `${app.host.site().url}/`);
}
