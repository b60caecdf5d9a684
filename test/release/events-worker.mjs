// A process that changes the program and delivers events; the parent tells it database and time, and ends it by SIGKILL.
import { setTimeout as pause } from 'node:timers/promises';
import { createAffiliateService } from '../../dist/src/index.js';
import { createMemoryHost } from '../../dist/adapters/index.js';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const { database, begin, speed, affiliates, changes, name } = JSON.parse(process.argv[2]);
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
process.send({ ready: true });

const work = async () => {
  for (let at = 0; at < changes; at++) {
    const id = 1 + (at % affiliates);
    const note = `${name}-${at}`;
    try {
      if (at % 7 === 3) {
        // rolled back: nobody may ever hear of it
        await service.affiliates.update(id, { note: `never-${note}`, group_id: 999_999 }, {}).catch(() => {});
        continue;
      }
      await service.affiliates.update(id, { note }, {});
      process.send({ changed: note, id });
      await pause(60);
    } catch (error) {
      process.send({ failed: String(error.code ?? error) });
    }
  }
};
const deliver = async () => {
  for (;;) {
    await service.events.lineUp().catch(() => {});
    await service.events.deliverDue().catch(() => {});
    await pause(20);
  }
};
void deliver();
await work();
process.send({ done: true });
