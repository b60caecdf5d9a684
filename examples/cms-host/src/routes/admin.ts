import { Router, type Request, type RequestHandler, type Response } from 'express';
import { adminOnly, pageOf, refuse, show, wantsJson, type Site } from '../site.js';
import type { Order } from '../store/orders.js';
import type { Html } from '../views/html.js';
import { money } from '../views/format.js';
import * as views from '../views/admin.js';
import { formOf } from './shop.js';

const PER_PAGE = 20;
const JSON_PER_PAGE = 200;
const NEWEST = { search: '', order_by: 'id', order_type: 'DESC' } as const;

interface PageOfRows {
  readonly rows: readonly Record<string, unknown>[];
  readonly total: number;
}

const listing = ({ rows, total }: PageOfRows, page: number, path: string): views.Listing => ({
  rows,
  total,
  pager: { page, pages: Math.ceil(total / PER_PAGE), path },
});

/** The administrator's pages. What they change goes through the REST interface, called by public/admin.js. */
export function adminRoutes(site: Site): Router {
  const router = Router();
  const { service, users } = site;
  const page = (path: string, make: (req: Request) => Promise<Html>): void => {
    router.get(
      path,
      adminOnly(site, async (req, res) =>
        show(site, req, res, {
          title: 'Admin',
          current: '/admin',
          scripts: ['admin.js'],
          body: await make(req),
        }),
      ),
    );
  };

  page('/admin', () => overview(site));
  page('/admin/referrals', async (req) => {
    const query = { ...NEWEST, page: pageOf(req), per_page: PER_PAGE };
    return views.referralsPage(listing(await service.referrals.list(query), query.page, '/admin/referrals'));
  });
  page('/admin/affiliates', async (req) => {
    const query = { ...NEWEST, page: pageOf(req), per_page: PER_PAGE };
    const taken = await service.affiliates.findByUsers(users.all().map((user) => user.id));
    const list = listing(
      await service.affiliates.list(query, { bankDetails: false }),
      query.page,
      '/admin/affiliates',
    );
    return views.affiliatesPage(
      list,
      users.all().filter((user) => !taken.has(user.id)),
    );
  });
  page('/admin/payouts', async (req) => {
    const query = { ...NEWEST, page: pageOf(req), per_page: PER_PAGE };
    return views.payoutsPage(listing(await service.payouts.list(query), query.page, '/admin/payouts'));
  });
  router.get(
    '/admin/payouts/:id',
    adminOnly(site, (req, res) => showPayout(site, req, res)),
  );
  router.get(
    '/admin/verify',
    adminOnly(site, async (_req, res) => {
      res.json({
        violations: await service.verify(),
        unsettled_orders: site.orders.unsettled().map(({ id }) => id),
      });
    }),
  );
  router.get(
    '/admin/orders',
    adminOnly(site, (req, res) => showOrders(site, req, res)),
  );
  router.post(
    '/admin/orders/:id/complete',
    orderAction(site, ({ id }) => site.orders.complete(id)),
  );
  router.post(
    '/admin/orders/:id/refund',
    orderAction(site, ({ id }, amount) => (amount === 'wrong' ? null : site.orders.refund(id, amount))),
  );
  return router;
}

async function overview({ service, orders }: Site): Promise<Html> {
  const first = { ...NEWEST, page: 1, per_page: 8 };
  const [referrals, affiliates, payouts, preview] = await Promise.all([
    service.referrals.list(first),
    service.affiliates.list({ ...first, per_page: 1 }, { bankDetails: false }),
    service.payouts.list({ ...first, per_page: 1 }),
    service.payouts.preview({ title: 'Preview', description: 'Preview' }),
  ]);
  return views.overview({
    figures: [
      ['Orders', String(orders.list(1, 1).total), '/admin/orders'],
      ['Affiliates', String(affiliates.total), '/admin/affiliates'],
      ['Payouts', String(payouts.total), '/admin/payouts'],
      ['Payable now', money(preview['payable_total_amount']), '/admin/payouts'],
    ],
    referrals: referrals.rows,
  });
}

async function showPayout(site: Site, req: Request, res: Response): Promise<void> {
  const id = Number(req.params['id']);
  const { payouts } = site.service;
  if (!Number.isSafeInteger(id) || !(await payouts.find(id))) {
    await refuse(site, req, res, { status: 404, code: 'payout_not_found', text: 'There is no such payout.' });
    return;
  }
  const query = { ...NEWEST, page: pageOf(req), per_page: PER_PAGE };
  const [payout, { page, processing }] = await Promise.all([
    payouts.view(id),
    payouts.transactions(id, query),
  ]);
  const body = views.payoutPage({
    payout,
    listing: listing(page, query.page, `/admin/payouts/${id}`),
    open: processing,
  });
  await show(site, req, res, { title: 'Payout', current: '/admin', scripts: ['admin.js'], body });
}

async function showOrders(site: Site, req: Request, res: Response): Promise<void> {
  const page = pageOf(req);
  const { orders, total } = site.orders.list(page, wantsJson(req) ? JSON_PER_PAGE : PER_PAGE);
  if (wantsJson(req)) {
    res.json({ orders: orders.map((order) => ({ ...order, tracking: undefined })), total });
    return;
  }
  const body = views.ordersPage({
    rows: orders,
    total,
    pager: { page, pages: Math.ceil(total / PER_PAGE), path: '/admin/orders' },
  });
  await show(site, req, res, { title: 'Orders', current: '/admin', body });
}

type Change = (order: Order, amount: number | null | 'wrong') => Order | null;

/** Changes an order, tells the affiliate service, and answers as the caller likes. */
const orderAction = (site: Site, change: Change): RequestHandler =>
  adminOnly(site, async (req, res) => {
    const id = Number(req.params['id']);
    const order = Number.isSafeInteger(id) ? site.orders.find(id) : null;
    const changed = order && change(order, readCents(formOf(req)['amount']));
    if (!changed) {
      await refuse(
        site,
        req,
        res,
        order
          ? {
              status: 422,
              code: 'refund_invalid',
              text: 'The amount is more than is left of this order, or not an amount.',
            }
          : { status: 404, code: 'order_not_found', text: 'There is no such order.' },
      );
      return;
    }
    const referral = await site.checkout.settle(changed).catch(() => null);
    if (!wantsJson(req)) {
      res.redirect(303, '/admin/orders');
      return;
    }
    const { id: orderId, status, refunded_cents: refunded } = changed;
    res.json({
      order_id: orderId,
      status,
      refunded: refunded / 100,
      referral: referral && {
        id: referral.id,
        affiliate_id: referral.affiliate_id,
        amount: referral.amount,
        currency: referral.currency,
        status: referral.status,
      },
    });
  });

/** Cents of "25.00"; null when nothing was said. */
function readCents(value: unknown): number | null | 'wrong' {
  if (value === undefined || value === null || value === '') return null;
  const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/u.exec(
    typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '',
  );
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : 'wrong';
}
