import { describe, expect, it } from '@jest/globals';
import {
  HookRegistry,
  type ActionLine,
  type FilterValue,
  type HookContext,
  type Hooks,
  type Payout,
  type PayoutTransaction,
} from '../hooks/index.js';

declare module '../hooks/index.js' {
  interface CustomHooks {
    'shop/packed': ActionLine<[orderId: number]>;
  }
}

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const hooks: Hooks = new HookRegistry({
  prefix: 'affiliate_service',
  log: silent,
  context: () => ({}) as HookContext,
});

// Never run: the compiler is the test.
export function compiles(provider: string, row: PayoutTransaction, payout: Payout): void {
  hooks.addFilter('commission', (minor, context, ctx) =>
    context.provider === 'shop' && ctx.user ? minor * 2 : undefined,
  );
  hooks.addFilter('affiliate_service/commission', (minor) => minor.valueOf());
  hooks.addFilter(`formatted_order_data_by_${provider}`, (order) =>
    order === null ? null : { ...order, total: 1 },
  );
  hooks.addAction('affiliate_status_to_active', (affiliate, previous, ctx) => [
    affiliate.id,
    previous.length,
    ctx.requestId,
  ]);
  hooks.addAction('affiliate_service/affiliate_status_to_active', async (affiliate) =>
    affiliate.id.toFixed(),
  );
  hooks.addAction('after_delete_affiliate_group', (groupId) => groupId.toFixed());
  hooks.addAction('shop/packed', (orderId) => orderId.toFixed());
  const value: FilterValue<'commission'> = 5;
  void hooks.applyFilters('ignore_zero_amount_referral', true, { amount: value }).then((drop) => !drop);
  void hooks.doAction(
    `payout/transaction/transaction_updated_to_${provider === 'a' ? 'paid' : 'processing'}`,
    row,
    payout,
  );

  hooks.addFilter('commission.amount', (minor, context) => minor * context.affiliate.id);
  hooks.addFilter(`order.data.${provider}`, (order) => (order === null ? null : { ...order, total: 1 }));
  hooks.addAction('affiliate_service/affiliate.status_changed.active', (affiliate, previous) => [
    affiliate.id,
    previous.length,
  ]);

  // @ts-expect-error -- a new name has the arguments of the old one
  hooks.addAction('group.deleted', (group) => group.meta_key);
  // @ts-expect-error -- unknown name
  hooks.addAction('affiliate_craeted', () => undefined);
  // @ts-expect-error -- a filter is no action
  hooks.addAction('commission', () => undefined);
  // @ts-expect-error -- a commission is a number
  hooks.addFilter('commission', () => 'free');
  // @ts-expect-error -- the group's id, not the group
  hooks.addAction('after_delete_affiliate_group', (group) => group.meta_key);
  // @ts-expect-error -- an argument is missing
  void hooks.doAction('customer_linked', { id: 1 });
}

describe('types of hooks', () => {
  it('are checked by the compiler', () => {
    expect(typeof compiles).toBe('function');
  });
});
