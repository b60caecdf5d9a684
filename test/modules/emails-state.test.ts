import { describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { affiliate, earn, FORM } from '../support/payouts.js';
import { outboxOf } from '../support/outbox.js';

const MINUTE = 60_000;

/** Mails that go out now, as `recipient: subject`, in order of the letters. */
async function sentNow(t: TestApp, afterMs = 0): Promise<string[]> {
  t.clock.advance(afterMs);
  const before = t.host.mailbox.length;
  await t.service.emails.deliverDue();
  return t.host.mailbox
    .slice(before)
    .map(({ to, subject }) => `${String(to)}: ${subject}`)
    .toSorted();
}

const PAID = 'alice@shop.test: Your payout from Shop';
const SALE = 'alice@shop.test: You earned a commission at Shop';

async function payout(): Promise<{ t: TestApp; mark: (status: string) => Promise<unknown>; path: string }> {
  const t = await startApp();
  const { id } = await affiliate(t, 2);
  await earn(t, id, 5000);
  await sentNow(t, MINUTE); // welcome and sale
  const made = await t.records.payout(FORM);
  const path = `/payouts/${made.id}/transactions/1`;
  return { t, path, mark: async (status) => t.admin.patch(path).send({ status }).expect(200) };
}

describe('the mail of a payment', () => {
  it('is not sent for a mark that is set back within five minutes; the real one is mailed', async () => {
    const { t, mark } = await payout();

    await mark('paid');
    t.clock.advance(4 * MINUTE);
    await mark('processing');
    expect(await sentNow(t, 10 * MINUTE)).toEqual([]);

    await mark('paid');
    expect(await sentNow(t, 4 * MINUTE)).toEqual([]);
    expect(await sentNow(t, MINUTE)).toEqual([PAID]);
  });

  it('waits five minutes from the last mark', async () => {
    const { t, mark } = await payout();
    await mark('paid');
    t.clock.advance(4 * MINUTE);
    await mark('processing');
    await mark('paid');
    expect(await sentNow(t, 2 * MINUTE)).toEqual([]);
    expect(await sentNow(t, 3 * MINUTE)).toEqual([PAID]);
  });

  it('is sent once in a day, however often the mark is toggled later', async () => {
    const { t, mark } = await payout();
    await mark('paid');
    expect(await sentNow(t, 5 * MINUTE)).toEqual([PAID]);
    for (const status of ['processing', 'paid', 'processing', 'paid']) await mark(status);
    expect(await sentNow(t, 5 * MINUTE)).toEqual([]);
  });

  it('is called off across midnight too', async () => {
    const { t, mark } = await payout();
    t.clock.advance(9 * 60 * MINUTE - 3 * MINUTE); // 23:58
    await mark('paid');
    t.clock.advance(3 * MINUTE);
    await mark('processing');
    expect(await sentNow(t, 10 * MINUTE)).toEqual([]);
    expect(await outboxOf(t)).toContainEqual(
      expect.objectContaining({ kind: 'payout_to_affiliate', status: 'skipped' }),
    );
  });

  it('is not sent for a transaction that is gone', async () => {
    const { t, mark, path } = await payout();
    await mark('paid');
    await t.admin.delete(path).expect(200);
    expect(await sentNow(t, 5 * MINUTE)).toEqual([]);
  });

  it('names what is paid now, in its own currency', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 5000, { currency: 'JPY' });
    const made = await t.records.payout({ ...FORM, currency: 'JPY' });
    await sentNow(t, MINUTE); // earlier mails
    await t.admin.patch(`/payouts/${made.id}/transactions/bulk-action`).send({}).expect(200);
    await sentNow(t, 5 * MINUTE);
    expect(t.host.mailbox.at(-1)?.text).toContain('¥ 5,000');
  });
});

describe('the mail of a sale', () => {
  it('is not sent when the commission is gone or not payable any more', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await sentNow(t, MINUTE); // earlier mails
    const [gone, back] = [await earn(t, id, 500), await earn(t, id, 600)];
    await t.admin.delete(`/referrals/${gone.id}`).expect(200);
    await t.admin.patch(`/referrals/${back.id}`).send({ status: 'pending' }).expect(200);
    expect(await sentNow(t, MINUTE)).toEqual([]);

    await t.admin.patch(`/referrals/${back.id}`).send({ status: 'unpaid' }).expect(200);
    expect(await sentNow(t, MINUTE)).toContain(SALE);
    for (const status of ['pending', 'unpaid'])
      await t.admin.patch(`/referrals/${back.id}`).send({ status }).expect(200);
    expect(await sentNow(t, MINUTE)).toEqual([]); // sent already
  });

  it('has the amount as it is now, and the earnings of each currency', async () => {
    const t = await startApp();
    const { id } = await affiliate(t, 2);
    await earn(t, id, 725, { currency: 'EUR' });
    await earn(t, id, 900, { currency: 'JPY', status: 'pending' });
    await sentNow(t, MINUTE); // earlier mails
    const sale = await earn(t, id, 1000);
    await t.admin.patch(`/referrals/${sale.id}`).send({ amount: 12.34 }).expect(200);

    expect(await sentNow(t, MINUTE)).toContain(SALE);
    const mail = t.host.mailbox.findLast(({ subject }) => subject.startsWith('You earned'));
    expect(mail?.text).toMatch(/Commission:\s+\$ 12\.34/u);
    expect(mail?.text).toMatch(/Ready to pay or in the waiting period:\s+\$ 12\.34, € 7\.25/u);
    expect(mail?.text).toMatch(/Last 30 days:\s+\$ 12\.34, € 7\.25/u);
  });
});

describe('mails about an application', () => {
  it('contain the state at the time they are sent', async () => {
    const t = await startApp();
    const alice = await t.records.affiliate({ user_id: 2, status: 'pending' });
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'active' }).expect(200);
    await t.admin.patch(`/affiliates/${alice.id}/status`).send({ status: 'inactive' }).expect(200);

    expect((await sentNow(t, MINUTE)).filter((line) => line.startsWith('alice'))).toEqual([]);
  });
});
