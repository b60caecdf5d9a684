import { isMap, isText } from '../../platform/hooks/checks.js';
import { defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const emailHooks = defineHooks(
  {
    get_email_config: filter<DataMap>([], 'The e-mail configuration as it is read.', { check: isMap }),
    update_email_config: filter<DataMap>([], 'The e-mail configuration before it is saved.', {
      check: isMap,
    }),
    parse_smart_codes: filter<string, [context: DataMap, type: 'text' | 'html']>(
      ['context', 'type'],
      'Text of an e-mail, in which `{{group.key}}` and `##group.key##` are expanded.',
      { check: isText },
    ),
    'smartcode_group_callback_{group}': filter<string, [key: string, fallback: string, context: DataMap]>(
      ['key', 'fallback', 'context'],
      'The text for a smart code of a custom group.',
      { check: isText },
    ),
    smartcode_fallback: filter<string, [context: DataMap]>(
      ['context'],
      'The text for a malformed smart code.',
      {
        check: isText,
      },
    ),
  },
  {
    'settings.mail_read': 'get_email_config',
    'settings.mail_save': 'update_email_config',
    'mail.smart_codes': 'parse_smart_codes',
    'mail.smart_codes.{group}': 'smartcode_group_callback_{group}',
    'mail.unknown_smart_code': 'smartcode_fallback',
  },
);
