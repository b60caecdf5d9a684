import type { ResponseOf } from '../../client/index.js';
import type { App } from '../../src/app/app.js';
import type { NewVisit, Visit } from '../../src/accounting/visits/types.js';
import type { Client } from './app.js';

// oxlint-disable-next-line typescript/no-explicit-any -- an answer as it came over the wire
export type Wire = any;

/** Rows made the way a host makes them: over REST, visits through the service. */
export interface Records {
  affiliate(body?: Readonly<Record<string, unknown>>): Promise<ResponseOf<'affiliates.create'>['affiliate']>;
  group(body?: Readonly<Record<string, unknown>>): Promise<ResponseOf<'groups.create'>['data']>;
  referral(body: Readonly<Record<string, unknown>>): Promise<ResponseOf<'referrals.create'>['referral']>;
  visit(row: Partial<NewVisit> & { readonly affiliate_id: number | null }): Promise<Visit>;
  payout(config?: Readonly<Record<string, unknown>>): Promise<ResponseOf<'payouts.process'>['payout']>;
}

export function records(app: App, admin: Client): Records {
  let groups = 0;
  return {
    affiliate: async (body = {}) => {
      const all = {
        user_id: 2,
        status: 'active',
        rate_type: 'default',
        payment_email: 'pay@example.test',
        ...body,
      };
      return (await admin.post('/affiliates').send(all).expect(200)).body.affiliate;
    },
    group: async (body = {}) =>
      (
        await admin
          .post('/groups/groups')
          .send({ meta_key: `Group ${++groups}`, rate_type: 'percentage', rate: 25, ...body })
          .expect(200)
      ).body.data,
    referral: async (body) =>
      (
        await admin
          .post('/referrals')
          .send({ type: 'sale', status: 'unpaid', amount: 10, ...body })
          .expect(200)
      ).body.referral,
    visit: (row) => app.transaction((trx) => app.visits.insert(trx, { url: 'https://shop.test/', ...row })),
    payout: async (config = {}) =>
      (
        await admin
          .post('/payouts/process-payout')
          .send({ config: { title: 'January', description: 'Run for January', ...config } })
          .expect(200)
      ).body.payout,
  };
}
