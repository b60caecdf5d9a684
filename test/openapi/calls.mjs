// The same ten calls twice, as texts: they are compiled with what the generators made, not with this project.
// A wrong field or word must not compile, or the types say nothing.

export const FETCH_CALLS = `import createClient from 'openapi-fetch';
import type { paths } from './types.js';

const client = createClient<paths>({ baseUrl: 'https://shop.test/wp-json/affiliate-service/v2' });

export async function calls(): Promise<void> {
  const list = await client.GET('/affiliates', { params: { query: { page: 2, status: 'active' } } });
  const names: string[] | undefined = list.data?.affiliates.data.map((row) => row.user?.full_name ?? '');
  const one = await client.GET('/affiliates/{id}', { params: { path: { id: 3 } } });
  const earnings: number | undefined = one.data?.affiliate.total_earnings;
  await client.POST('/affiliates', { body: { user_id: 7, status: 'active', rate_type: 'default' } });
  await client.PATCH('/referrals/{id}', { params: { path: { id: 41 } }, body: { status: 'unpaid' } });
  // @ts-expect-error no such status
  await client.PATCH('/referrals/{id}', { params: { path: { id: 41 } }, body: { status: 'settled' } });
  const referrals = await client.GET('/referrals', { params: { query: { date_from: '2026-01-01' } } });
  const amount: number | undefined = referrals.data?.referrals.data[0]?.amount;
  const visits = await client.GET('/visits');
  const url: string | undefined = visits.data?.visits.data[0]?.url;
  const config = { title: 'January', description: 'Run' };
  const preview = await client.POST('/payouts/validate-payout-config', { body: { config } });
  const total: number | undefined = preview.data?.payable_total_amount;
  await client.POST('/payouts/process-payout', {
    params: { header: { 'Idempotency-Key': 'january' } },
    body: { config },
  });
  const settings = await client.GET('/settings/referral-config');
  const currency: string | undefined = settings.data?.config.currency;
  // @ts-expect-error no such field
  void visits.data?.visits.data[0]?.color;
  const events = await client.GET('/events', { params: { query: { after: 12 } } });
  const code: string | undefined = events.error?.code;
  console.log(names, earnings, amount, url, total, currency, code);
}
`;

export const SDK_CALLS = `import {
  affiliatesCreate,
  affiliatesGet,
  affiliatesList,
  eventsList,
  payoutsPreview,
  payoutsProcess,
  referralsList,
  referralsUpdate,
  settingsReferralConfig,
  visitsList,
} from './client';

export async function calls(): Promise<void> {
  const list = await affiliatesList({ query: { page: 2, status: 'active' } });
  const names: string[] | undefined = list.data?.affiliates.data.map((row) => row.user?.full_name ?? '');
  const one = await affiliatesGet({ path: { id: 3 } });
  const earnings: number | undefined = one.data?.affiliate.total_earnings;
  await affiliatesCreate({ body: { user_id: 7, status: 'active', rate_type: 'default' } });
  await referralsUpdate({ path: { id: 41 }, body: { status: 'unpaid' } });
  // @ts-expect-error no such status
  await referralsUpdate({ path: { id: 41 }, body: { status: 'settled' } });
  const referrals = await referralsList({ query: { date_from: '2026-01-01' } });
  const amount: number | undefined = referrals.data?.referrals.data[0]?.amount;
  const visits = await visitsList();
  const url: string | undefined = visits.data?.visits.data[0]?.url;
  const config = { title: 'January', description: 'Run' };
  const preview = await payoutsPreview({ body: { config } });
  const total: number | undefined = preview.data?.payable_total_amount;
  await payoutsProcess({ headers: { 'Idempotency-Key': 'january' }, body: { config } });
  const settings = await settingsReferralConfig();
  const currency: string | undefined = settings.data?.config.currency;
  // @ts-expect-error no such field
  void visits.data?.visits.data[0]?.color;
  const events = await eventsList({ query: { after: 12 } });
  console.log(names, earnings, amount, url, total, currency, events.error);
}
`;
