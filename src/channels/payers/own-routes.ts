import { pageEnvelope } from '../../core/page.js';
import { minor, toWire } from '../../core/money.js';
import { toIso } from '../../core/dates.js';
import { fail } from '../../errors.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';
import * as schemas from './schemas.js';
import type { PayersService } from './service.js';
import type { Attempt } from './record.js';

export interface RouteDeps {
  readonly payers: PayersService;
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('portal');
const access = policies.signedIn;

/** How an affiliate is paid, and where the payments are. */
export const ownPayerRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'portal.payout_methods',
    method: 'get',
    paths: ['/portal/payout-methods'],
    access,
    summary: 'List the payment methods the affiliate can choose',
    response: schemas.ownMethodsResponse,
    handler: async ({ app, user }) => ({ methods: await app.payers.ownMethods(await own(app, user.id)) }),
  }),
  defineRoute({
    id: 'portal.choose_payout_method',
    method: 'post',
    paths: ['/portal/payout-methods'],
    access,
    summary: "Choose a payment method. `null` uses the program's method",
    body: schemas.chooseBody,
    response: schemas.ownMethodsSaved,
    handler: async ({ app, user, body }) => {
      const id = await own(app, user.id);
      await app.payers.choose(id, body.method);
      return { methods: await app.payers.ownMethods(id), message: 'Settings saved.' };
    },
  }),
  defineRoute({
    id: 'portal.save_payout_details',
    method: 'post',
    paths: ['/portal/payout-methods/:method'],
    access,
    summary: 'Save the details of a payment method. They are validated immediately',
    params: schemas.payerParams,
    body: schemas.ownDetailsBody,
    response: schemas.ownMethodsSaved,
    secret: true,
    handler: async ({ app, user, params, body }) => {
      const id = await own(app, user.id);
      await app.payers.saveOwn(id, params.method, body.details);
      return { methods: await app.payers.ownMethods(id), message: 'Settings saved.' };
    },
  }),
  defineRoute({
    id: 'portal.connect_payout_method',
    method: 'post',
    paths: ['/portal/payout-methods/:method/connect'],
    access,
    summary: "Get the URL of the payer's page where the affiliate connects an account",
    params: schemas.payerParams,
    response: schemas.connectResponse,
    secret: true,
    handler: async ({ app, user, params }) => ({
      url: await app.payers.connect(await own(app, user.id), params.method),
    }),
  }),
  defineRoute({
    id: 'portal.payment_states',
    method: 'get',
    paths: ['/portal/payment-states'],
    access,
    summary: "List the affiliate's payments with their status, newest first",
    query: schemas.ownPaymentsQuery,
    response: schemas.ownPaymentsResponse,
    handler: async ({ app, user, query, request }) => {
      const page = await app.payers.paymentsOfAffiliate(await own(app, user.id), query);
      return { payments: pageEnvelope(request.url, { ...page, rows: page.rows.map(presentOwnPayment) }) };
    },
  }),
];

async function own(app: RouteDeps, userId: number): Promise<number> {
  return ((await app.affiliates.findByUser(userId)) ?? fail('affiliate_not_found')).id;
}

const presentOwnPayment = (attempt: Attempt): schemas.OwnPaymentDto => ({
  id: attempt.id,
  transaction_id: attempt.transaction_id,
  payout_id: attempt.payout_id,
  method: attempt.method,
  state: attempt.state,
  sandbox: attempt.sandbox,
  amount: toWire(minor(attempt.amount_minor), attempt.currency),
  sent_amount: toWire(minor(attempt.sent_minor), attempt.currency),
  currency: attempt.currency,
  fee:
    attempt.fee_minor === null
      ? null
      : toWire(minor(attempt.fee_minor), attempt.fee_currency ?? attempt.currency),
  fee_currency: attempt.fee_currency,
  fee_by: attempt.fee_by,
  message: attempt.message,
  until: toIso(attempt.until_at),
  created_at: toIso(attempt.created_at),
});
