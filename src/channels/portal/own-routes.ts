import { policies } from '../../platform/access/policies.js';
import { pageEnvelope } from '../../core/page.js';
import { routesFor, type Route } from '../../platform/http/define-route.js';
import { exportRows } from '../../platform/http/export.js';
import { idParams } from '../../platform/http/schema.js';
import {
  clicksResponse,
  clicksQuery,
  earningsResponse,
  earningsQuery,
  invoiceResponse,
  invoiceBody,
  paymentExport,
  statementExport,
  linkNameResponse,
  leavingResponse,
  linkNameBody,
  notificationsResponse,
  notificationsBody,
  overviewResponse,
  ownDataResponse,
  overviewQuery,
  paymentResponse,
  paymentDetailsResponse,
  paymentDetailsBody,
  paymentsResponse,
  paymentsQuery,
  performanceResponse,
  performanceQuery,
  profileResponse,
  profileBody,
  statementResponse,
  statementExportQuery,
  statementQuery,
  termsResponse,
} from './schemas.js';
import { presentLeaving } from './presenter.js';
import type { PortalService } from './service.js';
import type { AffiliatesService } from '../../program/affiliates/service.js';

/** What the handlers below call. */
export interface RouteDeps {
  readonly portal: PortalService;
  readonly affiliates: AffiliatesService;
}
const defineRoute = routesFor<RouteDeps>('portal');
const defineAffiliateRoute = routesFor<RouteDeps>('affiliates');

const access = policies.signedIn;

/** Routes for the pages of the portal, besides those that every client of the program knows. */
export const portalOwnRoutes: readonly Route<RouteDeps>[] = [
  defineRoute({
    id: 'portal.terms',
    method: 'get',
    paths: ['/portal/terms'],
    access: policies.public,
    summary: 'Get what an affiliate earns and when it is paid: the signed-in one, or a new one',
    response: termsResponse,
    handler: async ({ app, user }) => ({
      terms: await app.portal.terms(user.id > 0 ? user : null),
      contact: user.id > 0 ? await app.portal.contact(user) : null,
    }),
  }),
  defineRoute({
    id: 'portal.overview',
    method: 'get',
    paths: ['/portal/overview'],
    access,
    summary: 'Get the figures of a period and the one before, next payments and newest events',
    query: overviewQuery,
    response: overviewResponse,
    handler: async ({ app, user, query }) => app.portal.overview(user, query.days),
  }),
  defineRoute({
    id: 'portal.earnings',
    method: 'get',
    paths: ['/portal/earnings'],
    access,
    summary: 'List the commissions of the signed-in affiliate with their status',
    query: earningsQuery,
    response: earningsResponse,
    handler: async ({ app, user, query, request }) => {
      const { page, totals } = await app.portal.earnings(user, query);
      return { earnings: pageEnvelope(request.url, page), totals };
    },
  }),
  defineRoute({
    id: 'portal.statement',
    method: 'get',
    paths: ['/portal/statement'],
    access,
    summary: 'Get the balance statement of the signed-in affiliate',
    query: statementQuery,
    response: statementResponse,
    handler: async ({ app, user, query, request }) => {
      const { page, balance } = await app.portal.statement(user, query);
      return { statement: pageEnvelope(request.url, page), balance };
    },
  }),
  defineAffiliateRoute({
    id: 'affiliates.statement',
    method: 'get',
    paths: ['/affiliates/:id/statement'],
    access: policies.section('affiliates', { also: 'payouts' }),
    summary: 'Get the balance statement of an affiliate, with the balance after each entry',
    params: idParams,
    query: statementQuery,
    response: statementResponse,
    handler: async ({ app, params, query, request }) => {
      const { page, balance } = await app.portal.statementOf(await app.affiliates.get(params.id), query);
      return { statement: pageEnvelope(request.url, page), balance };
    },
  }),
  defineRoute({
    id: 'portal.export_statement',
    method: 'get',
    paths: ['/portal/statement/export'],
    access,
    summary: 'Export the balance statement as CSV, oldest entry first',
    query: statementExportQuery,
    response: statementExport,
    files: ['text/csv'],
    handler: async ({ app, user, query }) => exportRows(await app.portal.statementExport(user, query)),
  }),
  defineRoute({
    id: 'portal.payments',
    method: 'get',
    paths: ['/portal/payments'],
    access,
    summary: 'List the payments to the signed-in affiliate with their references',
    query: paymentsQuery,
    response: paymentsResponse,
    handler: async ({ app, user, query, request }) => ({
      payments: pageEnvelope(request.url, await app.portal.payments(user, query)),
    }),
  }),
  defineRoute({
    id: 'portal.payment',
    method: 'get',
    paths: ['/portal/payments/:id'],
    access,
    summary: 'Get the statement of one payment',
    params: idParams,
    query: paymentsQuery,
    response: paymentResponse,
    handler: async ({ app, user, params, query }) => app.portal.payment(user, params.id, query),
  }),
  defineRoute({
    id: 'portal.export_payment',
    method: 'get',
    paths: ['/portal/payments/:id/export'],
    access,
    summary: 'Export the commissions of one payment as CSV',
    params: idParams,
    response: paymentExport,
    files: ['text/csv'],
    handler: async ({ app, user, params }) => exportRows(await app.portal.paymentExport(user, params.id)),
  }),
  defineRoute({
    id: 'portal.clicks',
    method: 'get',
    paths: ['/portal/clicks'],
    access,
    summary: 'List the clicks of the signed-in affiliate, by campaign and outcome',
    query: clicksQuery,
    response: clicksResponse,
    handler: async ({ app, user, query, request }) => ({
      clicks: pageEnvelope(request.url, await app.portal.clicks(user, query)),
    }),
  }),
  defineRoute({
    id: 'portal.performance',
    method: 'get',
    paths: ['/portal/performance'],
    access,
    summary: 'Get clicks, orders and earnings per campaign, page or sub ID',
    query: performanceQuery,
    response: performanceResponse,
    handler: async ({ app, user, query }) => app.portal.performance(user, query.by, query.days),
  }),
  defineRoute({
    id: 'portal.payment_details',
    method: 'get',
    paths: ['/portal/payment-details'],
    access,
    summary: 'Get the payment details of the signed-in affiliate',
    response: paymentDetailsResponse,
    handler: async ({ app, user }) => app.portal.paymentDetails(user),
  }),
  defineRoute({
    id: 'portal.save_payment_details',
    method: 'post',
    paths: ['/portal/payment-details'],
    access,
    secret: true,
    summary: 'Change the payment details of the signed-in affiliate',
    body: paymentDetailsBody,
    response: paymentDetailsResponse,
    handler: async ({ app, user, body, request }) => app.portal.savePaymentDetails(user, body, request.ip),
  }),
  defineRoute({
    id: 'portal.notifications',
    method: 'get',
    paths: ['/portal/notifications'],
    access,
    summary: 'Which mails the signed-in affiliate gets',
    response: notificationsResponse,
    handler: async ({ app, user }) => app.portal.notifications(user),
  }),
  defineRoute({
    id: 'portal.save_notifications',
    method: 'post',
    paths: ['/portal/notifications'],
    access,
    summary: 'Choose which mails the signed-in affiliate gets',
    body: notificationsBody,
    response: notificationsResponse,
    handler: async ({ app, user, body }) => app.portal.saveNotifications(user, body),
  }),
  defineRoute({
    id: 'portal.data',
    method: 'get',
    paths: ['/portal/data'],
    access,
    slow: true,
    summary: 'Export all data about the signed-in affiliate',
    response: ownDataResponse,
    handler: async ({ app, user }) => ({ data: await app.portal.ownData(user) }),
  }),
  defineRoute({
    id: 'portal.leave',
    method: 'post',
    paths: ['/portal/leave'],
    access,
    summary: 'Leave the program: links stop counting, what was earned is still paid',
    response: leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(await app.portal.leave(user), 'You have left the program.'),
  }),
  defineRoute({
    id: 'portal.ask_deletion',
    method: 'post',
    paths: ['/portal/deletion'],
    access,
    summary: 'Request the deletion of the personal data of the signed-in affiliate',
    response: leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(await app.portal.askDeletion(user, true), 'The program was asked to delete your data.'),
  }),
  defineRoute({
    id: 'portal.withdraw_deletion',
    method: 'delete',
    paths: ['/portal/deletion'],
    access,
    summary: 'Withdraw the request for deletion',
    response: leavingResponse,
    handler: async ({ app, user }) =>
      presentLeaving(await app.portal.askDeletion(user, false), 'Your data stays.'),
  }),
  defineRoute({
    id: 'portal.profile',
    method: 'get',
    paths: ['/portal/profile'],
    access,
    summary: 'Get the profile of the signed-in affiliate',
    response: profileResponse,
    handler: async ({ app, user }) => app.portal.profile(user),
  }),
  defineRoute({
    id: 'portal.save_profile',
    method: 'post',
    paths: ['/portal/profile'],
    access,
    summary: 'Save the profile of the signed-in affiliate',
    body: profileBody,
    response: profileResponse,
    handler: async ({ app, user, body }) => app.portal.saveProfile(user, body),
  }),
  defineRoute({
    id: 'portal.invoice_details',
    method: 'get',
    paths: ['/portal/invoice-details'],
    access,
    summary: 'Get the invoice details of the signed-in affiliate, and whether the program asks for them',
    response: invoiceResponse,
    handler: async ({ app, user }) => app.portal.invoiceDetails(user),
  }),
  defineRoute({
    id: 'portal.save_invoice_details',
    method: 'post',
    paths: ['/portal/invoice-details'],
    access,
    summary: 'Save the invoice details of the signed-in affiliate: name, address, tax number',
    body: invoiceBody,
    response: invoiceResponse,
    handler: async ({ app, user, body }) => app.portal.saveInvoiceDetails(user, body),
  }),
  defineRoute({
    id: 'portal.link_name',
    method: 'get',
    paths: ['/portal/link-name'],
    access,
    summary: 'Get the link name of the signed-in affiliate',
    response: linkNameResponse,
    handler: async ({ app, user }) => app.portal.linkName(user),
  }),
  defineRoute({
    id: 'portal.save_link_name',
    method: 'post',
    paths: ['/portal/link-name'],
    access,
    summary: 'Choose the link name of the signed-in affiliate; null removes it',
    body: linkNameBody,
    response: linkNameResponse,
    handler: async ({ app, user, body }) => app.portal.saveLinkName(user, body.name ?? null),
  }),
];
