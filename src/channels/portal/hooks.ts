import type { Affiliate } from '../../program/affiliates/types.js';
import { isList, isMap, isText } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter } from '../../platform/hooks/line.js';

export const portalHooks = defineHooks(
  {
    'portal/share_links': filter<readonly unknown[], [affiliate: Affiliate]>(
      ['affiliate'],
      'All links offered to an affiliate for sharing.',
      { check: isList, shown: true },
    ),
    portal_menu_items: mapFilter<[affiliate: Affiliate | null]>(
      ['affiliate'],
      "Menu of the WordPress plugin's portal (option `compat`), each key with `{title, enabled, icon, route}`. `portalApp` doesn't use it.",
      { check: isMap, shown: true },
    ),
    portal_notice_html: filter<string, [affiliate: Affiliate | null]>(
      ['affiliate'],
      'HTML of a notice in the portal. Sanitized after the filter.',
      { check: isText, shown: true },
    ),
    portal_localize_data: mapFilter([], 'The data the portal starts with.', {
      check: isMap,
      shown: true,
    }),
    'portal/settings_data': mapFilter<[affiliate: Affiliate]>(
      ['affiliate'],
      "An affiliate's settings form and its values: `{form_fields, settings}`. Only clients that read " +
        "`GET /portal/settings` show it; `portalApp` doesn't.",
      { check: isMap, shown: true },
    ),
    'portal/settings_updated': after<[affiliate: Affiliate, changed: readonly string[]]>(
      ['affiliate', 'changed'],
      'An affiliate saved portal settings. `changed` contains their names without values.',
    ),
  },
  {
    'portal.share_links': 'portal/share_links',
    'portal.menu': 'portal_menu_items',
    'portal.notice_html': 'portal_notice_html',
    'portal.bootstrap': 'portal_localize_data',
    'portal.settings': 'portal/settings_data',
    'portal.settings_updated': 'portal/settings_updated',
  },
);
