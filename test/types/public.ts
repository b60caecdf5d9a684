// Never run: the compiler is the test of what a host may write.
import express from 'express';
import { createClient, type ProgramEvent } from '../../client/index.js';
import { createMemoryHost } from '../../adapters/index.js';
import {
  AffiliateError,
  createAffiliateService,
  HookVeto,
  minor,
  type Affiliate,
  type AffiliateService,
  type Handler,
  type HostAdapter,
  type Page,
  type PayoutsApi,
  type Referral,
  type ReferralsApi,
  type AffiliateDto,
  type GroupDto,
  type PayoutWithCountsDto,
  type ReferralWithAffiliateDto,
} from '../../src/index.js';

export function mounting(host: HostAdapter): AffiliateService {
  const service = createAffiliateService(host, {
    database: { client: 'pg', connection: 'postgres://localhost/shop' },
    hookPrefix: 'shop',
    tracking: { cookie: { name: 'ref' } },
    extensions: [
      {
        name: 'double',
        setup: ({ hooks }) => {
          hooks.addFilter('commission', (amount) => minor(amount * 2));
        },
      },
    ],
  });
  const app = express();
  service.mount(app);
  app.use(service.tracker);
  app.use(service.basePath, service.router);
  const handler: Handler = service.router;
  app.use('/elsewhere', handler);
  return service;
}

export async function selling(service: AffiliateService): Promise<string> {
  const { referral, created, reason } = await service.conversions.record(null, {
    provider: 'shop',
    reference: 'order-1',
    type: 'sale',
    status: 'unpaid',
    order: { subtotal: '100.00' },
    customer: { email: 'jo@example.test' },
  });
  if (referral === null) return String(reason);
  return `${referral.amount_minor} ${created}`;
}

/** One record is as stored, a list as the interface answers it; both are typed field by field. */
export async function reading({ affiliates, groups, payouts, referrals }: AffiliateService): Promise<string> {
  const stored: Affiliate = await affiliates.get(1);
  const listed: Page<AffiliateDto> = await affiliates.list({ per_page: 50 }, { bankDetails: true });
  const sales: Page<ReferralWithAffiliateDto> = await referrals.list({
    search: 'order-1',
    status: 'unpaid',
  });
  const runs: Page<PayoutWithCountsDto> = await payouts.list();
  const rates: Page<GroupDto> = await groups.list({});
  // @ts-expect-error amounts of records are minor units, and named so
  void stored.total_earnings;
  // @ts-expect-error an answer has no such field
  void listed.rows[0]?.payment_mail;
  // @ts-expect-error pages have a number
  void groups.list({ page: 'first' });
  // @ts-expect-error the status is a closed list
  void (sales.rows[0]?.status === 'payed');
  const name: string = sales.rows[0]?.affiliate?.user_details.full_name ?? '';
  return `${name} ${runs.total} ${rates.rows[0]?.value.rate ?? 0} ${listed.rows[0]?.rate_details.rate ?? 0}`;
}

export function refusedByTheCompiler(service: AffiliateService): void {
  // @ts-expect-error no such client
  createAffiliateService(createMemoryHost(), { database: { client: 'oracle', connection: '' } });
  // @ts-expect-error no such option
  createAffiliateService(createMemoryHost(), { hookPrefx: 'a' });
  // @ts-expect-error unknown hook
  service.hooks.addFilter('comission', (amount: number) => amount);
  // @ts-expect-error a filter of amounts answers an amount
  service.hooks.addFilter('commission', () => 'much');
  void service.affiliates.get(1).then((affiliate) => {
    // @ts-expect-error records are read only
    affiliate.status = 'active';
  });
  // @ts-expect-error codes are a closed list
  throw new AffiliateError('no_such_code');
}

export const veto = (): never => {
  throw new HookVeto('No.');
};

/** The parts of a service by name, for functions that need one of them. */
export async function payable(referrals: ReferralsApi, payouts: PayoutsApi): Promise<number> {
  const created: Referral = await referrals.create({
    affiliate_id: 1,
    amount: '5.00',
    status: 'unpaid',
    type: 'sale',
  });
  await referrals.update(created.id, { description: 'By hand' });
  const { total } = await payouts.list({ status: 'processing' });
  return total;
}

export function behindTheFrontDoor(service: AffiliateService): void {
  // @ts-expect-error locks are for other modules
  void service.ledger.lock;
  // @ts-expect-error money moves by what is recorded, not by posting it
  void service.ledger.post;
  // @ts-expect-error rows are written by their own rules
  void service.referrals.writer;
  // @ts-expect-error clicks come from the tracker
  void service.visits.insertMany;
  // @ts-expect-error orders are reported, not changed
  void service.orders;
}

export async function asClient(): Promise<void> {
  const client = createClient({ baseUrl: 'https://shop.test' });
  await client.call('affiliates.create', { body: { user_id: 7, rate_type: 'default', status: 'active' } });
  // @ts-expect-error an affiliate needs a user
  await client.call('affiliates.create', { body: { rate_type: 'default', status: 'active' } });
  // @ts-expect-error a payout needs its configuration
  await client.call('payouts.preview');
}

export function onEvent(event: ProgramEvent): string {
  if (event.type === 'referral.refunded') return `${event.data.provider_url}: ${event.data.due ?? 0}`;
  if (event.type === 'customer.forgotten') return String(event.data.id);
  // @ts-expect-error no such event
  return event.type === 'customer.gone' ? '' : event.timestamp;
}
