import { isCollection, isFiniteNumber, isList, isMap, isText, isWhole } from '../checks.js';
import { after, filter } from '../line.js';
import type { DataMap, User } from '../records.js';

export const settingsHooks = {
  loaded: after<[service: unknown]>(['service'], 'The service was created and has served no request yet.', {
    live: true,
  }),
  settings_updated: after<[section: string, next: unknown, previous: unknown, user: User | null]>(
    ['section', 'next', 'previous', 'user'],
    'A section of the settings was saved.',
  ),
  currency_changed: after<[currency: string, previous: string]>(
    ['currency', 'previous'],
    'The currency of the program changed, and the totals of all affiliates were computed again.',
  ),
  license_changed: after<[status: string, previous: string]>(
    ['status', 'previous'],
    'The license was activated, removed or found in another state.',
  ),
  wipe_current_data: after<[]>([], 'All tables were emptied.'),
  default_referral_settings: filter<DataMap>(
    [],
    'Defaults of the referral configuration, and the list of keys that can be saved.',
    { check: isMap },
  ),
  referral_config_field_types: filter<DataMap>(
    [],
    'How keys added to the referral configuration are read: `text`, `number` (whole), `float` or a list of allowed values (the first for others).',
    { check: isMap },
  ),
  get_referral_config: filter<DataMap>([], 'The referral configuration as it is read.', { check: isMap }),
  update_referral_config: filter<DataMap>([], 'The referral configuration before it is saved.', {
    check: isMap,
  }),
  registered_features: filter<readonly unknown[]>([], 'The list of features.', {
    check: isList,
    shown: true,
  }),
  'get_feature_settings_{key}': filter<DataMap, [saved: DataMap]>(
    ['saved'],
    'The answer for one feature; `saved` are all stored features.',
    { check: isMap, shown: true },
  ),
  'update_feature_settings_{key}': filter<DataMap, [request: DataMap]>(
    ['request'],
    'The settings of a feature before they are saved. Throw `HookVeto` to refuse them.',
    { check: isMap },
  ),
  'update_feature_response_{key}': filter<DataMap, [saved: DataMap]>(
    ['saved'],
    'The answer after a feature was saved.',
    { check: isMap, shown: true },
  ),
  get_email_config: filter<DataMap>([], 'The mail configuration as it is read.', { check: isMap }),
  update_email_config: filter<DataMap>([], 'The mail configuration before it is saved.', { check: isMap }),
  parse_smart_codes: filter<string, [context: DataMap, type: 'text' | 'html']>(
    ['context', 'type'],
    'Text of a mail with `{{group.key}}` and `##group.key##` to expand.',
    { check: isText },
  ),
  'smartcode_group_callback_{group}': filter<string, [key: string, fallback: string, context: DataMap]>(
    ['key', 'fallback', 'context'],
    'The text for a smart code of a group that the service does not know.',
    { check: isText },
  ),
  smartcode_fallback: filter<string, [context: DataMap]>(
    ['context'],
    'The text for a malformed smart code.',
    {
      check: isText,
    },
  ),
  data_export_limit: filter<number>([], 'Largest number of rows in an export.', { check: isWhole }),
  max_execution_time: filter<number>([], 'Seconds a long job may work before it pauses.', {
    check: isFiniteNumber,
  }),
  dashboard_stats: filter<DataMap, [query: DataMap]>(['query'], 'The figures of the dashboard.', {
    check: isMap,
    shown: true,
  }),
  'dashboard_{provider}_stats': filter<DataMap, [query: DataMap]>(
    ['query'],
    'The figures of one report provider.',
    { check: isMap, shown: true },
  ),
  advanced_report_providers: filter<DataMap | readonly unknown[]>([], 'Further report providers.', {
    check: isCollection,
    shown: true,
  }),
} as const;
