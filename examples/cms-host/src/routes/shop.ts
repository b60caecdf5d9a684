import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { cartCookie, readCart, withQuantity } from '../cart.js';
import { CheckoutError } from '../checkout.js';
import { shopperCookie, shopperOf } from '../cookies.js';
import { refuse, show, wantsJson, type Site } from '../site.js';
import { totalOf, type Order } from '../store/orders.js';
import * as views from '../views/shop.js';

const NOT_FOUND = { status: 404, code: 'not_found', text: 'There is no such page.' };

/** The public pages, the cart and the checkout. */
export function shopRoutes(site: Site): Router {
  const router = Router();
  const { products, pages, orders } = site;

  router.use((req, res, next) => {
    if (req.method === 'GET' && shopperOf(req) === '') res.append('Set-Cookie', shopperCookie());
    next();
  });

  router.get('/', (req, res) =>
    show(site, req, res, {
      title: 'Shop',
      current: '/',
      body: views.home(products.all(), site.users.userOf(req)?.login ?? null),
    }),
  );

  router.get('/products/:id', async (req, res) => {
    const product = products.find(Number(req.params.id));
    if (product) await show(site, req, res, { title: product.title, body: views.productPage(product) });
    else await refuse(site, req, res, NOT_FOUND);
  });

  router.get('/pages/:slug', async (req, res) => {
    const page = pages.bySlug(req.params.slug);
    if (page)
      await show(site, req, res, {
        title: page.title,
        current: `/pages/${page.slug}`,
        body: views.contentPage(page),
      });
    else await refuse(site, req, res, NOT_FOUND);
  });

  router.get('/cart', (req, res) => showCart(site, req, res));

  router.post('/cart/add', (req, res) => {
    const { id, quantity } = lineOf(req);
    const lines = readCart(req);
    const before = lines.find((line) => line.id === id)?.quantity ?? 0;
    if (products.find(id)) res.append('Set-Cookie', cartCookie(withQuantity(lines, id, before + quantity)));
    res.redirect(303, '/cart');
  });

  router.post('/cart/update', (req, res) => {
    const { id, quantity } = lineOf(req);
    res.append('Set-Cookie', cartCookie(withQuantity(readCart(req), id, quantity)));
    res.redirect(303, '/cart');
  });

  router.post('/cart/checkout', (req, res) => checkout(site, req, res));

  router.get('/orders/:key', async (req, res) => {
    const order = orders.findByKey(req.params.key);
    if (order) await show(site, req, res, { title: 'Thank you', body: views.thanks(order) });
    else await refuse(site, req, res, NOT_FOUND);
  });

  return router;
}

type Form = Readonly<Record<string, unknown>>;

export const formOf = (req: Request): Form =>
  typeof req.body === 'object' && req.body !== null ? { ...(req.body as Form) } : {};

const lineOf = (req: Request): { id: number; quantity: number } => ({
  id: Number(formOf(req)['id']),
  quantity: Number(formOf(req)['quantity'] ?? 1),
});

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A form takes the items of the cart, a program sends its own. */
async function checkout(site: Site, req: Request, res: Response): Promise<void> {
  const form = formOf(req);
  let order: Order;
  try {
    order = site.checkout.place(
      req,
      Array.isArray(form['items']) || wantsJson(req) ? form : { ...form, items: readCart(req) },
      site.users.userOf(req),
    );
  } catch (error) {
    if (!(error instanceof CheckoutError)) throw error;
    if (wantsJson(req)) res.status(422).json({ code: error.code, message: error.message });
    else await showCart(site, req, res.status(422), { form, error: error.message });
    return;
  }
  // The order is safe; should the service be away for a moment, its commission follows later.
  await site.checkout.settle(order).catch(() => null);
  if (!wantsJson(req)) {
    res.append('Set-Cookie', cartCookie([])).redirect(303, `/orders/${order.checkout_key}`);
    return;
  }
  // Who earns from the order, and what, is nothing to the shopper.
  res.json({ order_id: order.id, total: totalOf(order) / 100 });
}

async function showCart(
  site: Site,
  req: Request,
  res: Response,
  failed?: { readonly form: Form; readonly error: string },
): Promise<void> {
  const viewer = site.users.userOf(req);
  const lines = readCart(req).flatMap((line) => {
    const product = site.products.find(line.id);
    return product ? [{ ...line, product }] : [];
  });
  const form: Form = failed?.form ?? {
    first_name: viewer?.first_name,
    last_name: viewer?.last_name,
    email: viewer?.email,
  };
  const values = Object.fromEntries(
    ['first_name', 'last_name', 'email', 'coupon'].map((name) => [name, asText(form[name])]),
  );
  const checkoutKey = asText(form['checkout_key']) || randomUUID();
  await show(site, req, res, {
    title: 'Cart',
    current: '/cart',
    body: views.cart({ lines, checkoutKey, values, ...(failed ? { error: failed.error } : {}) }),
  });
}
