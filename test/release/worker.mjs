// A process of its own on a database that others use too; the parent sends orders and ends it by SIGKILL.
import { createMemoryHost } from '../../dist/adapters/index.js';
import { openService } from '../../dist/src/service.js';
import { fixture, OPERATIONS, reset, snapshot } from './operations.mjs';
import { undo } from './books.mjs';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const say = (message) =>
  new Promise((resolve) => {
    process.send(message, undefined, undefined, resolve);
  });
let app;

/** What a start after a crash does: the schema is looked at, the database recovers. */
async function open({ database, users = 100 }) {
  const host = createMemoryHost({
    users: Array.from({ length: users }, (_, at) => ({
      id: at + 1,
      login: `u${at + 1}`,
      email: `u${at + 1}@shop.test`,
    })),
  });
  const opened = openService(host, {
    database,
    jobs: false,
    logger: quiet,
    secret: 'a secret that is long enough for the tests',
  });
  await opened.service.ready();
  app = opened.app;
}

const attempt = async (work) => {
  try {
    await work();
    return 'ok';
  } catch (error) {
    return error.code ?? String(error);
  }
};

const ORDERS = {
  open,
  async process({ lease = true }) {
    const withLease = app.withLease;
    if (!lease)
      app.withLease = async (_name, work) => ({ value: await work({ lost: false, hold: async () => {} }) });
    const code = await attempt(() => app.payouts.process({ title: 'Race', description: 'Race' }));
    app.withLease = withLease;
    return code;
  },
  verify: () => app.ledger.verify(),

  /** One life of the random kills: look at what the last one left, put it right, run until the kill comes. */
  async run(order) {
    await open(order);
    const violations = await app.ledger.verify();
    const left = await paidOf(app);
    await undo(app.db.knex);
    await say({ stage: 'running', violations, left });
    await app.payouts.process({ title: 'Kill', description: 'Kill' });
    await say({ stage: 'acknowledged' });
  },

  /**
   * One life of the kills at statements: the same, with a fixture for the operation,
   * ended by its own hand at the given statement.
   */
  async statement(order) {
    await open(order);
    const violations = await app.ledger.verify();
    const left = await snapshot(app);
    await reset(app);
    const records = await fixture(app);
    const { prepare, act } = OPERATIONS[order.operation];
    const given = { ...records, ...(await prepare?.(app, records)) };
    const before = await snapshot(app);
    await say({ stage: 'running', violations, left, before });
    const count = armed(order);
    await act(app, given);
    return { ...count(), after: await snapshot(app) };
  },
};

const paidOf = async ({ db }) =>
  Number((await db('referrals').where({ status: 'paid' }).count({ n: '*' }).first()).n);

/**
 * Counts every statement a driver gets, BEGIN and COMMIT included, and ends the process
 * before or after one of them.
 */
function armed({ at, when }) {
  const client = Object.getPrototypeOf(app.db.knex.client);
  const send = client._query;
  let seen = 0;
  let commits = 0;
  let running = true;
  client._query = async function counted(connection, query) {
    if (!running) return send.call(this, connection, query);
    const mine = (seen += 1);
    if (mine === at && when === 'before') await end(commits);
    const answer = await send.call(this, connection, query);
    if (/^commit\b/i.test(query.sql)) commits += 1;
    if (mine === at && when === 'after') await end(commits);
    return answer;
  };
  return () => {
    running = false;
    return { statements: seen, commits };
  };
}

async function end(commits) {
  await say({ stage: 'dying', commits });
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

process.on('message', async (order) => {
  try {
    await say({ stage: 'done', value: await ORDERS[order.do](order) });
  } catch (error) {
    await say({ stage: 'failed', error: String(error.stack ?? error) });
  }
});
void say({ stage: 'up' });
