import { DAY } from '../../core/duration.js';
import { only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { trackingHooks } from './hooks.js';
import { TrackingService } from './service.js';

export { trackingPaths } from './openapi.js';
export type { SkipReason } from './types.js';

export const tracking = defineModule({
  name: 'tracking',
  Service: TrackingService,
  hooks: trackingHooks,
  jobs: [{ name: 'purge-visits', everyMs: DAY, aside: true, run: (service) => service.purge() }],
  api: (service) =>
    only(service, [
      'attribution',
      'buildShareUrl',
      'flush',
      'resolveParam',
      'shareUrlOf',
      'signConversion',
      'skipped',
      'trackerVars',
      'valueOf',
    ]),
  immediate: ['signConversion'],
});
