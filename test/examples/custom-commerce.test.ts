import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commerceContract, type CommerceSubject } from '../../adapters/contract/index.js';
import { ticketOffice } from '../../examples/custom-commerce/src/ticket-office.js';
import { startExample, type RunningExample } from './start-example.mjs';
import { Visitor } from './visitor.mjs';

const sale = {
  number: 'T-1',
  currency: 'EUR',
  net: '60.00',
  tax: '12.00',
  email: 'jo@example.test',
  campaign: 'token',
};

commerceContract({ describe, it }, "the example's ticket office", {
  // The example is typed by the built package, this suite by its sources.
  provider: ticketOffice as unknown as CommerceSubject['provider'],
  secrets: ['one', 'two'],
  signatureHeader: 'X-Tickets-Signature',
  status: 401,
  timed: true,
  sign: (body, secret, now) => ({
    'X-Tickets-Signature': `${now}.${createHmac('sha256', secret).update(`${now}.`).update(body).digest('hex')}`,
  }),
  unknown: { name: 'unknown', body: { event: 'opened', id: '1' } },
  fixtures: [
    {
      name: 'sale',
      body: { event: 'sold', id: '1', time: 1, sale },
      expected: [
        {
          type: 'order.paid',
          order: {
            id: 'T-1',
            totals: { goods: 6000, goods_tax: 1200, grand_total: 7200 },
            attribution: { token: 'token' },
          },
        },
      ],
    },
    {
      name: 'refund',
      body: {
        event: 'refunded',
        id: '2',
        time: 1,
        refund: { number: 'T-1', id: 'r', currency: 'EUR', gross: '36.00' },
      },
      expected: [{ type: 'order.refunded', refund: { order_ref: 'T-1', refund_id: 'r', gross: 3600 } }],
    },
  ],
});

describe("a provider of one's own", () => {
  let example: RunningExample;
  beforeAll(async () => {
    example = await startExample('custom-commerce');
  });
  afterAll(async () => {
    await example.stop();
  });

  it('turns its signed events into commissions, once each', async () => {
    const visitor = new Visitor(example.url);
    await visitor.open('/?ref=1');
    const { body } = await visitor.post('/buy', {});
    expect(body.status).toBe(200);
    const earned = async (): Promise<unknown> => (await visitor.get('/earned')).body;
    const row = {
      provider: 'tickets',
      provider_id: body.number,
      provider_url: `https://tickets.example/sales/${body.number}`,
    };
    expect(await earned()).toEqual([{ ...row, amount: 6, status: 'unpaid' }]);
    await visitor.post(`/refund/${body.number}`, {});
    expect(await earned()).toEqual([{ ...row, amount: 3, status: 'unpaid' }]);
  });
});
