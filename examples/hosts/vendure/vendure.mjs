// Amounts of Vendure are whole numbers with two decimals (the default MoneyStrategy), net unless they say WithTax.
const money = (amount) => (amount / 100).toFixed(2);

const amountsOf = (order) => ({
  currency: order.currencyCode,
  subtotal: money(order.subTotal), // after discounts
  tax: money(order.subTotalWithTax - order.subTotal),
  shipping: money(order.shipping),
  shipping_tax: money(order.shippingWithTax - order.shipping),
});

/** For `eventBus.ofType(OrderStateTransitionEvent)`. */
export async function orderChanged(service, { ctx, order, toState }) {
  const { conversions } = service;
  const customer = { email: order.customer?.emailAddress, ref: order.customer && String(order.customer.id) };
  if (toState === 'ArrangingPayment') {
    const coupon = order.couponCodes[0];
    await conversions.record(ctx.req ?? { headers: {} }, {
      provider: 'vendure',
      reference: order.code,
      status: 'pending',
      order: amountsOf(order),
      customer,
      ...(coupon !== undefined && { coupon }),
    });
  }
  if (toState === 'PaymentSettled') {
    await conversions.update('vendure', order.code, { order: amountsOf(order), customer });
    await conversions.complete('vendure', order.code);
  }
  if (toState === 'Cancelled') await conversions.cancel('vendure', order.code);
}

/** For `eventBus.ofType(RefundStateTransitionEvent)`. */
export async function refundChanged(service, { order, refund, toState }) {
  if (toState !== 'Settled') return;
  await service.conversions.refund('vendure', order.code, {
    refund_id: String(refund.id),
    amount: money(refund.total),
  });
}

const mounts = new WeakMap();

function mountsOf(service, pages) {
  const mounted = [];
  service.mount({
    use: (...given) => mounted.push(given.length === 1 ? ['/', given[0]] : given),
  });
  return [...mounted, ...Object.entries(pages)].map(([route, handler]) => ({
    route,
    handler,
    beforeListen: true,
  }));
}

/**
 * For `configuration` of the plugin: mounts the service before Vendure's body parser. Vendure configures its plugins
 * again in the same process, after `populate` and `runMigrations`: then everything is mounted already.
 */
export function withAffiliates(config, service, pages) {
  if (!mounts.has(service)) mounts.set(service, mountsOf(service, pages));
  const { middleware } = config.apiOptions;
  for (const mount of mounts.get(service))
    if (!middleware.some(({ handler }) => handler === mount.handler)) middleware.push(mount);
  return config;
}
