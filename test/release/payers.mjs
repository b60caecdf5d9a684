// Payments that leave by several processes, which die at any moment, to a payer that misbehaves.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { PaypalPayer } from '../support/paypal-payer.mjs';
import { fill } from './books.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';

const WORKER = new URL('payers-worker.mjs', import.meta.url);
const HOUR = 3_600_000;
const SPEED = 60;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const OUR_STATE = {
  SUCCESS: 'paid',
  FAILED: 'failed',
  PENDING: 'processing',
  UNCLAIMED: 'unclaimed',
  ONHOLD: 'held',
  RETURNED: 'returned',
};

/** `payments` transactions, `processes` that send them, `kills` SIGKILLs on the way. */
export async function payersProof(engine, { payments, processes, kills, random, seconds }) {
  const database = await newDatabase(engine);
  const begin = Date.now();
  const world = { ahead: 0 };
  const now = () => begin + world.ahead + Math.round((Date.now() - begin) * SPEED);
  const payer = await new PaypalPayer(now).start();
  misbehave(payer, random, payments);
  const { service, app, payoutId } = await prepared(database, payments, now);
  const order = {
    database: database.config,
    begin,
    speed: SPEED,
    affiliates: payments,
    payoutId,
    payer: payer.url,
  };
  const workers = Array.from({ length: processes }, () => new Worker(order, world));
  const events = tellEvents(payer, workers, random);
  const found = {
    title: TITLES[engine],
    version: await versionOf(database),
    payments,
    processes,
    kills: 0,
    wanted: kills,
  };
  try {
    const started = Date.now();
    await Promise.all(workers.map((worker) => worker.up()));
    // a busy machine needs more time between two kills, or nobody ever gets to work
    const slowness = Math.max(1, (Date.now() - started) / 2000);
    const end = Date.now() + seconds * 1000;
    while (found.kills < kills && Date.now() < end) {
      await pause(50 + random() * 700 * slowness);
      // one that works; a process that only starts has nothing to lose
      const working = workers.filter(({ url }) => url !== null);
      if (working.length === 0) continue;
      await working[Math.floor(random() * working.length)].replace();
      found.kills += 1;
    }
    await Promise.all(workers.map((worker) => worker.up()));
    payer.weather = () => 'fine';
    payer.balance = Infinity;
    found.rounds = await untilEnded(app, workers, world, { payoutId, end });
    await events.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
    return { ...found, ...(await compared(app, service, payer, payoutId, payments)) };
  } finally {
    await events.stop();
    await Promise.all(workers.map((worker) => worker.stop()));
    await service.close();
    payer.stop();
    await database.drop();
  }
}

async function prepared(database, payments, now) {
  const host = createMemoryHost({
    site: { url: 'https://shop.test' },
    users: Array.from({ length: payments }, (_, at) => ({
      id: at + 1,
      login: `u${at}`,
      email: `u${at}@shop.test`,
    })),
  });
  const { service, app } = openService(host, {
    database: database.config,
    clock: { now },
    jobs: false,
    logger: quiet,
    secret: 'a secret that is long enough for the tests',
  });
  await service.ready();
  const knex = database.knex();
  await fill(knex, { affiliates: payments, referrals: payments });
  await knex.destroy();
  const payout = await app.payouts.process({ title: 'Proof', description: 'Proof', payout_method: 'paypal' });
  return { service, app, payoutId: payout.id };
}

function misbehave(payer, random, payments) {
  const pick = (choices) => choices[Math.floor(random() * choices.length)];
  payer.weather = () => pick(['fine', 'fine', 'slow', '5xx-before', '5xx-after', 'cut-before', 'cut-after']);
  payer.slowMs = 300;
  payer.balance = payments * 20 * 100; // out of money on the way
  const soon = () => random() * HOUR;
  payer.fate = () =>
    pick([
      () => [[0, 'SUCCESS']],
      () => [
        [0, 'PENDING'],
        [soon(), 'SUCCESS'],
      ],
      () => [
        [0, 'PENDING'],
        [soon(), 'SUCCESS'],
      ],
      () => [
        [0, 'PENDING'],
        [soon(), 'FAILED'],
      ],
      () => [
        [0, 'ONHOLD'],
        [soon(), pick(['SUCCESS', 'RETURNED'])],
      ],
      () => [
        [0, 'UNCLAIMED'],
        [30 * 24 * HOUR, 'RETURNED'],
      ],
      () => [
        [0, 'SUCCESS'],
        [21 * 24 * HOUR, 'RETURNED'],
      ],
    ])();
}

/** Events in any order, some several times, some never. */
function tellEvents(payer, workers, random) {
  let enough = false;
  const running = (async () => {
    while (!enough) {
      await pause(20);
      const items = [...payer.items.values()];
      const item = items[Math.floor(random() * items.length)];
      const { url } = workers[Math.floor(random() * workers.length)];
      if (item === undefined || url === null) continue;
      const { headers, body } = payer.event(item);
      for (let at = random() < 0.2 ? 2 : 1; at > 0; at--)
        await fetch(`${url}/webhooks/payers/paypal`, { method: 'POST', headers, body }).catch(() => {});
    }
  })();
  return {
    stop: () => {
      enough = true;
      return running;
    },
  };
}

/** Days pass, each when every process has done the work of the one before, until nothing is open or unsent. */
async function untilEnded(app, workers, world, { payoutId, end }) {
  for (let round = 0; Date.now() < end + 600_000; round++) {
    world.ahead += (round < 20 ? 6 : 72) * HOUR;
    for (const worker of workers) worker.tell();
    while (workers.some(({ seen }) => seen < world.ahead) && Date.now() < end + 600_000) await pause(50);
    const { n } = await app
      .db('payout_attempts')
      .where((open) =>
        open
          .whereIn('state', ['prepared', 'unknown', 'submitted', 'processing', 'unclaimed', 'held'])
          .orWhere({ booked: 0 }),
      )
      .count({ n: '*' })
      .first();
    const left = await app
      .db('payout_transactions')
      .where({ payout_id: payoutId, status: 'processing' })
      .count({ n: '*' })
      .first();
    if (Number(n) === 0 && Number(left.n) === 0 && world.ahead > 95 * 24 * HOUR) return round;
  }
  return null;
}

/** Both books, to the cent. */
async function compared(app, service, payer, payoutId, payments) {
  const problems = [];
  const attempts = await app.db('payout_attempts').select('*');
  const transactions = await app.db('payout_transactions').select('*').where({ payout_id: payoutId });
  const bySender = new Map([...payer.items.values()].map((item) => [item.sender, item]));
  const paidItems = [...payer.items.values()].filter((item) => payer.stateOf(item).state === 'SUCCESS');
  const receivers = new Map();
  for (const item of payer.items.values()) {
    const transaction = /-T(\d+)-/.exec(item.sender)[1];
    receivers.set(transaction, (receivers.get(transaction) ?? 0) + 1);
  }
  for (const [transaction, count] of receivers)
    if (count > 1) problems.push(`transaction ${transaction} is ${count} items at the payer`);
  for (const attempt of attempts) {
    const item = bySender.get(attempt.attempt_key);
    const state = item ? OUR_STATE[payer.stateOf(item).state] : 'failed';
    if (attempt.state !== state)
      problems.push(`${attempt.attempt_key}: ${attempt.state} here, ${state} at the payer`);
    if (item && item.minor !== Number(attempt.sent_minor))
      problems.push(`${attempt.attempt_key}: another amount`);
  }
  for (const item of payer.items.values())
    if (!attempts.some(({ attempt_key: key }) => key === item.sender))
      problems.push(`${item.sender} is unknown to us`);
  const sent = new Set(attempts.map(({ transaction_id: id }) => Number(id)));
  if (sent.size !== payments) problems.push(`${payments - sent.size} payments were never sent`);
  const paid = transactions.filter(({ status }) => status === 'paid');
  const sum = (rows, of) => rows.reduce((total, row) => total + Number(of(row)), 0);
  const ours = sum(paid, (row) => row.total_amount_minor);
  const theirs = sum(paidItems, (item) => item.minor);
  if (ours !== theirs) problems.push(`${ours} paid here, ${theirs} at the payer`);
  if (paid.length !== paidItems.length)
    problems.push(`${paid.length} paid here, ${paidItems.length} at the payer`);
  problems.push(...payer.invalid.map((request) => `invalid: ${JSON.stringify(request).slice(0, 200)}`));
  const findings = await app.db('payment_findings').select('*');
  problems.push(...findings.map((row) => `finding: ${row.kind} ${row.ref}`));
  const violations = await service.verify();
  problems.push(...violations.map((row) => JSON.stringify(row)));
  return {
    problems,
    paid: paid.length,
    returned: payments - transactions.length,
    amount: theirs,
    requests: payer.requests,
    batches: payer.batches.size,
    attempts: attempts.length,
  };
}

class Worker {
  url = null;
  /** How far the clock was when the last round of work began. */
  seen = -1;
  #child;
  #up;

  constructor(order, world) {
    this.order = order;
    this.world = world;
    this.#start();
  }

  #start() {
    const child = fork(WORKER, [JSON.stringify({ ...this.order, ahead: this.world.ahead })], {
      execArgv: ['--no-warnings'],
    });
    this.#child = child;
    this.seen = -1;
    this.#up = once(child, 'message').then(([{ url }]) => {
      if (this.#child === child) this.url = url;
    });
    child.on('message', ({ stage, ahead }) => {
      if (stage === 'round' && this.#child === child) this.seen = ahead;
    });
  }

  up() {
    return this.#up;
  }

  tell() {
    if (this.#child.connected) this.#child.send({ ahead: this.world.ahead });
  }

  async replace() {
    await this.stop();
    this.#start();
  }

  async stop() {
    this.url = null;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
