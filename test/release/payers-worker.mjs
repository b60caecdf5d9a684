// A process that presses "send", calls the payer and follows its payments;
// the parent ends it by SIGKILL, gives it events of the payer, and moves its clock.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryHost, paypalPayer } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const { database, begin, speed, ahead, affiliates, payoutId, payer } = JSON.parse(process.argv[2]);
let moved = ahead;
/** Minutes pass in seconds; the same in every process. */
const clock = { now: () => begin + moved + Math.round((Date.now() - begin) * speed) };
const users = Array.from({ length: affiliates }, (_, at) => ({
  id: at + 1,
  login: `u${at}`,
  email: `u${at}@shop.test`,
}));
const paypal = paypalPayer({
  clientId: 'client',
  clientSecret: 'secret',
  webhookId: 'WH1',
  baseUrl: payer,
  allowPrivateNetworks: true,
});
const { service, app } = openService(createMemoryHost({ site: { url: 'https://shop.test' }, users }), {
  database,
  clock,
  jobs: false,
  logger: quiet,
  secret: 'a secret that is long enough for the tests',
  payouts: { methods: [{ ...paypal, limits: { ...paypal.limits, maxItems: 40 }, timeoutMs: 2000 }] },
});
await service.ready();
process.on('message', (order) => {
  moved = order.ahead;
});
process.on('disconnect', () => {
  process.exit(); // nobody is left to end it
});
const server = createServer((req, res) => {
  req.url = req.url.replace(service.basePath, '');
  service.router(req, res, () => res.writeHead(404).end());
});
server.listen(0, '127.0.0.1', () => {
  process.send({ stage: 'up', url: `http://127.0.0.1:${server.address().port}` });
});

const press = async () => {
  const plan = await app.payers.plan(payoutId, 'paypal');
  if (plan.count === 0) return;
  await service.payers.send(payoutId, {
    method: 'paypal',
    count: plan.count,
    amount_minor: Math.round(plan.amount * 100),
  });
};
for (;;) {
  const seen = moved;
  // each may be busy, or find that another process was faster
  await press().catch(() => {});
  await service.payers.callDue().catch(() => {});
  await service.payers.followDue().catch(() => {});
  if (process.connected) process.send({ stage: 'round', ahead: seen });
  await pause(50);
}
