import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { resourcesFor } from '../../platform/http/resource.js';
import { idParams } from '../../platform/http/schema.js';
import * as schemas from './schemas.js';
import { presentLeaving } from './presenter.js';
import type { PortalService } from './service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

export interface RouteDeps {
  readonly portal: PortalService;
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('portal');
const portal = resourcesFor<RouteDeps>('portal');
const defineAffiliateRoute = routesFor<RouteDeps>('affiliates');

const access = policies.signedIn;

/** Routes for the pages of the portal, besides those that every client of the program knows. */
export const portalOwnRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'portal.terms',
    method: 'get',
    paths: ['/portal/terms'],
    access: policies.public,
    summary: 'Get the commission rates and payment terms of the signed-in affiliate or a new one',
    response: schemas.termsResponse,
    handler: async ({ app, user }) => ({
      terms: await app.portal.terms(user.id > 0 ? user : null),
      contact: user.id > 0 ? await app.portal.contact(user) : null,
      closed: user.id > 0 ? await app.portal.closed(user) : null,
    }),
  }),
  defineRoute({
    id: 'portal.overview',
    method: 'get',
    paths: ['/portal/overview'],
    access,
    summary: 'Get the figures of a period and the previous period, the next payments and the latest events',
    query: schemas.overviewQuery,
    response: schemas.overviewResponse,
    handler: async ({ app, user, query }) =>
      app.portal.overview.of(await app.portal.own(user), Number(query.days)),
  }),
  defineRoute({
    id: 'portal.earnings',
    method: 'get',
    paths: ['/portal/earnings'],
    access,
    summary: 'List the commissions of the signed-in affiliate with their status',
    query: schemas.earningsQuery,
    response: schemas.earningsResponse,
    handler: async ({ app, user, query, request }) => {
      const { page, totals } = await app.portal.earnings.list(await app.portal.own(user), query);
      return { earnings: pageEnvelope(request.url, page), totals };
    },
  }),
  defineRoute({
    id: 'portal.statement',
    method: 'get',
    paths: ['/portal/statement'],
    access,
    summary: 'Get the balance statement of the signed-in affiliate',
    query: schemas.statementQuery,
    response: schemas.statementResponse,
    handler: async ({ app, user, query, request }) => {
      const { page, balance } = await app.portal.statement.list(await app.portal.own(user), query);
      return { statement: pageEnvelope(request.url, page), balance };
    },
  }),
  defineAffiliateRoute({
    id: 'affiliates.statement',
    method: 'get',
    paths: ['/affiliates/:id/statement'],
    access: policies.section('affiliates', { also: 'payouts' }),
    summary: "Get an affiliate's balance statement, with the balance after each entry",
    params: idParams,
    query: schemas.statementQuery,
    response: schemas.statementResponse,
    handler: async ({ app, params, query, request }) => {
      const { page, balance } = await app.portal.statement.list(await app.affiliates.get(params.id), query, {
        allNotes: true,
      });
      return { statement: pageEnvelope(request.url, page), balance };
    },
  }),
  defineRoute({
    id: 'portal.export_statement',
    method: 'get',
    paths: ['/portal/statement/export'],
    access,
    summary: 'Export the balance statement as CSV, oldest entry first',
    query: schemas.statementExportQuery,
    response: schemas.statementExport,
    files: ['text/csv'],
    handler: async ({ app, user, query }) =>
      exportRows(await app.portal.statement.export(await app.portal.own(user), query)),
  }),
  portal.page({
    id: 'portal.payments',
    paths: ['/portal/payments'],
    access,
    summary: 'List the payments to the signed-in affiliate with their references',
    query: schemas.paymentsQuery,
    name: 'payments',
    row: schemas.payment,
    page: async ({ app, user, query }) => app.portal.payments.list(await app.portal.own(user), query),
  }),
  defineRoute({
    id: 'portal.payment',
    method: 'get',
    paths: ['/portal/payments/:id'],
    access,
    summary: 'Get the statement of one payment',
    params: idParams,
    query: schemas.paymentsQuery,
    response: schemas.paymentResponse,
    handler: async ({ app, user, params, query }) =>
      app.portal.payments.statement(await app.portal.own(user), user, params.id, query),
  }),
  defineRoute({
    id: 'portal.export_payment',
    method: 'get',
    paths: ['/portal/payments/:id/export'],
    access,
    summary: 'Export the commissions of one payment as CSV',
    params: idParams,
    response: schemas.paymentExport,
    files: ['text/csv'],
    handler: async ({ app, user, params }) =>
      exportRows(await app.portal.payments.export(await app.portal.own(user), params.id)),
  }),
  portal.page({
    id: 'portal.clicks',
    paths: ['/portal/clicks'],
    access,
    summary: 'List the clicks of the signed-in affiliate, by campaign and outcome',
    query: schemas.clicksQuery,
    name: 'clicks',
    row: schemas.click,
    page: async ({ app, user, query }) => app.portal.clicks.list(await app.portal.own(user), query),
  }),
  defineRoute({
    id: 'portal.performance',
    method: 'get',
    paths: ['/portal/performance'],
    access,
    summary: 'Get clicks, orders and earnings per campaign, page or sub ID',
    query: schemas.performanceQuery,
    response: schemas.performanceResponse,
    handler: async ({ app, user, query }) => app.portal.performance(user, query.by, query.days),
  }),
  defineRoute({
    id: 'portal.payment_details',
    method: 'get',
    paths: ['/portal/payment-details'],
    access,
    summary: 'Get the payment details of the signed-in affiliate',
    response: schemas.paymentDetailsResponse,
    handler: async ({ app, user }) => app.portal.account.paymentDetails(await app.portal.own(user)),
  }),
  defineRoute({
    id: 'portal.save_payment_details',
    method: 'post',
    paths: ['/portal/payment-details'],
    access,
    secret: true,
    summary: 'Change the payment details of the signed-in affiliate',
    body: schemas.paymentDetailsBody,
    response: schemas.paymentDetailsResponse,
    handler: async ({ app, user, body, request }) => app.portal.savePaymentDetails(user, body, request.ip),
  }),
  defineRoute({
    id: 'portal.notifications',
    method: 'get',
    paths: ['/portal/notifications'],
    access,
    summary: 'Get the e-mail preferences of the signed-in affiliate',
    response: schemas.notificationsResponse,
    handler: async ({ app, user }) => app.portal.account.notifications(await app.portal.own(user)),
  }),
  defineRoute({
    id: 'portal.save_notifications',
    method: 'post',
    paths: ['/portal/notifications'],
    access,
    summary: 'Update the e-mail preferences of the signed-in affiliate',
    body: schemas.notificationsBody,
    response: schemas.notificationsResponse,
    handler: async ({ app, user, body }) =>
      app.portal.account.saveNotifications(await app.portal.own(user), body),
  }),
  defineRoute({
    id: 'portal.data',
    method: 'get',
    paths: ['/portal/data'],
    access,
    slow: true,
    summary: 'Export all data stored about the signed-in affiliate',
    response: schemas.ownDataResponse,
    handler: async ({ app, user }) => ({
      data: await app.portal.ownData.of(await app.portal.own(user), user),
    }),
  }),
  defineRoute({
    id: 'portal.leave',
    method: 'post',
    paths: ['/portal/leave'],
    access,
    summary: 'Leave the program. Links stop counting; earned commissions are still paid',
    response: schemas.leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(
        await app.affiliates.changes.leave((await app.portal.own(user)).id),
        'You have left the program.',
      ),
  }),
  defineRoute({
    id: 'portal.ask_deletion',
    method: 'post',
    paths: ['/portal/deletion'],
    access,
    summary: 'Request the deletion of the personal data of the signed-in affiliate',
    response: schemas.leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(
        await app.affiliates.changes.askDeletion((await app.portal.own(user)).id, true),
        'Your deletion request was sent.',
      ),
  }),
  defineRoute({
    id: 'portal.withdraw_deletion',
    method: 'delete',
    paths: ['/portal/deletion'],
    access,
    summary: 'Withdraw the deletion request',
    response: schemas.leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(
        await app.affiliates.changes.askDeletion((await app.portal.own(user)).id, false),
        'Your data stays.',
      ),
  }),
  defineRoute({
    id: 'portal.profile',
    method: 'get',
    paths: ['/portal/profile'],
    access,
    summary: 'Get the profile of the signed-in affiliate',
    response: schemas.profileResponse,
    handler: async ({ app, user }) => app.portal.account.profile(await app.portal.own(user), user),
  }),
  defineRoute({
    id: 'portal.save_profile',
    method: 'post',
    paths: ['/portal/profile'],
    access,
    summary: 'Update the profile of the signed-in affiliate',
    body: schemas.profileBody,
    response: schemas.profileResponse,
    handler: async ({ app, user, body }) =>
      app.portal.account.saveProfile(await app.portal.own(user), user, body),
  }),
  defineRoute({
    id: 'portal.invoice_details',
    method: 'get',
    paths: ['/portal/invoice-details'],
    access,
    summary: "Get the signed-in affiliate's invoice details, and whether the program requires them",
    response: schemas.invoiceResponse,
    handler: async ({ app, user }) => app.portal.account.invoiceDetails(await app.portal.own(user)),
  }),
  defineRoute({
    id: 'portal.save_invoice_details',
    method: 'post',
    paths: ['/portal/invoice-details'],
    access,
    summary: "Update the signed-in affiliate's invoice details: name, address and tax number",
    body: schemas.invoiceBody,
    response: schemas.invoiceResponse,
    handler: async ({ app, user, body }) =>
      app.portal.account.saveInvoiceDetails(await app.portal.own(user), body),
  }),
  defineRoute({
    id: 'portal.save_note',
    method: 'post',
    paths: ['/portal/earnings/:id/note'],
    access,
    summary: "Set the signed-in affiliate's note on a commission. An empty text removes it",
    params: idParams,
    body: schemas.noteBody,
    response: schemas.noteResponse,
    handler: async ({ app, user, params, body }) =>
      app.portal.earnings.saveNote(await app.portal.own(user), params.id, body.note ?? ''),
  }),
  defineRoute({
    id: 'portal.link_name',
    method: 'get',
    paths: ['/portal/link-name'],
    access,
    summary: 'Get the link name of the signed-in affiliate',
    response: schemas.linkNameResponse,
    handler: async ({ app, user }) => app.portal.account.linkName(await app.portal.own(user)),
  }),
  defineRoute({
    id: 'portal.save_link_name',
    method: 'post',
    paths: ['/portal/link-name'],
    access,
    summary: 'Set the link name of the signed-in affiliate. `null` removes it',
    body: schemas.linkNameBody,
    response: schemas.linkNameResponse,
    handler: async ({ app, user, body }) =>
      app.portal.account.saveLinkName(await app.portal.own(user), body.name ?? null),
  }),
];
