import { pageEnvelope } from '../../core/page.js';
import { minor, parseAmount, toWire } from '../../core/money.js';
import { failFields } from '../../errors.js';
import { policies } from '../../platform/access/policies.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { reply } from '../../platform/http/reply.js';
import { presentFinding } from './presenter.js';
import * as schemas from './schemas.js';
import type { PayersService } from './service.js';
import type { PayoutsService } from '../../accounting/payouts/service.js';

export interface RouteDeps {
  readonly payers: PayersService;
  readonly payouts: PayoutsService;
}
const defineRoute = routesFor<RouteDeps>('payers');

const access = policies.section('payouts');
/** Routes that send money, or report that it was sent. */
const sending = policies.section('payouts', { right: 'send_payouts' });
const MEBIBYTE = 1024 * 1024;

export const payerRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'payers.list',
    method: 'get',
    paths: ['/settings/payers'],
    access: policies.settingsOfPeople,
    summary:
      'List the payers that can send payments, and the fields their setup needs. Secrets are never returned',
    response: schemas.payersResponse,
    handler: ({ app }) => app.payers.list(),
  }),
  defineRoute({
    id: 'payers.settings',
    method: 'get',
    paths: ['/settings/payers/sending'],
    access: policies.settingsOfPeople,
    summary:
      'Get the payment settings: who pays fees, which methods affiliates can choose, and the payout schedule',
    response: schemas.settingsResponse,
    handler: async ({ app }) => ({ settings: wireSettings(await app.payers.settings()) }),
  }),
  defineRoute({
    id: 'payers.save_settings',
    method: 'post',
    paths: ['/settings/payers/sending'],
    access: policies.settingsOfPeople,
    summary:
      'Update the payment settings: who pays fees, which methods affiliates can choose, and the payout schedule',
    body: schemas.settingsBody,
    response: schemas.settingsSaved,
    handler: async ({ app, body }) => ({
      settings: wireSettings(await app.payers.saveSettings(body)),
      message: 'Settings saved.',
    }),
  }),
  defineRoute({
    id: 'payers.save',
    method: 'post',
    paths: ['/settings/payers/:method'],
    access: policies.settingsOfPeople,
    summary: "Save a payer's credentials. A blank secret keeps the stored one",
    params: schemas.payerParams,
    body: schemas.credentialsBody,
    response: schemas.message,
    secret: true,
    handler: async ({ app, params, body }) => {
      await app.payers.methods.save(params.method, body.credentials);
      return { message: 'Credentials saved.' };
    },
  }),
  defineRoute({
    id: 'payers.remove',
    method: 'delete',
    paths: ['/settings/payers/:method'],
    access: policies.settingsOfPeople,
    summary: "Delete a payer's credentials",
    params: schemas.payerParams,
    response: schemas.message,
    handler: async ({ app, params }) => {
      await app.payers.methods.save(params.method, null);
      return { message: 'Credentials removed.' };
    },
  }),
  defineRoute({
    id: 'payers.test',
    method: 'post',
    paths: ['/settings/payers/:method/test'],
    access: policies.settingsOfPeople,
    summary: 'Test the connection to a payer',
    params: schemas.payerParams,
    response: schemas.testResponse,
    handler: ({ app, params }) => app.payers.test(params.method),
  }),
  defineRoute({
    id: 'payers.webhook',
    method: 'post',
    paths: ['/webhooks/payers/:method'],
    access: policies.public,
    summary: 'Receive a webhook from a payer. The service then fetches the named payments from the payer',
    params: schemas.payerParams,
    accepts: { raw: true, bytes: MEBIBYTE },
    response: schemas.received,
    handler: ({ app, params, request }) => app.payers.receive(params.method, request),
  }),
  defineRoute({
    id: 'payers.to_do',
    method: 'get',
    paths: ['/payouts/payments/to-do'],
    access,
    summary: "List payments that are unknown, held or unclaimed, and differences from the payers' records",
    response: schemas.toDoResponse,
    handler: async ({ app }) => {
      const { payments, findings } = await app.payers.toDo();
      return { payments: await app.payers.present(payments), findings: findings.map(presentFinding) };
    },
  }),
  defineRoute({
    id: 'payers.settle_finding',
    method: 'post',
    paths: ['/payouts/findings/:id/settle'],
    access,
    summary: "Resolve a difference from a payer's records",
    params: schemas.findingParams,
    body: schemas.noteBody,
    response: schemas.message,
    handler: async ({ app, params, body }) => {
      await app.payers.settleFinding(params.id, body.note);
      return { message: 'Difference settled.' };
    },
  }),
  defineRoute({
    id: 'payers.plan',
    method: 'get',
    paths: ['/payouts/:id/send'],
    access,
    summary: 'Preview sending a payout with a method, with fees and balance',
    params: schemas.payoutParams,
    query: schemas.planQuery,
    response: schemas.planResponse,
    slow: true,
    handler: async ({ app, params, query }) => ({
      plan: await app.payers.plan(params.id, query.method ?? '', { confirm: query.confirm === true }),
    }),
  }),
  defineRoute({
    id: 'payers.send',
    method: 'post',
    paths: ['/payouts/:id/send'],
    access: sending,
    lifetimeHours: 72,
    summary: "Send a payout's open payments with a method. Pass the count and sum from the preview",
    params: schemas.payoutParams,
    body: schemas.sendBody,
    response: schemas.sentResponse,
    handler: async ({ app, params, body }) => {
      const { currency } = await app.payouts.get(params.id);
      const amount = parseAmount(body.amount, currency ?? '');
      if (amount === null) failFields({ amount: { numeric: 'The amount must be a number.' } });
      const { method, count, confirm = false } = body;
      return app.payers.send(params.id, { method, count, amount_minor: amount, confirm });
    },
  }),
  defineRoute({
    id: 'payers.overview',
    method: 'get',
    paths: ['/payouts/:id/sending'],
    access,
    summary: "Get the status of a payout's payments, by method and batch",
    params: schemas.payoutParams,
    response: schemas.overviewResponse,
    handler: async ({ app, params }) => {
      const { currency } = await app.payouts.get(params.id);
      return {
        methods: [...(await app.payers.methodsOf(params.id))],
        states: (await app.payers.statesOf(params.id)).map(({ amount_minor: amount, ...state }) => ({
          ...state,
          amount: toWire(minor(amount), currency ?? ''),
        })),
        batches: await app.payers.batches(params.id),
      };
    },
  }),
  defineRoute({
    id: 'payers.payments',
    method: 'get',
    paths: ['/payouts/:id/payments'],
    access,
    summary: 'List the payment attempts of a payout, newest first',
    params: schemas.payoutParams,
    query: schemas.paymentsQuery,
    response: schemas.paymentsResponse,
    handler: async ({ app, params, query, request }) => {
      const page = await app.payers.payments(params.id, query);
      const rows = await app.payers.present(page.rows);
      return { payments: pageEnvelope(request.url, { ...page, rows }) };
    },
  }),
  defineRoute({
    id: 'payers.retry',
    method: 'post',
    paths: ['/payouts/:id/payments/:payment_id/retry'],
    access: sending,
    summary: 'Retry a payment: check with the payer, or send it again with the same key',
    params: schemas.paymentParams,
    response: schemas.paymentResponse,
    handler: async ({ app, params }) => ({
      payment: (await app.payers.present([await app.payers.retry(params.id, params.payment_id)]))[0]!,
      message: 'The payment is being retried.',
    }),
  }),
  defineRoute({
    id: 'payers.cancel',
    method: 'post',
    paths: ['/payouts/:id/payments/:payment_id/cancel'],
    access: sending,
    summary: 'Cancel a payment, or ask the payer to cancel it if it was sent',
    params: schemas.paymentParams,
    response: schemas.paymentResponse,
    handler: async ({ app, params }) => ({
      payment: (await app.payers.present([await app.payers.cancel(params.id, params.payment_id)]))[0]!,
      message: 'The payment is being canceled.',
    }),
  }),
  defineRoute({
    id: 'payers.settle',
    method: 'post',
    paths: ['/payouts/:id/payments/:payment_id/settle'],
    access: sending,
    summary: 'Resolve a payment that the payer no longer has a record of',
    params: schemas.paymentParams,
    body: schemas.settleBody,
    response: schemas.paymentResponse,
    handler: async ({ app, params, body }) => ({
      payment: (
        await app.payers.present([await app.payers.settle(params.id, params.payment_id, body.as, body.note)])
      )[0]!,
      message: 'Payment settled.',
    }),
  }),
  defineRoute({
    id: 'payers.settle_batch',
    method: 'post',
    paths: ['/payouts/:id/batches/:batch_id/settle'],
    access: sending,
    summary: 'Mark a bank file as paid or as rejected by the bank',
    params: schemas.batchParams,
    body: schemas.settleBody,
    response: schemas.settledResponse,
    handler: async ({ app, params, body }) => ({
      payments_count: await app.payers.settleBatch(params.id, params.batch_id, body.as, body.note),
      message: 'Payments settled.',
    }),
  }),
  defineRoute({
    id: 'payers.file',
    method: 'get',
    paths: ['/payouts/:id/batches/:batch_id/file'],
    access: sending,
    summary: 'Get the bank file of a batch',
    params: schemas.batchParams,
    response: schemas.fileResponse,
    files: ['application/xml', 'text/plain'],
    handler: async ({ app, params }) => {
      const { name, contentType, text } = await app.payers.file(params.id, params.batch_id);
      return reply(text, {
        headers: { 'Content-Type': contentType, 'Content-Disposition': `attachment; filename="${name}"` },
      });
    },
  }),
  defineRoute({
    id: 'payers.bank_answer',
    method: 'post',
    paths: ['/payouts/:id/bank-answer'],
    access: sending,
    summary: "Read the bank's status report for a file (pain.002) and update its payments",
    params: schemas.payoutParams,
    query: schemas.bankFileQuery,
    accepts: { raw: true, bytes: 8 * MEBIBYTE },
    response: schemas.bankFileRead,
    handler: async ({ app, params, query, request }) => {
      const body = request.rawBody ?? Buffer.alloc(0);
      const { read, open } = await app.payers.readAnswer(
        params.id,
        query.method ?? '',
        body.toString('utf8'),
      );
      return { read_count: read, open_count: open, message: `Payments in this report: ${read}.` };
    },
  }),
  defineRoute({
    id: 'payers.reconcile',
    method: 'post',
    paths: ['/payouts/:id/reconcile'],
    access,
    summary: "Compare a payout's payments with the payer's records",
    params: schemas.payoutParams,
    response: schemas.reconcileResponse,
    slow: true,
    handler: async ({ app, params }) => {
      const { result, findings } = await app.payers.reconcile(params.id);
      return { result, findings: findings.map(presentFinding) };
    },
  }),
];

const wireSettings = (settings: Awaited<ReturnType<PayersService['settings']>>) => ({
  ...settings,
  offered: [...settings.offered],
});
