import { after, defineHooks } from '../../platform/hooks/line.js';

export const licenseHooks = defineHooks(
  {
    license_changed: after<[status: string, previous: string]>(
      ['status', 'previous'],
      'The license was activated or removed, or its status changed.',
    ),
  },
  {
    'license.changed': 'license_changed',
  },
);
