// Kills the example host at random moments, starts it again, and checks that nothing it
// acknowledged is lost or doubled.
// node test/examples/kill-loop.mjs [kills, default 200] [seed]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startExample } from './start-example.mjs';
import { Visitor } from './visitor.mjs';

const kills = Number(process.argv[2] ?? 200);
let seed = Number(process.argv[3] ?? process.env.SEED ?? 1);
const BUYERS = 4;
const LIFE_MS = 1000;

const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

const dataDir = mkdtempSync(join(tmpdir(), 'kill-loop-'));
/**
 * What the host said is done: orders by checkout key, referrals by order,
 * payouts by idempotency key, refunds.
 */
const said = {
  orders: new Map(),
  payouts: new Map(),
  paid: new Set(),
  refunds: new Set(),
};
/** Keys of the forms that were sent, answered or not. */
const sent = new Set();
const problems = [];
const counts = { sent: 0, unanswered: 0, starts: 0 };
console.log(`seed ${seed}, ${kills} kills, data in ${dataDir}`);

const startedAt = Date.now();
const visitors = { buyers: [], admin: null };
for (let round = 1; round <= kills; round++) {
  const host = await start();
  let alive = true;
  const work = [
    ...visitors.buyers.map((buyer, at) => keepBuying(buyer, `${round}-${at}`, () => alive)),
    keepPaying(visitors.admin, String(round), () => alive),
  ];
  await pause(20 + random() * LIFE_MS);
  alive = false;
  await host.stop('SIGKILL');
  await Promise.all(work);
  if (round % 25 === 0)
    console.log(`${round} kills: ${said.orders.size} orders, ${said.payouts.size} payouts acknowledged`);
}
const host = await start();
await check(visitors.admin);
await host.stop();
rmSync(dataDir, { recursive: true, force: true });
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(`${kills} kills in ${seconds} s, ${counts.sent} requests sent, ${counts.unanswered} cut off.`);
console.log(
  `acknowledged: ${said.orders.size} orders, ${said.refunds.size} refunds, ${said.payouts.size} payouts, ` +
    `${said.paid.size} of them marked paid`,
);
console.log(problems.length === 0 ? 'lost: 0, doubled: 0, broken invariants: 0' : problems.join('\n'));
process.exit(problems.length === 0 ? 0 : 1);

async function start() {
  const host = await startExample('cms-host', { DATA_DIR: dataDir });
  counts.starts += 1;
  if (visitors.admin === null) {
    visitors.admin = new Visitor(host.url);
    await visitors.admin.signIn('admin');
    for (let at = 0; at < BUYERS; at++) {
      const buyer = new Visitor(host.url);
      await buyer.open('/?ref=alice');
      visitors.buyers.push(buyer);
    }
  }
  for (const visitor of [visitors.admin, ...visitors.buyers]) visitor.at(host.url);
  return host;
}

/** null when the process died before it answered; anything else than 200 is a problem. */
async function ask(request) {
  counts.sent += 1;
  let answer;
  try {
    answer = await request();
  } catch {
    counts.unanswered += 1;
    return null;
  }
  if (answer.status !== 200) problems.push(`answered ${answer.status}: ${answer.text.slice(0, 200)}`);
  return answer.status === 200 ? answer.body : null;
}

async function keepBuying(buyer, name, alive) {
  // What was cut off by the last kill is sent again first, as a careful client would.
  if (buyer.cutOff) buyer.cutOff = (await placeOrder(buyer, buyer.cutOff)) ? undefined : buyer.cutOff;
  for (let at = 0; alive(); at++) {
    const key = `order-${name}-${at}`;
    const form = {
      checkout_key: key,
      items: [{ id: 1 + (at % 6), quantity: 1 + (at % 3) }],
      email: `${name}@example.test`,
      first_name: 'Jo',
      last_name: 'Doe',
    };
    if (!(await placeOrder(buyer, form))) buyer.cutOff ??= form;
  }
}

async function placeOrder(buyer, form) {
  sent.add(form.checkout_key);
  const order = await ask(() => buyer.post('/cart/checkout', form));
  if (!order) return false;
  said.orders.set(form.checkout_key, order);
  return true;
}

async function keepPaying(admin, name, alive) {
  for (let at = 0; alive(); at++) {
    await pause(40);
    const key = `payout-${name}-${at}`;
    counts.sent += 1;
    const answer = await admin
      .rest(
        'POST',
        '/payouts/process-payout',
        { config: { title: key, description: key } },
        { 'Idempotency-Key': key },
      )
      .catch(() => null);
    if (answer?.status === 200) said.payouts.set(answer.body.payout.id, answer.body.payout);
    else if (answer && answer.body?.code !== 'nothing_to_pay')
      problems.push(`process-payout answered ${answer.status}: ${answer.text.slice(0, 200)}`);
    if (answer?.status !== 200) continue;
    const paid = await ask(() =>
      admin.rest('PATCH', `/payouts/${answer.body.payout.id}/transactions/bulk-action`, { status: 'paid' }),
    );
    if (paid) said.paid.add(answer.body.payout.id);
    // Orders that nobody paid out yet are refunded now and then.
    const fresh = [...said.orders.values()].at(-1);
    if (!fresh || at % 3 !== 0 || said.refunds.has(fresh.order_id)) continue;
    const refund = await ask(() => admin.post(`/admin/orders/${fresh.order_id}/refund`, {}));
    if (refund) said.refunds.add(fresh.order_id);
  }
}

async function check(admin) {
  const stored = {
    orders: await all((page) => admin.get(`/admin/orders?page=${page}`), 'orders'),
    // A refund of a paid commission is a row of its own, taken from the next payout.
    referrals: (await rest(admin, 'referrals')).filter(({ type }) => type !== 'adjustment'),
    payouts: await rest(admin, 'payouts'),
  };
  const orders = groupBy(stored.orders, (order) => order.id);
  for (const [key, { order_id: id }] of said.orders)
    if (orders.get(id)?.length !== 1)
      problems.push(`order ${id} (${key}) is there ${orders.get(id)?.length ?? 0} times`);
  if (new Set([...said.orders.values()].map((order) => order.order_id)).size !== said.orders.size)
    problems.push('two forms were answered with one order');
  if (stored.orders.length > sent.size) problems.push('a form made more than one order');
  const referrals = groupBy(stored.referrals, (referral) => Number(referral.provider_id));
  for (const { id } of stored.orders)
    if (referrals.get(id)?.length !== 1)
      problems.push(`order ${id} has ${referrals.get(id)?.length ?? 0} referrals`);
  const payouts = groupBy(stored.payouts, (payout) => payout.title);
  for (const [title, rows] of payouts)
    if (rows.length !== 1) problems.push(`payout ${title} is there ${rows.length} times`);
  const byId = new Map(stored.payouts.map((payout) => [payout.id, payout]));
  for (const [id, { total_amount: total }] of said.payouts)
    if (byId.get(id)?.total_amount !== total) problems.push(`payout ${id} of ${total} is gone or changed`);
  for (const id of said.paid)
    if (byId.get(id)?.status !== 'paid') problems.push(`payout ${id} is not paid any more`);
  const byOrder = new Map(stored.orders.map((order) => [order.id, order]));
  for (const id of said.refunds)
    if (byOrder.get(id)?.status !== 'refunded') problems.push(`the refund of order ${id} is gone`);
  const { body: verify } = await admin.get('/admin/verify');
  if (verify.violations.length > 0)
    problems.push(`broken invariants: ${JSON.stringify(verify.violations).slice(0, 2000)}`);
  if (verify.unsettled_orders.length > 0)
    problems.push(`orders without commission: ${verify.unsettled_orders}`);
  console.log(
    `stored: ${stored.orders.length} orders, ${stored.referrals.length} referrals, ` +
      `${stored.payouts.length} payouts after ${counts.starts} starts`,
  );
}

function rest(admin, name) {
  return all(async (page) => {
    const answer = await admin.rest('GET', `/${name}?page=${page}&per_page=200`);
    return { ...answer, body: { [name]: answer.body[name].data } };
  }, name);
}

async function all(read, name) {
  const rows = [];
  for (let page = 1; ; page++) {
    const { body } = await read(page);
    rows.push(...body[name]);
    if (body[name].length === 0) return rows;
  }
}

function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}
