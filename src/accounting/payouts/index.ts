import { HOUR } from '../../core/duration.js';
import { byId, byMany, idOf, lists, listsOf, only } from '../../platform/api.js';
import { defineModule } from '../../platform/module.js';
import { payoutHooks } from './hooks.js';
import { payoutRoutes } from './routes.js';
import { PayoutsService } from './service.js';
import { payoutsOfAffiliateRoutes } from './of-affiliate-routes.js';

export const payouts = defineModule({
  name: 'payouts',
  Service: PayoutsService,
  hooks: payoutHooks,
  routes: [...payoutsOfAffiliateRoutes, ...payoutRoutes],
  jobs: [{ name: 'release-stranded-referrals', everyMs: HOUR, run: (service) => service.releaseStranded() }],
  api: (service) => ({
    ...byId(service, ['find', 'get', 'items', 'undo', 'undoPreview', 'update', 'view']),
    ...byId(service, ['setTransactionStatus', 'takePayee'], 2),
    ...byId(service.changes, ['markAllPaid']),
    /** Removes a transaction; its referrals are payable again. */
    deleteTransaction: (id: number, transactionId: number) =>
      service.changes.remove(idOf(id), idOf(transactionId)),
    /** A payment failed: its referrals are unpaid again, and the reason is kept in the audit log. */
    failTransaction: (transactionId: number, cause: string) =>
      service.changes.fail(idOf(transactionId), cause),
    ...byMany(service, ['findMany']),
    ...only(service, ['methods', 'methodsFor', 'preview', 'process', 'running']),
    ...lists(service.lists, ['list']),
    ...listsOf(service, ['transactions']),
  }),
  immediate: ['methods'],
});
