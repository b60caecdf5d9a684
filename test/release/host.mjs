// A host with the service on one database, in a process of its own, so that its memory is its own.
import { once } from 'node:events';
import express from 'express';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';

const say = (message) => { process.send(message); };
let peak = 0;

/** Highest resident size since the last call, in MiB; sampled while the export runs. */
function memory() {
  const seen = Math.max(peak, process.memoryUsage.rss());
  peak = 0;
  return seen / 2 ** 20;
}

const ORDERS = {
  async serve({ database, users }) {
    const host = createMemoryHost({ users: [{ id: 1000, login: 'admin', email: 'admin@shop.test', capabilities: ['manage_options'] }, ...users] });
    const service = createAffiliateService(host, {
      database, jobs: false, secret: 'a secret that is long enough for the tests',
      logger: { debug() {}, info() {}, warn() {}, error: (message, fields) => { console.error(message, fields); } },
    });
    await service.ready();
    const site = express();
    service.mount(site);
    const server = site.listen(0, '127.0.0.1');
    await once(server, 'listening');
    setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 20).unref();
    const { cookie, nonce } = host.signIn(1000);
    return { url: `http://127.0.0.1:${server.address().port}${service.basePath}`, headers: { Cookie: cookie, 'X-WP-Nonce': nonce } };
  },
  memory,
};

process.on('message', async (order) => {
  try {
    say({ stage: 'done', value: await ORDERS[order.do](order) });
  } catch (error) {
    say({ stage: 'failed', error: String(error.stack ?? error) });
  }
});
say({ stage: 'up' });
