import type { HostUser as User } from '../../../adapters/host.js';
import { isAddress, isCollection, isList, isMap } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const settingsHooks = defineHooks(
  {
    portal_page_url: filter<string>([], 'URL of the portal.', { check: isAddress, shown: true }),
    screen_url: filter<string, [pages: 'console' | 'portal', path: string]>(
      ['pages', 'path'],
      'URL of a page that an e-mail links to. `pages` is `console` or `portal`; `path` is, for example, `/affiliates/3`.',
      { check: isAddress, shown: true },
    ),
    social_media_links: filter<DataMap>(
      [],
      'Sharing platforms by key, each `{key, title, icon, share_url, status}`.',
      { check: isCollection, shown: true },
    ),
    social_media_share_default_enabled_keys: filter<readonly string[]>(
      [],
      'Keys of the sharing platforms that are enabled by default.',
      { check: isList, shown: true },
    ),
    settings_updated: after<[section: string, next: unknown, previous: unknown, user: User | null]>(
      ['section', 'next', 'previous', 'user'],
      'A section of the settings was saved.',
    ),
    default_referral_settings: mapFilter(
      [],
      'Defaults of the referral configuration. Their keys are the ones that can be saved.',
      { check: isMap },
    ),
    referral_config_field_types: filter<DataMap>(
      [],
      'Types of keys added to the referral configuration: `text`, `number` (integer), `float` or a list of allowed values. Other values become the first one.',
      { check: isMap },
    ),
    get_referral_config: mapFilter([], 'The referral configuration as it is read.', { check: isMap }),
    update_referral_config: filter<DataMap>([], 'The referral configuration before it is saved.', {
      check: isMap,
    }),
    registered_features: filter<readonly unknown[]>([], 'The list of features.', {
      check: isList,
      shown: true,
    }),
    'get_feature_settings_{key}': mapFilter<[saved: DataMap]>(
      ['saved'],
      'The response for one feature. `saved` contains all stored features.',
      { check: isMap, shown: true },
    ),
    'update_feature_settings_{key}': filter<DataMap, [request: DataMap]>(
      ['request'],
      'The settings of a feature before they are saved. Throw `HookVeto` to reject them.',
      { check: isMap },
    ),
    'update_feature_response_{key}': mapFilter<[saved: DataMap]>(
      ['saved'],
      'The response after a feature was saved.',
      { check: isMap, shown: true },
    ),
  },
  {
    'portal.url': 'portal_page_url',
    'screen.url': 'screen_url',
    'portal.share_platforms': 'social_media_links',
    'portal.share_platform_defaults': 'social_media_share_default_enabled_keys',
    'settings.updated': 'settings_updated',
    'settings.referral_defaults': 'default_referral_settings',
    'settings.referral_fields': 'referral_config_field_types',
    'settings.referral_read': 'get_referral_config',
    'settings.referral_save': 'update_referral_config',
    'settings.features': 'registered_features',
    'settings.feature_read.{key}': 'get_feature_settings_{key}',
    'settings.feature_save.{key}': 'update_feature_settings_{key}',
    'settings.feature_saved.{key}': 'update_feature_response_{key}',
  },
);
