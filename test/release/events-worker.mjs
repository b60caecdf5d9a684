// A process that changes the program and delivers events;
// the parent tells it database and time, and ends it by SIGKILL.
import { setTimeout as pause } from 'node:timers/promises';
import { createAffiliateService } from '../../dist/src/index.js';
import { createMemoryHost } from '../../dist/adapters/index.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const { database, begin, speed, affiliates, name } = JSON.parse(process.argv[2]);
/** Hours pass in seconds, so that tries after hours belong to the test; the same in every process. */
const clock = { now: () => begin + Math.round((Date.now() - begin) * speed) };
const users = Array.from({ length: affiliates }, (_, at) => ({
  id: at + 1,
  login: `u${at}`,
  email: `u${at}@shop.test`,
}));
const service = createAffiliateService(createMemoryHost({ site: { url: 'https://shop.test' }, users }), {
  database,
  clock,
  jobs: false,
  logger: quiet,
  secret: 'a secret that is long enough for the tests',
  events: { allowPrivateNetworks: true },
});
await service.ready();
let enough = false;
process.on('message', () => {
  enough = true;
});
process.on('disconnect', () => {
  process.exit();
}); // nobody is left to end it

const work = async () => {
  for (let at = 0; !enough; at++) {
    const id = 1 + (at % affiliates);
    const note = `${name}-${at}`;
    // every seventh is rolled back: nobody may ever hear of it
    if (at % 7 === 3)
      await service.affiliates.update(id, { note: `never-${note}`, group_id: 999_999 }, {}).catch(() => {});
    else await change(id, note).catch(() => {}); // busy, and not acknowledged
    await pause(60);
  }
};
const change = async (id, note) => {
  await service.affiliates.update(id, { note }, {});
  process.send({ changed: note, id });
};
const deliver = async () => {
  for (;;) {
    await service.webhooks.lineUp().catch(() => {});
    await service.webhooks.deliverDue().catch(() => {});
    await pause(100);
  }
};
void deliver();
await work();
