// The journey in a Vendure shop, by its own GraphQL interfaces: a click, an order with its payment, a refund.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

async function ask(visitor, api, query, variables) {
  const { body, text } = await visitor.send('POST', `/${api}`, { body: { query, variables } });
  assert.ok(body?.data && !body.errors, text.slice(0, 600));
  const [[, result]] = Object.entries(body.data);
  assert.ok(result.errorCode === undefined, text.slice(0, 600));
  return result;
}

/** Vendure tells of an order after it answered; the commission follows. */
async function commission(manager, expected) {
  let rows = [];
  for (let tries = 0; tries < 50; tries++) {
    const { referrals } = await manager.rest('GET', '/referrals');
    rows = referrals.data.map(({ status, amount }) => [status, amount]);
    if (JSON.stringify(rows) === JSON.stringify([expected])) return;
    await wait(200);
  }
  assert.deepEqual(rows, [expected]);
}

const errors = '... on ErrorResult { errorCode message }';

/** Signs in as Vendure's administrator and makes a customer the first affiliate, by the program's interface. */
async function firstAffiliate(manager) {
  assert.equal((await manager.send('GET', `${manager.base}/affiliates`)).status, 401, 'visitors see nothing');
  await ask(
    manager,
    'admin-api',
    `mutation { login(username: "superadmin", password: "superadmin") { ... on CurrentUser { id } ${errors} } }`,
  );
  await ask(
    manager,
    'admin-api',
    `mutation { createCustomer(input: { firstName: "Alice", lastName: "Bell", emailAddress: "alice@shop.test" },
      password: "Correct-horse-battery-7") { ... on Customer { id } ${errors} } }`,
  );
  const { users } = await manager.rest('GET', '/settings/options/users?search=alice');
  const { affiliate } = await manager.rest('POST', '/affiliates', {
    user_id: users[0].ID,
    status: 'active',
    rate_type: 'default',
    payment_email: 'alice@bank.test',
  });
  return affiliate.id;
}

async function buy(buyer) {
  const shop = (query, variables) => ask(buyer, 'shop-api', query, variables);
  const products = await shop('{ products { items { variants { id } } } }');
  await shop(
    `mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) { ... on Order { id } ${errors} } }`,
    { id: products.items[0].variants[0].id },
  );
  await shop(
    `mutation { setCustomerForOrder(input: { firstName: "Jo", lastName: "Customer", emailAddress: "jo@buyer.test" }) {
      ... on Order { id } ${errors} } }`,
  );
  await shop(
    `mutation { setOrderShippingAddress(input: { streetLine1: "1 Street", city: "Berlin", postalCode: "10115",
      countryCode: "DE" }) { ... on Order { id } ${errors} } }`,
  );
  const methods = await shop('{ eligibleShippingMethods { id } }');
  await shop(
    `mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { ... on Order { id } ${errors} } }`,
    { id: [methods[0].id] },
  );
  await shop(
    `mutation { transitionOrderToState(state: "ArrangingPayment") { ... on Order { id } ${errors} } }`,
  );
  const [{ code }] = await shop('{ eligiblePaymentMethods { code } }');
  const order = await shop(
    `mutation ($method: String!) { addPaymentToOrder(input: { method: $method, metadata: {} }) {
      ... on Order { id state subTotal } ${errors} } }`,
    { method: code },
  );
  assert.equal(order.state, 'PaymentSettled');
  return order;
}

/** From a link to a commission. */
async function sell(manager, buyer) {
  const affiliate = await firstAffiliate(manager);
  for (const [visitor, path] of [
    [manager, '/affiliate-admin/'],
    [buyer, '/partners/'],
  ])
    assert.equal((await visitor.open(path)).status, 200, `${path} is a page of the server`);
  await buyer.open(`/?ref=${affiliate}`);
  const order = await buy(buyer);
  assert.equal(order.subTotal, 10_000);
  await commission(manager, ['unpaid', 20]);
  const { visits } = await manager.rest('GET', '/visits');
  assert.equal(visits.total, 1, 'the service is mounted once');
  return order;
}

/** Half of what the buyer paid goes back. */
async function refund(manager, { id }) {
  const { totalWithTax, lines, payments } = await ask(
    manager,
    'admin-api',
    'query ($id: ID!) { order(id: $id) { totalWithTax lines { id } payments { id } } }',
    { id },
  );
  const refunded = await ask(
    manager,
    'admin-api',
    `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { ... on Refund { id state total } ${errors} } }`,
    {
      input: {
        lines: lines.map((line) => ({ orderLineId: line.id, quantity: 0 })),
        shipping: 0,
        adjustment: 0,
        amount: totalWithTax / 2,
        paymentId: payments[0].id,
      },
    },
  );
  assert.equal(refunded.total, totalWithTax / 2);
  if (refunded.state !== 'Settled')
    await ask(
      manager,
      'admin-api',
      `mutation ($id: ID!) { settleRefund(input: { id: $id, transactionId: "R-1" }) { ... on Refund { id } ${errors} } }`,
      { id: refunded.id },
    );
  await commission(manager, ['unpaid', 10]);
}

export async function vendureJourney({ manager, buyer, earned }) {
  const order = await sell(manager, buyer);
  earned();
  await refund(manager, order);
}
