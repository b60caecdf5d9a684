import { Router, type Request, type RequestHandler, type Response } from 'express';
import { adminOnly, pageOf, refuse, show, wantsJson, type Site } from '../site.js';
import type { Order } from '../store/orders.js';
import { ordersPage } from '../views/orders.js';
import { formOf } from './shop.js';

const PER_PAGE = 20;
const JSON_PER_PAGE = 200;

/** The shop's own back office; everything about affiliates is in the console. */
export function orderRoutes(site: Site): Router {
  const router = Router();
  router.get('/admin', (_req, res) => {
    res.redirect(302, '/admin/orders');
  });
  router.get(
    '/admin/verify',
    adminOnly(site, async (_req, res) => {
      res.json({
        violations: await site.service.verify(),
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

async function showOrders(site: Site, req: Request, res: Response): Promise<void> {
  const page = pageOf(req);
  const { orders, total } = site.orders.list(page, wantsJson(req) ? JSON_PER_PAGE : PER_PAGE);
  if (wantsJson(req)) {
    res.json({ orders: orders.map((order) => ({ ...order, tracking: undefined })), total });
    return;
  }
  const body = ordersPage({
    rows: orders,
    total,
    pager: { page, pages: Math.ceil(total / PER_PAGE), path: '/admin/orders' },
  });
  await show(site, req, res, { title: 'Orders', current: '/admin/orders', body });
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
