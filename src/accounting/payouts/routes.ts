import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { reply, type Reply } from '../../platform/http/reply.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { payoutWithCounts } from '../api-schemas.js';
import { presentLeftOut } from './presenter.js';
import * as schemas from './schemas.js';
import type { PayoutConfigInput } from './types.js';
import type { PayoutsService } from './service.js';

export interface RouteDeps {
  readonly payouts: PayoutsService;
}
const defineRoute = routesFor<RouteDeps>('payouts');
const payouts = resourcesFor<RouteDeps>('payouts');

const access = policies.section('payouts');
const EXPORT_COLUMNS = [
  'affiliate_id',
  'affiliate_name',
  'email',
  'payout_email',
  'amount',
  'currency',
  'paid_to',
  'payee_changed',
];
const LEFT_OUT_MAX = 1000;
const ESCAPED = ['affiliate_name', 'email', 'payout_email', 'paid_to'];

export const payoutRoutes: readonly Route<RouteDeps>[] = [
  ...payouts.lists({
    paths: ['/payouts'],
    access,
    name: 'payouts',
    row: payoutWithCounts,
    query: schemas.payoutListQuery,
    of: ({ app }) => app.payouts.lists,
    list: { id: 'payouts.list', summary: 'List payouts' },
    export: {
      id: 'payouts.list_export',
      summary: 'Export payouts as CSV or JSON rows',
      columns: schemas.PAYOUT_COLUMNS,
      escaped: ['title', 'description'],
    },
    totals: {
      id: 'payouts.totals',
      summary: 'Get the totals of the list, in each currency',
      schema: schemas.payoutTotals,
    },
  }),
  defineRoute({
    id: 'payouts.running',
    method: 'get',
    paths: ['/payouts/running'],
    access,
    summary: 'List payouts that are being created or undone, with their progress',
    response: schemas.runningResponse,
    handler: async ({ app }) => ({ works: await app.payouts.running() }),
  }),
  defineRoute({
    id: 'payouts.stop',
    method: 'delete',
    paths: ['/payouts/:id/running'],
    access,
    summary: 'Stop a payout after its current step. You can resume or undo it later',
    params: schemas.payoutParams,
    response: schemas.runningResponse,
    handler: async ({ app, params }) => {
      await app.payouts.stop(params.id);
      return { works: await app.payouts.running() };
    },
  }),
  defineRoute({
    id: 'payouts.go_on',
    method: 'post',
    paths: ['/payouts/:id/running'],
    access,
    summary: 'Resume a stopped payout',
    params: schemas.payoutParams,
    response: schemas.runningResponse,
    handler: async ({ app, params }) => {
      await app.payouts.goOn(params.id);
      return { works: await app.payouts.running() };
    },
  }),
  defineRoute({
    id: 'payouts.preview',
    method: 'post',
    paths: ['/payouts/validate-payout-config'],
    access,
    lifetimeHours: 72,
    summary: 'Preview a payout',
    selects: 'body',
    body: schemas.payoutConfig,
    response: schemas.previewResponse,
    // checked by the service
    handler: async ({ app, body }) => app.payouts.preview(body.config as PayoutConfigInput),
  }),
  defineRoute({
    id: 'payouts.process',
    method: 'post',
    paths: ['/payouts/process-payout'],
    access,
    lifetimeHours: 72,
    summary: 'Create a payout of all payable referrals',
    selects: 'body',
    body: schemas.payoutConfig,
    response: schemas.processResponse,
    handler: async ({ app, body, request }) => {
      const later = wantsLater(request);
      const payout = await app.payouts.process(body.config as PayoutConfigInput, { later });
      const isDraft = payout.status === 'draft';
      return reply(
        {
          payout: await app.payouts.present(payout),
          message: isDraft ? 'The payout is being created.' : 'Payout created.',
          ...(await app.payouts.notPaid(payout)),
        },
        { status: isDraft ? 202 : 200 },
      );
    },
  }),
  defineRoute({
    id: 'payouts.methods',
    method: 'get',
    paths: ['/payouts/methods'],
    access,
    summary: 'List the payout methods',
    response: schemas.payoutMethods,
    handler: async ({ app }) => ({ methods: await app.payouts.choices() }),
  }),
  defineRoute({
    id: 'payouts.methods_of_payout',
    method: 'get',
    paths: ['/payouts/:id/methods'],
    access,
    summary: 'Get how much of a payout each method can pay, and which payment details are missing',
    params: schemas.payoutParams,
    response: schemas.payoutMethodsFor,
    handler: async ({ app, params }) => ({ methods: await app.payouts.methodsFor(params.id) }),
  }),
  defineRoute({
    id: 'payouts.get',
    method: 'get',
    paths: ['/payouts/:id'],
    access,
    summary: 'Get a payout and the user who created it',
    params: schemas.payoutParams,
    response: schemas.payoutView,
    handler: async ({ app, params }) => ({ payout: await app.payouts.view(params.id) }),
  }),
  defineRoute({
    id: 'payouts.update',
    method: 'patch',
    paths: ['/payouts/:id'],
    access,
    summary: "Update a payout's title or description",
    params: schemas.payoutParams,
    body: schemas.payoutPatch,
    response: schemas.payoutResponse,
    handler: async ({ app, params, body }) => {
      const payout = await app.payouts.update(params.id, body);
      return { payout: await app.payouts.present(payout), message: 'Payout updated.' };
    },
  }),
  defineRoute({
    id: 'payouts.referrals',
    method: 'get',
    paths: ['/payouts/:id/referrals'],
    access: policies.section('payouts', { also: 'referrals' }),
    summary: 'List the referrals of a payout',
    params: schemas.payoutParams,
    query: schemas.payoutReferralQuery,
    response: schemas.payoutReferrals,
    handler: async ({ app, params, query, request }) => {
      const affiliateId = Number(query.affiliate_id);
      const only = Number.isSafeInteger(affiliateId) && affiliateId > 0 ? affiliateId : undefined;
      const referrals = pageEnvelope(
        request.url,
        await app.payouts.referrals(params.id, { ...query, affiliate_id: only }),
      );
      return query.with_affiliate_lists === 'yes'
        ? { referrals, affiliate_lists: await app.payouts.affiliatesOf(params.id) }
        : { referrals };
    },
  }),
  payouts.page({
    id: 'payouts.items',
    paths: ['/payouts/:id/items'],
    access: policies.section('payouts', { also: 'referrals' }),
    summary: "List a payout's items: the amount paid for each referral",
    params: schemas.payoutParams,
    name: 'items',
    row: schemas.payoutItem,
    query: schemas.itemQuery,
    page: ({ app, params, query }) => app.payouts.items(params.id, query),
  }),
  defineRoute({
    id: 'payouts.transactions',
    method: 'get',
    paths: ['/payouts/:id/transactions'],
    access,
    summary: 'List the transactions of a payout',
    params: schemas.payoutParams,
    query: schemas.transactionListQuery,
    response: schemas.transactionPage,
    handler: async ({ app, params, query, request }) => {
      const { page, processing } = await app.payouts.transactions(params.id, query);
      return { transactions: pageEnvelope(request.url, page), processing_count: processing };
    },
  }),
  defineRoute({
    id: 'payouts.export',
    method: 'get',
    paths: ['/payouts/:id/transactions-export'],
    access,
    summary: "Export a payout's transactions, or the mass-payment file of a payout method",
    params: schemas.payoutParams,
    query: schemas.transactionExportQuery,
    response: schemas.transactionExport,
    files: ['text/csv'],
    handler: async ({ app, params, query }) => {
      if (query.method) return paymentFile(await app.payouts.paymentFile(params.id, query.method, query));
      const rows = await app.payouts.exportTransactions(params.id, query);
      return exportRows({
        name: 'transactions',
        file: `payout_transactions_${params.id}.csv`,
        columns: EXPORT_COLUMNS,
        escaped: ESCAPED,
        forReaders: ['email'],
        ...rows,
      });
    },
  }),
  defineRoute({
    id: 'payouts.markTransaction',
    method: 'patch',
    paths: ['/payouts/:id/transactions/:transaction_id'],
    access,
    summary: 'Mark a transaction as paid or processing',
    params: schemas.transactionParams,
    body: schemas.transactionPatch,
    response: schemas.transactionResponse,
    handler: async ({ app, params, body }) => ({
      ...(await app.payouts.setTransactionStatus(params.id, params.transaction_id, body.status, body)),
      message: 'Payment updated.',
    }),
  }),
  defineRoute({
    id: 'payouts.markAllPaid',
    method: 'patch',
    paths: ['/payouts/:id/transactions/bulk-action'],
    access,
    summary: 'Mark all open transactions of a payout as paid',
    params: schemas.payoutParams,
    selects: 'body',
    body: schemas.bulkAction,
    response: schemas.bulkResponse,
    handler: async ({ app, params, body, request }) => {
      const later = wantsLater(request);
      const {
        paid,
        left_out: leftOut,
        open,
      } = await app.payouts.changes.markAllPaid(params.id, { ...body, later });
      const { currency } = await app.payouts.get(params.id);
      const isGoingOn = later && open > 0;
      return reply(
        {
          processing_count: isGoingOn ? open : 0, // what another call would do: clients repeat it until it is 0
          left_out_count: leftOut.length,
          left_out: leftOut.slice(0, LEFT_OUT_MAX).map((row) => presentLeftOut(row, currency)),
          message: isGoingOn ? 'The payments are being marked as paid.' : bulkMessage(paid, leftOut.length),
        },
        { status: isGoingOn ? 202 : 200 },
      );
    },
  }),
  defineRoute({
    id: 'payouts.takePayee',
    method: 'post',
    paths: ['/payouts/:id/transactions/:transaction_id/payee'],
    access,
    summary: "Update an open transaction to the affiliate's current payment details",
    params: schemas.transactionParams,
    response: schemas.payeeTaken,
    handler: async ({ app, params }) => ({
      transaction: await app.payouts.takePayee(params.id, params.transaction_id),
      message: 'Payment updated.',
    }),
  }),
  defineRoute({
    id: 'payouts.deleteTransaction',
    method: 'delete',
    paths: ['/payouts/:id/transactions/:transaction_id'],
    access,
    summary: 'Delete a transaction. Its referrals become unpaid',
    params: schemas.transactionParams,
    response: schemas.payoutResponse,
    handler: async ({ app, params }) => {
      const payout = await app.payouts.changes.remove(params.id, params.transaction_id);
      return { payout: await app.payouts.present(payout), message: 'Payment deleted.' };
    },
  }),
  defineRoute({
    id: 'payouts.undo_preview',
    method: 'get',
    paths: ['/payouts/:id/undo'],
    access,
    summary: 'Preview undoing a payout',
    params: schemas.payoutParams,
    response: schemas.undoResponse,
    handler: async ({ app, params }) => ({ undo: await app.payouts.undoPreview(params.id) }),
  }),
  defineRoute({
    id: 'payouts.undo',
    method: 'post',
    paths: ['/payouts/:id/undo'],
    access,
    summary: 'Undo a payout. Each request deletes up to 200 open transactions; paid transactions are kept',
    params: schemas.payoutParams,
    selects: 'body',
    body: schemas.undoForm,
    response: schemas.undoneResponse,
    handler: async ({ app, params, body, request }) => {
      const later = wantsLater(request);
      return reply(await app.payouts.undo(params.id, { ...body, later }), { status: later ? 202 : 200 });
    },
  }),
];

/** With `Prefer: respond-async`, the response is immediate, and the work continues in the background. */
const wantsLater = (request: Pick<RequestInfo, 'header'>): boolean =>
  /(^|,)\s*respond-async\s*(;|,|$)/iu.test(request.header('prefer') ?? '');

function bulkMessage(paid: number, leftOut: number): string {
  if (leftOut > 0) return `${paid} payments were marked as paid, ${leftOut} were skipped.`;
  return paid === 0 ? 'No payment is open.' : 'Payments marked as paid.';
}

const paymentFile = (file: {
  name: string;
  contentType: string;
  text: string;
  total: number;
  parts: number;
  left_out: number;
}): Reply<string> =>
  reply(file.text, {
    headers: {
      'Content-Type': file.contentType,
      'Content-Disposition': `attachment; filename="${file.name.replaceAll(/[^\w.-]/gu, '_')}"`,
      'X-Export-Total': String(file.total),
      'X-Export-Parts': String(file.parts),
      'X-Export-Left-Out': String(file.left_out),
    },
  });
