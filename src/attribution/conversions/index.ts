import { DAY, HOUR } from '../../core/duration.js';
import { byId, idOf, lists, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { conversionHooks } from './hooks.js';
import { conversionRoutes, tryRoutes } from './routes.js';
import { couponRoutes } from './coupon-routes.js';
import { leadRoutes } from './lead-routes.js';
import { skippedRoutes } from './skipped-routes.js';
import { ConversionsService } from './service.js';

export const conversions = defineModule({
  name: 'conversions',
  Service: ConversionsService,
  hooks: conversionHooks,
  routes: [...conversionRoutes, ...couponRoutes, ...leadRoutes, ...tryRoutes, ...skippedRoutes],
  jobs: [
    { name: 'purge-skipped', everyMs: DAY, run: (service) => service.purge() },
    { name: 'qualify-leads', everyMs: HOUR, run: (service) => service.qualifyPaidLeads() },
  ],
  api: (service) => ({
    ...byId(service, ['couponsOf']),
    ...only(service, [
      'cancel',
      'cancelLead',
      'complete',
      'couponHistory',
      'dispute',
      'find',
      'lead',
      'qualify',
      'record',
      'refund',
      'skipped',
      'unbindCoupon',
      'update',
    ]),
    bindCoupon: (provider: string, code: string, affiliateId: number) =>
      service.bindCoupon(provider, code, idOf(affiliateId)),
    ...lists(service, ['listCoupons']),
  }),
});
