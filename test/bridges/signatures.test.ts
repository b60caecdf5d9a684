import { expect, it } from '@jest/globals';
import { order, sign, startCommerce } from '../support/commerce.js';
import { SITES } from './sites.js';

it.each(Object.entries(SITES))('on %s a delivery is checked by the bytes that were sent', async (_, make) => {
  const t = await startCommerce();
  const site = await make({ service: t.service, buy: async () => ({}) });
  // Spaces and the order of keys are part of what a shop has signed.
  const event = JSON.stringify(
    { type: 'order.paid', at: t.clock.time, order: order({ attribution: { token: await t.token() } }) },
    null,
    3,
  );
  const seconds = Math.floor(t.clock.time / 1000);
  const deliver = async (body: string): Promise<number> => {
    const headers = {
      'webhook-id': 'a',
      'webhook-timestamp': `${seconds}`,
      'webhook-signature': sign('a', seconds, event),
      'Content-Type': 'application/json',
    };
    return (await site.send(`${t.service.basePath}/webhooks/demo`, { method: 'POST', headers, body })).status;
  };
  try {
    expect(await deliver(JSON.stringify(JSON.parse(event)))).toBe(400);
    expect(await deliver(event)).toBe(200);
    expect(await t.referrals()).toHaveLength(1);
  } finally {
    await site.close();
  }
});
