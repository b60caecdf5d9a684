import { describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import request, { type Test } from 'supertest';
import { startShop, type Shop } from '../support/shop.js';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36';

async function buyer(t: Shop): Promise<(fields: object, origin?: string) => Test> {
  const click = await request(t.server)
    .get(`/?ref=${t.affiliate.id}`)
    .set('Accept', 'text/html')
    .set('User-Agent', AGENT)
    .expect(200);
  const cookie = (click.get('Set-Cookie')?.[0] ?? '').split(';')[0] ?? '';
  return (fields, origin = 'https://shop.test') =>
    request(t.server)
      .post(`${t.service.basePath}/track/conversion`)
      .set('Cookie', cookie)
      .set('Origin', origin)
      .set('User-Agent', AGENT)
      .type('form')
      .send(fields);
}
const order = { amount: '50.00', currency: 'USD', provider_id: 'T-1' };

describe('orders a page reports (docs/tracking.md §10)', () => {
  it('takes what the host signed, once', async () => {
    const t = await startShop();
    const post = await buyer(t);
    const token = t.service.tracking.signConversion({
      ...order,
      provider: 'tickets',
      customer: { email: 'jo@shop.test' },
    });
    for (let at = 0; at < 2; at++)
      expect((await post({ token }).expect(200)).body).toMatchObject({ message: 'success' });
    await Promise.all([
      post({ token }).expect(200),
      post({ token, amount: 5000, status: 'unpaid' }).expect(200),
    ]);

    const { body } = await t.admin.get('/referrals').expect(200);
    expect(body.referrals).toMatchObject({
      total: 1,
      data: [
        {
          amount: 10,
          order_total: 50,
          status: 'unpaid',
          provider: 'tickets',
          provider_id: 'T-1',
          affiliate_id: t.affiliate.id,
        },
      ],
    });
  });

  it('refuses a changed, foreign or late signature', async () => {
    const t = await startShop();
    const post = await buyer(t);
    const token = t.service.tracking.signConversion(order);
    const [content = '', signature = ''] = token.split('.');
    const more = Buffer.from(JSON.stringify({ ...order, amount: 5000, exp: 4e9 })).toString('base64url');
    for (const wrong of [
      `${more}.${signature}`,
      content,
      `${content}.`,
      `x${token}`,
      'null.',
      `${content}.${'0'.repeat(64)}`,
    ]) {
      expect((await post({ token: wrong }).expect(403)).body.code).toBe('conversion_signature_invalid');
    }
    t.clock.advance(3_601_000);
    expect((await post({ token }).expect(401)).body.code).toBe('signature_expired');
    expect((await t.admin.get('/referrals').expect(200)).body.referrals.total).toBe(0);
  });

  it('works wherever the router is mounted', async () => {
    const t = await startShop();
    const host = express();
    host.use('/program', t.service.router as RequestHandler);
    const token = t.service.tracking.signConversion(order);
    for (const path of ['/program/track/conversion', '/program/track/conversion/?x=1']) {
      expect((await request(host).post(path).send({ token }).expect(200)).body).toEqual({
        message: 'no',
        time: expect.any(Number),
      });
    }
    expect((await request(host).post('/program/track').send({}).expect(200)).body.message).toBe(
      'invalid param',
    );
    await request(host).options('/program/track/conversion').set('Origin', 'https://shop.test').expect(204);
  });

  it('returns no more than the reason for a buyer without a click', async () => {
    const t = await startShop();
    const token = t.service.tracking.signConversion(order);
    const { body } = await request(t.server)
      .post(`${t.service.basePath}/track/conversion`)
      .send({ token })
      .expect(200);
    expect(body).toEqual({ message: 'no', time: expect.any(Number) });
  });

  it('accepts unsigned ones only with the option, from its own pages, and holds them for review', async () => {
    const closed = await startShop();
    await (await buyer(closed))(order).expect(403);

    const t = await startShop({ tracking: { unsignedConversions: true } });
    const post = await buyer(t);
    await post(order, 'https://elsewhere.test').expect(403);
    for (let at = 0; at < 2; at++)
      await post({ ...order, status: 'unpaid', commission: 49, affiliate: 9, provider: 'shop' }).expect(200);
    await post({ amount: 'much', provider_id: 'T-2' }).expect(422);
    // A shop's own event of the same number is another order.
    await t.service.conversions.record(null, t.order({ reference: 'T-1' }));

    const { body } = await t.admin.get('/referrals?order_by=id&order_type=ASC').expect(200);
    expect(body.referrals).toMatchObject({
      total: 2,
      data: [
        { amount: 10, order_total: 50, status: 'pending', settings: { review: 'unsigned' } },
        { amount: 18 },
      ],
    });
  });
});
