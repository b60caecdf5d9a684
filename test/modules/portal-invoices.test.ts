import { expect, it } from '@jest/globals';
import type { Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.js';
import { configure } from '../support/shop.js';
import { storedText } from '../support/rows.js';

const PATH = '/portal/invoice-details';
const DETAILS = { name: 'Alice & Co. GmbH', address: 'Main Street 1\n10115 Berlin', tax_number: 'DE 123' };

async function program(): Promise<TestApp & { readonly payment: number }> {
  const t = await startApp();
  const { id } = await t.records.affiliate({ user_id: 2, payment_email: 'pay@alice.test' });
  await t.records.referral({ affiliate_id: id, amount: 20 });
  await t.records.payout();
  const { payments } = (await t.as(2).get('/portal/payments').expect(200)).body;
  return Object.assign(t, { payment: payments.data[0].id as number });
}
const payee = async (t: TestApp, payment: number): Promise<unknown> =>
  (await t.as(2).get(`/portal/payments/${payment}`).expect(200)).body.payee.invoice;

it('details for invoices are asked for only where the program wants them', async () => {
  const t = await program();
  expect((await t.as(2).get(PATH).expect(200)).body).toEqual({
    asked: false,
    details: { name: '', address: '', tax_number: '' },
  });
  expect((await t.as(2).post(PATH).send(DETAILS).expect(422)).body.code).toBe('invoice_not_asked');
  expect(await payee(t, t.payment)).toBeNull();
});

it('details for invoices stand on the statement of a payment, and leave with the affiliate', async () => {
  const t = await program();
  await configure(t, { ask_invoice_details: 'yes' });
  expect(await payee(t, t.payment)).toBeNull();
  expect((await t.as(2).post(PATH).send(DETAILS).expect(200)).body).toEqual({
    asked: true,
    details: DETAILS,
  });
  expect(await payee(t, t.payment)).toEqual(DETAILS);
  // what is left out stays
  await t.as(2).post(PATH).send({ tax_number: '' }).expect(200);
  expect(await payee(t, t.payment)).toEqual({ ...DETAILS, tax_number: '' });
  expect((await t.as(2).get('/portal/data').expect(200)).body.data.invoice_details).toMatchObject({
    name: DETAILS.name,
  });
  // other settings of the affiliate keep them
  await t.as(2).post('/portal/notifications').send({ payment_sent: 'no' }).expect(200);
  expect(await payee(t, t.payment)).toMatchObject({ name: DETAILS.name });
  const { id } = (await t.admin.get('/affiliates').expect(200)).body.affiliates.data[0];
  await t.admin.post(`/affiliates/${id}/erase`).expect(200);
  expect((await t.admin.get(`/affiliates/${id}`).expect(200)).body.affiliate.settings).not.toHaveProperty(
    'invoice',
  );
});

it('commissions and statements name the order by its number', async () => {
  const t = await startApp();
  const { id } = await t.records.affiliate({ user_id: 2, payment_email: 'pay@alice.test' });
  await t.records.referral({ affiliate_id: id, amount: 20, provider: 'shop', provider_id: 'N-7' });
  const earnings = (await t.as(2).get('/portal/earnings').expect(200)).body.earnings.data;
  expect(earnings).toMatchObject([{ amount: 20, order_number: 'N-7' }]);
  await t.records.payout();
  const { body } = await t.as(2).get('/portal/payments/1').expect(200);
  expect(body.commissions.data).toMatchObject([{ amount: 20, order_number: 'N-7' }]);
  const { text } = await t.as(2).get('/portal/payments/1/export').expect(200);
  expect(text.split('\n')[1]).toMatch(/,20,USD,N-7,,$/);
});

it('commissions and statements name the products of the order, unless the program keeps them to itself', async () => {
  const t = await startApp();
  await t.records.affiliate({ user_id: 2, payment_email: 'pay@alice.test' });
  await t.service.conversions.record(null, {
    provider: 'shop',
    reference: 'N-8',
    status: 'unpaid',
    affiliate: 1,
    order: { subtotal: '60.00' },
    items: [
      { id: 1, title: 'Mug, blue', subtotal: '30.00' },
      { id: 1, title: 'Mug, blue', subtotal: '20.00' },
      { id: 2, title: '', subtotal: '5.00' },
      { id: 3, title: '=Lamp', subtotal: '5.00' },
    ],
  });
  await t.records.payout();
  const seen = async (): Promise<unknown> => {
    const earnings = (await t.as(2).get('/portal/earnings').expect(200)).body.earnings.data;
    const payment = (await t.as(2).get('/portal/payments/1').expect(200)).body.commissions.data;
    const { commissions } = (await t.as(2).get('/portal/data').expect(200)).body.data;
    return [earnings, payment, commissions].map(([line]) => line.products);
  };
  const file = async (): Promise<string> => (await t.as(2).get('/portal/payments/1/export').expect(200)).text;
  const titles = ['Mug, blue', '=Lamp'];
  expect(await seen()).toEqual([titles, titles, titles]);
  expect(await file()).toContain(',N-8,"Mug, blue; =Lamp"');
  await configure(t, { show_products: 'no' });
  expect(await seen()).toEqual([[], [], []]);
  expect(await file()).toMatch(/,N-8,,\n$/);
});

it('an affiliate writes notes beside its commissions, for itself', async () => {
  const t = await startApp();
  const alice = await t.records.affiliate({ user_id: 2, payment_email: 'pay@alice.test' });
  const bob = await t.records.affiliate({ user_id: 3, payment_email: 'pay@bob.test' });
  const { id } = await t.records.referral({ affiliate_id: alice.id, amount: 20 });
  const other = await t.records.referral({ affiliate_id: bob.id, amount: 5 });
  const write = (referral: number, note: string): Test =>
    t.as(2).post(`/portal/earnings/${referral}/note`).send({ note });
  const notes = async (): Promise<string[]> =>
    (await t.as(2).get('/portal/earnings').expect(200)).body.earnings.data.map(
      (row: { note: string }) => row.note,
    );
  expect(await notes()).toEqual(['']);
  expect((await write(id, '  from the =spring video ').expect(200)).body).toEqual({
    note: 'from the =spring video',
  });
  await write(id, '=2nd video').expect(200); // the last one counts
  expect(await notes()).toEqual(['=2nd video']);
  await t.records.payout();
  const paid = (await t.as(2).get('/portal/payments/1').expect(200)).body.commissions.data;
  expect(paid).toMatchObject([{ note: '=2nd video' }]);
  expect((await t.as(2).get('/portal/payments/1/export').expect(200)).text).toContain(",'=2nd video");
  expect((await t.as(2).get('/portal/data').expect(200)).body.data.commissions[0].note).toBe('=2nd video');
  // nobody else reads it or writes it
  expect(JSON.stringify((await t.admin.get(`/referrals/${id}`).expect(200)).body)).not.toContain('2nd video');
  expect((await write(other.id, 'x').expect(404)).body.code).toBe('referral_not_found');
  expect((await write(id, 'x'.repeat(201)).expect(422)).body.errors).toHaveProperty('note');
  // an empty one is gone, and so are all with the person
  await write(id, '').expect(200);
  expect(await notes()).toEqual(['']);
  await write(id, 'once more').expect(200);
  await t.admin.post(`/affiliates/${alice.id}/erase`).expect(200);
  expect(await storedText(t, 'commission_notes')).toBe('[[]]');
});

it('a note leaves with its commission', async () => {
  const t = await startApp();
  const { id: alice } = await t.records.affiliate({ user_id: 2 });
  const { id } = await t.records.referral({ affiliate_id: alice, amount: 20 });
  await t.as(2).post(`/portal/earnings/${id}/note`).send({ note: 'mine' }).expect(200);
  await t.admin.delete(`/referrals/${id}`).expect(200);
  expect(await storedText(t, 'commission_notes')).toBe('[[]]');
});

it('details for invoices have limits, each named at its field', async () => {
  const t = await program();
  await configure(t, { ask_invoice_details: 'yes' });
  const { body } = await t
    .as(2)
    .post(PATH)
    .send({ name: 'x'.repeat(192), address: 'y'.repeat(501), tax_number: 'a\nb' })
    .expect(422);
  expect(Object.keys(body.errors).toSorted()).toEqual(['address', 'name', 'tax_number']);
});
