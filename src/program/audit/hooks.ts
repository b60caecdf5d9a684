import type { AuditEntry } from './types.js';
import { after, defineHooks } from '../../platform/hooks/line.js';

export const auditHooks = defineHooks(
  {
    audit: after<[entry: AuditEntry]>(
      ['entry'],
      'A change of money, a payment address, a rate or a right was committed: ' +
        'who made it, when, and the values before and after.',
    ),
  },
  {
    'audit.written': 'audit',
  },
);
