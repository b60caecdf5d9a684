import type { Affiliate } from '../../program/affiliates/types.js';
import { isList, isMap, isText } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter } from '../../platform/hooks/line.js';

export const portalHooks = defineHooks(
  {
    'portal/share_links': filter<readonly unknown[], [affiliate: Affiliate]>(
      ['affiliate'],
      'All links an affiliate is offered to share.',
      { check: isList, shown: true },
    ),
    portal_menu_items: mapFilter<[affiliate: Affiliate | null]>(
      ['affiliate'],
      'Navigation of the portal app of the WordPress plugin (option `compat`): key → `{title, enabled, icon, route}`; `portalApp` has its own.',
      { check: isMap, shown: true },
    ),
    portal_notice_html: filter<string, [affiliate: Affiliate | null]>(
      ['affiliate'],
      'A notice in the portal; cleaned after the filter.',
      { check: isText, shown: true },
    ),
    portal_localize_data: mapFilter([], 'Everything the portal app starts with.', {
      check: isMap,
      shown: true,
    }),
    'portal/settings_data': mapFilter<[affiliate: Affiliate]>(
      ['affiliate'],
      'The settings form of an affiliate and its values: `{form_fields, settings}`. Only for clients that read ' +
        '`GET /portal/settings`: the portal of this package shows forms of its own.',
      { check: isMap, shown: true },
    ),
    'portal/settings_updated': after<[affiliate: Affiliate, changed: readonly string[]]>(
      ['affiliate', 'changed'],
      'An affiliate saved settings of the portal; `changed` names them, without values.',
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
