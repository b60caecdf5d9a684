// Switches 50 reward rules of the program under measurement on and off.
import { once } from 'node:events';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { createAffiliateService } from '../../dist/src/index.js';

const [{ database }] = await once(process, 'message');
const service = createAffiliateService(createMemoryHost(), {
  database,
  secret: 'a secret that is long enough for the bench',
});
await service.ready();
const compare = (fact, op, value) => ({ fact, op, value });
/** Most of them ask several facts and do not fit, five ask single items; the last one always fits. */
const rules = Array.from({ length: 50 }, (_, at) => ({
  key: `rule-${at}`,
  event: 'sale',
  reward: { kind: 'percent', value: '20' },
  priority: 50 - at,
  when:
    at === 49
      ? null
      : {
          all: [
            compare('order.total', 'gte', String(100_000 + at)),
            {
              any: [
                compare('order.coupon', 'in', [`C${at}`, `D${at}`]),
                compare(at % 10 === 0 ? 'each_item.sku' : 'order.country', 'eq', `S${at}`),
              ],
            },
            compare('time.weekday', 'lte', '7'),
          ],
        },
}));
let active = null;
process.send('ready');

process.on('message', async (message) => {
  if (message === 'on' && active === null) {
    active = (await service.rewards.create({ rules })).id;
    await service.rewards.activate(active, { without_simulation: true });
  }
  if (message === 'off' && active !== null) {
    await service.rewards.retire(active);
    active = null;
  }
  if (message !== 'end') {
    process.send('done');
    return;
  }
  const { rows } = await service.referrals.list({ page: 1, per_page: 100, search: '' });
  const counted = rows.filter(({ settings }) => settings?.commission?.source === 'rule:rule-49').length;
  await service.close();
  process.send(counted, () => process.exit(0));
});
