import type { ConversionInput } from '../../src/attribution/conversions/types.js';
import { startApp, type TestApp, type TestOptions } from './app.js';

const EVENTS = [
  'referral_recorded',
  'referral_created',
  'referral_marked_unpaid',
  'referral_marked_rejected',
  'referral_updated',
  'referral_commission_updated',
  'referral_refunded',
  'referral_refunded_after_payout',
  'referral_clawed_back',
  'customer_linked',
  'recurring_referral_created',
] as const;

export interface Shop extends TestApp {
  readonly affiliate: { readonly id: number };
  /** Names of the hooks that fired, in order. */
  readonly fired: string[];
  /** An order of 100.00 with 10.00 off: commission 18.00 at the program's 20 %, 103.00 charged. */
  order(more?: Partial<ConversionInput>): ConversionInput;
}

/** A service with one active affiliate, and orders to record. */
export async function startShop(options: TestOptions = {}): Promise<Shop> {
  const t = await startApp(options);
  const affiliate = (await t.records.affiliate({
    user_id: 2,
    status: 'active',
    payment_email: 'pay@alice.test',
  })) as { id: number };
  const fired: string[] = [];
  for (const name of EVENTS)
    t.service.hooks.addAction(name, () => {
      fired.push(name);
    });
  const order = (more: Partial<ConversionInput> = {}): ConversionInput => ({
    provider: 'shop',
    reference: 'A-1',
    status: 'unpaid',
    order: { subtotal: '100.00', tax: '8.00', shipping: '5.00', discount: '10.00', currency: 'USD' },
    customer: { email: 'jo@shop.test', first_name: 'Jo' },
    affiliate: affiliate.id,
    ...more,
  });
  return { ...t, affiliate, fired, order };
}

export const configure = async (t: TestApp, config: object): Promise<void> => {
  await t.admin.post('/settings/referral-config').send({ referral_config: config }).expect(200);
};

/** Another currency of the program, whatever is owed in the present one. */
export const inCurrency = async (t: TestApp, currency: string): Promise<void> => {
  const body = { referral_config: { currency }, confirm: true };
  await t.admin.post('/settings/referral-config').send(body).expect(200);
};

export const payOut = async (t: TestApp): Promise<void> => {
  await t.admin
    .post('/payouts/process-payout')
    .send({ config: { title: 'January', description: 'Run' } })
    .expect(200);
};

/** Total and unpaid earnings of the shop's affiliate. */
export async function earnings(t: Shop): Promise<number[]> {
  const { body } = await t.admin.get(`/affiliates/${t.affiliate.id}`).expect(200);
  return [body.affiliate.total_earnings, body.affiliate.unpaid_earnings];
}
