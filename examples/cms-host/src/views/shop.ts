import { accounts } from './accounts.js';
import type { CartLine } from '../checkout.js';
import type { CmsPage } from '../store/pages.js';
import { totalOf, type Order } from '../store/orders.js';
import type { Product } from '../store/products.js';
import { picture } from './art.js';
import { cents } from './format.js';
import { html, type Html } from './html.js';

export interface FilledLine extends CartLine {
  readonly product: Product;
}

const card = (product: Product): Html =>
  html`<li>
    <a class="card product" href="/products/${product.id}"
      >${picture(product.category)} <span class="name">${product.title}</span
      ><span class="price">${cents(product.price_cents)}</span></a
    >
  </li>`;

export const home = (products: readonly Product[], signedIn: string | null): Html =>
  html`<section class="hero">
      <h1>Good things for the desk</h1>
      <p>Six of them, made slowly and meant to stay. Free delivery, and ten percent for whoever sent you.</p>
    </section>
    <ul class="grid products">
      ${products.map(card)}
    </ul>
    ${accounts(signedIn)}`;

export const productPage = (product: Product): Html =>
  html`<article class="split">
    <div class="stage">${picture(product.category)}</div>
    <div>
      <p class="eyebrow">${product.category}</p>
      <h1>${product.title}</h1>
      <p class="price big">${cents(product.price_cents)}</p>
      <p>${product.summary}</p>
      <form method="post" action="/cart/add" class="inline">
        <input type="hidden" name="id" value="${product.id}" />
        <label>Quantity <input type="number" name="quantity" value="1" min="1" max="99" required /></label>
        <button type="submit">Add to cart</button>
      </form>
    </div>
  </article>`;

export const contentPage = (page: CmsPage): Html =>
  html`<article class="narrow prose">
    <h1>${page.title}</h1>
    ${page.content.split(/\n{2,}/u).map((paragraph) => html`<p>${paragraph}</p>`)}
    ${page.slug === 'affiliates' && html`<p><a class="button" href="/partners">Apply now</a></p>`}
  </article>`;

const cartLine = ({ product, quantity }: FilledLine): Html =>
  html`<li>
    ${picture(product.category)}
    <div class="what">
      <a href="/products/${product.id}">${product.title}</a><span>${cents(product.price_cents)} each</span>
    </div>
    <form method="post" action="/cart/update" class="inline">
      <input type="hidden" name="id" value="${product.id}" />
      <label
        ><span class="hidden">Quantity of ${product.title}</span
        ><input type="number" name="quantity" value="${quantity}" min="0" max="99" required
      /></label>
      <button class="quiet" type="submit">Update</button>
    </form>
    <strong class="sum">${cents(product.price_cents * quantity)}</strong>
  </li>`;

export interface CheckoutView {
  readonly lines: readonly FilledLine[];
  readonly checkoutKey: string;
  readonly values: Readonly<Record<string, string>>;
  readonly error?: string;
}

export function cart({ lines, checkoutKey, values, error }: CheckoutView): Html {
  if (lines.length === 0) {
    return html`<section class="narrow">
      <h1>Your cart</h1>
      <p class="empty">Nothing in it yet.</p>
      <p><a class="button" href="/">Look around</a></p>
    </section>`;
  }
  const total = lines.reduce((sum, { product, quantity }) => sum + product.price_cents * quantity, 0);
  return html`<h1>Your cart</h1>
    <div class="split wide-left">
      <section aria-label="Cart">
        <ul class="lines">
          ${lines.map(cartLine)}
        </ul>
        <p class="total"><span>Total</span><strong>${cents(total)}</strong></p>
      </section>
      <section class="panel" aria-labelledby="checkout">
        <h2 id="checkout">Checkout</h2>
        ${error && html`<p class="alert" role="alert">${error}</p>`}
        <form method="post" action="/cart/checkout" class="stack">
          <input type="hidden" name="checkout_key" value="${checkoutKey}" />
          <div class="pair">
            <label
              >First name
              <input
                name="first_name"
                value="${values['first_name']}"
                autocomplete="given-name"
                maxlength="100"
                required
            /></label>
            <label
              >Last name
              <input
                name="last_name"
                value="${values['last_name']}"
                autocomplete="family-name"
                maxlength="100"
                required
            /></label>
          </div>
          <label
            >E-mail
            <input
              type="email"
              name="email"
              value="${values['email']}"
              autocomplete="email"
              maxlength="190"
              required
          /></label>
          <label
            >Coupon <span class="hint">optional, try WELCOME10</span
            ><input name="coupon" value="${values['coupon']}" maxlength="40" autocomplete="off"
          /></label>
          <fieldset>
            <legend>Payment</legend>
            <label class="choice"
              ><input type="radio" name="payment" value="card" checked /> Card, paid at once</label
            >
            <label class="choice"
              ><input type="radio" name="payment" value="invoice" /> Invoice, paid later</label
            >
          </fieldset>
          <button type="submit">Place order</button>
        </form>
      </section>
    </div>`;
}

export const thanks = (order: Order): Html =>
  html`<section class="narrow">
    <p class="eyebrow">Order ${order.id}</p>
    <h1>Thank you${order.first_name && `, ${order.first_name}`}</h1>
    <p>A confirmation would go to ${order.email}${order.payment === 'invoice' && ', with the invoice'}.</p>
    <ul class="lines plain">
      ${order.items.map(
        (item) =>
          html`<li>
            ${picture(item.category)}
            <div class="what">
              <span>${item.title}</span><span>${item.quantity} × ${cents(item.price_cents)}</span>
            </div>
            <strong class="sum">${cents(item.price_cents * item.quantity)}</strong>
          </li>`,
      )}
    </ul>
    ${order.discount_cents > 0 && html`<p class="total"><span>Coupon ${order.coupon}</span><span>−${cents(order.discount_cents)}</span></p>`}
    <p class="total"><span>Total</span><strong>${cents(totalOf(order))}</strong></p>
    <p><a class="button" href="/">Back to the shop</a></p>
  </section>`;
