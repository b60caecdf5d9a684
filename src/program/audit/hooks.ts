import type { AuditEntry } from './types.js';
import { after, defineHooks } from '../../platform/hooks/line.js';

export const auditHooks = defineHooks(
  {
    audit: after<[entry: AuditEntry]>(
      ['entry'],
      'A change of an amount, payment details, a rate or a permission was committed. The entry ' +
        'contains the user, the time, and the values before and after.',
    ),
  },
  {
    'audit.written': 'audit',
  },
);
