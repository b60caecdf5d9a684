import { describe, expect, it } from '@jest/globals';
import { startApp } from '../support/app.js';
import type { Wire } from '../support/records.js';
import { rowsIn, storedText } from '../support/rows.js';

type Started = Awaited<ReturnType<typeof startApp>>;
type Buyer = Record<string, unknown>;

interface Sale {
  readonly affiliate?: number;
  readonly status?: 'pending' | 'unpaid';
  readonly provider?: string;
  readonly account?: string;
  readonly reference?: string;
  readonly subtotal?: number;
}

async function shop(): Promise<
  Started & {
    alice: number;
    bob: number;
    order(
      customer: Buyer,
      sale?: Sale,
    ): Promise<{ customer_id: number | null; affiliate_id: number | null } | null>;
    customer(id: number | null | undefined): Promise<Wire>;
  }
> {
  const t = await startApp();
  await t.app.settings.saveReferralConfig({ enable_lifetime_commission: 'yes', lifetime_rate: 10 });
  const ids: number[] = [];
  for (const userId of [2, 3])
    ids.push(((await t.records.affiliate({ user_id: userId, status: 'active' })) as { id: number }).id);
  let count = 0;
  const order = async (customer: Buyer, sale: Sale = {}): Promise<Wire> => {
    count += 1;
    const { referral } = await t.service.conversions.record(null, {
      provider: sale.provider ?? 'shop',
      account: sale.account ?? '',
      reference: sale.reference ?? `o${count}`,
      status: sale.status ?? 'unpaid',
      order: { subtotal: sale.subtotal ?? 10 },
      customer,
      ...(sale.affiliate !== undefined && { affiliate: sale.affiliate }),
    });
    return referral;
  };
  const customer = async (id: number | null | undefined): Promise<Wire> =>
    (await t.admin.get(`/customers/${id}`).expect(200)).body;
  return { ...t, alice: ids[0]!, bob: ids[1]!, order, customer };
}

const namesOf = ({ names }: Wire): string[] =>
  (names as { kind: string; name: string }[]).map(({ kind, name }) => `${kind} ${name}`.trim());

describe('a customer has many names', () => {
  it('and each of them finds the customer and the affiliate', async () => {
    const t = await shop();
    const first = await t.order(
      { email: 'jo@shop.test', user_id: 5, ref: 'cus_1', payment_fingerprint: 'visa-1' },
      { affiliate: t.alice },
    );
    for (const buyer of [
      { email: 'JO@shop.test' },
      { user_id: 5 },
      { ref: 'cus_1', email: 'second@shop.test' },
      { email: 'second@shop.test' },
      { payment_fingerprint: 'visa-1', email: 'third@shop.test' },
      { email: 'jo@shop.test' },
    ])
      expect(await t.order(buyer)).toMatchObject({ customer_id: first!.customer_id, affiliate_id: t.alice });
    expect(await t.order({ ref: 'cus_1' }, { provider: 'other' })).toBeNull();
    expect(await t.order({ ref: 'cus_1' }, { account: 'second-shop' })).toBeNull();

    const view = await t.customer(first!.customer_id);
    expect(namesOf(view)).toEqual(
      expect.arrayContaining([
        'email jo@shop.test',
        'email second@shop.test',
        'email third@shop.test',
        'user 5',
        'provider shop cus_1',
        'card',
      ]),
    );
    expect(await storedText(t, 'customer_names')).not.toContain('visa-1');
    expect(await t.service.ledger.verify()).toEqual([]);
  });

  it('that an order adds once it is paid, and not before', async () => {
    const t = await shop();
    const known = await t.order({ email: 'jo@shop.test', user_id: 5 }, { affiliate: t.alice });
    await t.order({ email: 'new@shop.test', user_id: 5 }, { status: 'pending', reference: 'later' });

    expect(await t.order({ email: 'new@shop.test' })).toBeNull();
    expect(await t.service.customers.match('new@shop.test', null)).toBeNull();
    await t.service.conversions.complete('shop', 'later');
    expect(await t.order({ email: 'new@shop.test' })).toMatchObject({
      customer_id: known!.customer_id,
      affiliate_id: t.alice,
    });
    expect(await rowsIn(t, 'waiting_names')).toEqual([0]);
  });

  it('of which an unpaid first order proves only one', async () => {
    const t = await shop();
    const stranger = await t.order(
      { email: 'victim@shop.test', user_id: 7 },
      { affiliate: t.alice, status: 'pending' },
    );
    const own = await t.order({ email: 'me@shop.test', user_id: 7 }, { affiliate: t.bob });

    expect(own!.customer_id).not.toBe(stranger!.customer_id);
    expect(await t.customer(stranger!.customer_id)).toMatchObject({ customer: { user_id: null } });
  });

  it('found by one order: the earlier binding wins, and a person merges the other', async () => {
    const t = await shop();
    const second = await t.order({ email: 'b@shop.test' });
    expect(second).toBeNull();
    const early = await t.order({ email: 'a@shop.test' }, { affiliate: t.alice });
    t.clock.advance(1000);
    const late = await t.order({ user_id: 9 }, { affiliate: t.bob });
    const both = await t.order({ email: 'a@shop.test', user_id: 9 });

    expect(both).toMatchObject({ customer_id: early!.customer_id, affiliate_id: t.alice });
    const flagged = await t.customer(late!.customer_id);
    expect(flagged).toMatchObject({
      customer: { same_person_as: early!.customer_id },
      same_person: { id: early!.customer_id, email: 'a@shop.test' },
    });
    expect(await t.customer(early!.customer_id)).toMatchObject({ customer: { same_person_as: null } });

    const merged = await t.admin
      .post(`/customers/${late!.customer_id}/merge`)
      .send({ into: early!.customer_id })
      .expect(200);
    expect(merged.body.customer).toMatchObject({
      id: early!.customer_id,
      by_affiliate_id: t.alice,
      user_id: 9,
    });
    await t.admin.get(`/customers/${late!.customer_id}`).expect(404);
    expect(await t.order({ user_id: 9 })).toMatchObject({ customer_id: early!.customer_id });
    expect((await t.customer(early!.customer_id)).referrals).toHaveLength(4);
    expect(await t.service.ledger.verify()).toEqual([]);
    for (const [id, into] of [
      [early!.customer_id, early!.customer_id],
      [early!.customer_id, 0],
    ])
      await t.admin.post(`/customers/${id}/merge`).send({ into }).expect(422);
    await t.admin.post(`/customers/${early!.customer_id}/merge`).send({ into: 4711 }).expect(404);
  });

  it('found by one order, but two people: the mark goes and stays away', async () => {
    const t = await shop();
    const { customer_id: early } = (await t.order({ email: 'a@shop.test' }, { affiliate: t.alice }))!;
    t.clock.advance(1000);
    const { customer_id: late } = (await t.order({ user_id: 9 }, { affiliate: t.bob }))!;
    const mark = async (id: number | null): Promise<unknown> =>
      (await t.customer(id)).customer.same_person_as;
    await t.order({ email: 'a@shop.test', user_id: 9 });
    expect(await mark(late)).toBe(early);

    const { body } = await t.admin.post(`/customers/${late}/keep-apart`).send({ from: early }).expect(200);
    expect(body.customer).toMatchObject({ id: late, same_person_as: null });
    await t.order({ email: 'a@shop.test', user_id: 9 });
    expect(await t.customer(late)).toMatchObject({ customer: { same_person_as: null }, same_person: null });
    const { body: log } = await t.admin.get(`/audit?object_type=customer&object_id=${late}`).expect(200);
    expect(log.entries.data).toMatchObject([{ action: 'customer.kept_apart', after: { other_id: early } }]);

    // a merge hands the decision on to the customer that stays
    t.clock.advance(1000);
    const { customer_id: fourth } = (await t.order({ email: 'd@shop.test' }, { affiliate: t.bob }))!;
    await t.order({ email: 'd@shop.test', user_id: 9 });
    expect(await mark(fourth)).toBe(late);
    await t.admin.post(`/customers/${late}/merge`).send({ into: fourth }).expect(200);
    await t.order({ email: 'a@shop.test', user_id: 9 });
    expect(await mark(fourth)).toBeNull();
    await t.admin.post(`/customers/${early}/keep-apart`).send({ from: early }).expect(422);
    await t.admin.post(`/customers/${early}/keep-apart`).send({ from: 4711 }).expect(404);
    expect(await t.service.ledger.verify()).toEqual([]);
  });

  it('and the limit per customer counts the orders of both after a merge', async () => {
    const t = await shop();
    await t.app.settings.saveReferralConfig({ commission_cap_amount: 5 });
    const one = await t.order({ email: 'a@shop.test' }, { affiliate: t.alice, subtotal: 20 });
    const two = await t.order({ email: 'b@shop.test' }, { affiliate: t.alice, subtotal: 20 });
    const amounts = async (): Promise<number[]> =>
      (await t.customer(one!.customer_id)).referrals.map(({ amount }: { amount: number }) => amount);
    expect(await amounts()).toEqual([4]);
    await t.service.customers.merge(two!.customer_id!, one!.customer_id!);
    expect((await amounts()).toSorted((a, b) => a - b)).toEqual([1, 4]);
    expect(await t.service.ledger.verify()).toEqual([]);
  });

  it('all of which forgetting removes', async () => {
    const t = await shop();
    const first = await t.order(
      { email: 'jo@shop.test', user_id: 5, ref: 'cus_1', payment_fingerprint: 'visa-1' },
      { affiliate: t.alice },
    );
    await t.order({ email: 'second@shop.test', user_id: 5 });
    await t.order({ email: 'third@shop.test', user_id: 5 }, { status: 'pending' });

    expect(await t.service.customers.forget('second@shop.test')).toBe(true);
    expect(await rowsIn(t, 'customer_names', 'waiting_names')).toEqual([0, 0]);
    for (const buyer of [{ email: 'jo@shop.test' }, { user_id: 5 }, { ref: 'cus_1', email: 'x@shop.test' }])
      expect(await t.order(buyer)).toBeNull();
    expect(await t.customer(first!.customer_id)).toMatchObject({ customer: { email: null }, names: [] });
  });

  it('and keeps the old address when a person changes it, unless asked to move it', async () => {
    const t = await shop();
    const { customer_id: id } = (await t.order({ email: 'old@shop.test' }, { affiliate: t.alice }))!;
    const other = (await t.order({ email: 'other@shop.test' }, { affiliate: t.bob }))!;

    await t.admin.patch(`/customers/${id}`).send({ email: 'new@shop.test' }).expect(200);
    for (const email of ['old@shop.test', 'new@shop.test'])
      expect(await t.order({ email })).toMatchObject({ customer_id: id });
    await t.admin.patch(`/customers/${id}`).send({ email: 'last@shop.test' }).expect(200);
    await t.admin
      .patch(`/customers/${id}`)
      .send({ email: 'only@shop.test', keep_old_email: 'no', first_name: 'Jo' })
      .expect(200);
    expect(await t.order({ email: 'last@shop.test' })).toBeNull();
    expect(await t.customer(id)).toMatchObject({ customer: { email: 'only@shop.test', first_name: 'Jo' } });

    const taken = await t.admin.patch(`/customers/${id}`).send({ email: 'Other@shop.test' }).expect(422);
    expect(taken.body).toMatchObject({
      code: 'customer_name_taken',
      data: { customer_id: other.customer_id },
    });
    await t.admin.patch(`/customers/${id}`).send({ email: 'no address' }).expect(422);
  });

  it('stored once by many orders at the same moment, also without an address', async () => {
    const t = await shop();
    const found = await Promise.all(
      Array.from({ length: 8 }, () => t.order({ user_id: 5, ref: 'cus_1' }, { affiliate: t.alice })),
    );
    expect(new Set(found.map((each) => each!.customer_id)).size).toBe(1);
  });
});
