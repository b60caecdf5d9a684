import { NO_SUB_IDS } from '../../src/core/sub-ids.js';
import { expect } from '@jest/globals';
import { fc } from '../support/random.js';
import type { TestApp } from '../support/app.js';
import { commissionOf, statusOf, type Model, type ModelReferral, type Status } from './model.js';

/** One step of a history; `pick` chooses among what exists, so that a step shrinks together with the rows. */
export type Step =
  | {
      readonly do: 'join' | 'click' | 'leave' | 'pay' | 'undo' | 'toggle' | 'drop' | 'complete' | 'cancel';
      readonly pick: number;
    }
  | {
      readonly do: 'order';
      readonly pick: number;
      readonly cents: number;
      readonly status: 'pending' | 'unpaid';
    }
  | { readonly do: 'again'; readonly pick: number }
  | {
      readonly do: 'manual';
      readonly pick: number;
      readonly cents: number;
      readonly status: Exclude<Status, 'paid'>;
    }
  | {
      readonly do: 'edit';
      readonly pick: number;
      readonly cents: number;
      readonly status: Exclude<Status, 'paid'>;
    };

const pick = fc.nat(1000);
const cents = fc.integer({ min: 1, max: 1_000_000 });
const status = fc.constantFrom('pending', 'unpaid', 'rejected');
const of = <K extends string>(name: K): fc.Arbitrary<{ do: K; pick: number }> =>
  fc.record({ do: fc.constant(name), pick });

export const histories = fc.array(
  fc.oneof(
    of('join'),
    of('click'),
    of('click'),
    ...['order', 'order', 'order'].map(() =>
      fc.record({
        do: fc.constant('order' as const),
        pick,
        cents,
        status: fc.constantFrom('pending' as const, 'unpaid' as const),
      }),
    ),
    of('again'),
    fc.record({ do: fc.constant('manual' as const), pick, cents, status }),
    fc.record({ do: fc.constant('edit' as const), pick, cents, status }),
    of('pay'),
    of('pay'),
    of('undo'),
    of('toggle'),
    of('drop'),
    of('complete'),
    of('cancel'),
    { arbitrary: of('leave'), weight: 1 },
  ),
  { minLength: 4, maxLength: 24 },
) as fc.Arbitrary<Step[]>;

interface World {
  readonly t: TestApp;
  readonly model: Model;
  clicks: number;
}
type Play<S> = (world: World, step: S) => Promise<void>;
const choose = <T>(rows: readonly T[], pick: number): T | undefined => rows[pick % rows.length];

const wireCents = (amount: number): number => Math.round(amount * 100);
const order = (cents: number): { subtotal: string; currency: string } => ({
  subtotal: (cents / 100).toFixed(2),
  currency: 'USD',
});

/** Plays one step on both sides and compares what it touched. */
export async function play(world: World, step: Step): Promise<void> {
  await (PLAYS[step.do] as Play<Step>)(world, step);
}

const withAffiliate =
  <S extends Step>(work: (world: World, step: S, affiliate: number) => Promise<void>): Play<S> =>
  async (world, step) => {
    const affiliate = choose(world.model.living(), step.pick);
    if (affiliate !== undefined) await work(world, step, affiliate);
  };
const withReferral =
  <S extends Step>(work: (world: World, step: S, referral: ModelReferral) => Promise<void>): Play<S> =>
  async (world, step) => {
    const referral = choose([...world.model.referrals.values()], step.pick);
    if (referral) await work(world, step, referral);
  };
const withOrder =
  <S extends Step>(
    work: (world: World, step: S, key: string, referral: ModelReferral) => Promise<void>,
  ): Play<S> =>
  async (world, step) => {
    const found = choose([...world.model.orders], step.pick);
    if (found) await work(world, step, found[0], world.model.referrals.get(found[1])!);
  };

type Of<K extends Step['do']> = Extract<Step, { do: K }>;
const join: Play<Step> = async ({ t, model }) => {
  if (model.affiliates.size >= 4) return;
  const created = await t.records.affiliate({ user_id: 2 + model.affiliates.size });
  model.affiliates.set(created.id, { visits: 0, alive: true });
};
const click = withAffiliate(async (world, _step, affiliate) => {
  world.clicks += 1;
  const visitor = {
    address: `10.${world.clicks >> 16}.${(world.clicks >> 8) & 255}.${world.clicks & 255}`,
    agent: 'Mozilla/5.0',
    userId: async () => null,
  };
  const utm = { utm_source: null, utm_medium: null, utm_campaign: null, ...NO_SUB_IDS };
  await world.t.app.tracking.recordClick({
    param: String(affiliate),
    url: 'https://shop.test/',
    referrer: null,
    utm,
    visitId: null,
    current: null,
    visitor,
  });
  world.model.affiliates.get(affiliate)!.visits += 1;
});
const place = withAffiliate<Of<'order'>>(async ({ t, model }, step, affiliate) => {
  const key = `order-${model.orders.size}-${model.referrals.size}-${step.pick}`;
  const amount = commissionOf(step.cents);
  const { referral } = await t.service.conversions.record(null, {
    provider: 'shop',
    reference: key,
    status: step.status,
    order: order(step.cents),
    affiliate,
  });
  if (model.reported.has(key)) return expect(referral?.id).toBe(model.orders.get(key));
  if (amount === 0) return;
  model.reported.add(key);
  expect(referral).toMatchObject({ amount_minor: amount, status: step.status });
  model.orders.set(key, referral!.id);
  model.referrals.set(referral!.id, {
    id: referral!.id,
    affiliate,
    amount,
    status: step.status,
    transaction: null,
    order: { cents: step.cents, paid: step.status === 'unpaid', canceled: false },
  });
});
const again = withOrder<Of<'again'>>(async ({ t }, _step, key, referral) => {
  const { order: of, affiliate } = referral;
  const stored = await t.app.referrals.get(referral.id);
  const body = {
    provider: 'shop',
    reference: key,
    status: 'unpaid' as const,
    order: order(of!.cents),
    affiliate,
  };
  const repeated = await t.service.conversions
    .record(null, body)
    .catch((error: { code: string }) => error.code);
  expect(repeated === 'conversion_conflict' || !(repeated as { created: boolean }).created).toBe(true);
  expect(await t.app.referrals.get(referral.id)).toEqual(stored);
});
const settle = (referral: ModelReferral): void => {
  if (referral.status !== 'paid') referral.status = statusOf(referral.order!);
};
const complete = withOrder(async ({ t }, _step, key, referral) => {
  await t.service.conversions.complete('shop', key);
  Object.assign(referral.order!, { paid: true, canceled: false });
  settle(referral);
});
const cancel = withOrder(async ({ t }, _step, key, referral) => {
  await t.service.conversions.cancel('shop', key);
  referral.order!.canceled = true;
  settle(referral);
});
const manual = withAffiliate<Of<'manual'>>(async ({ t, model }, step, affiliate) => {
  const created = await t.records.referral({
    affiliate_id: affiliate,
    amount: step.cents / 100,
    status: step.status,
  });
  model.referrals.set(created.id, {
    id: created.id,
    affiliate,
    amount: step.cents,
    status: step.status,
    transaction: null,
    order: null,
  });
});
const edit = withReferral<Of<'edit'>>(async ({ t }, step, referral) => {
  if (referral.order) return;
  const answer = await t.admin
    .patch(`/referrals/${referral.id}`)
    .send({ amount: step.cents / 100, status: step.status });
  expect(answer.status).toBe(referral.status === 'paid' ? 422 : 200);
  if (referral.status === 'paid') return;
  referral.amount = step.cents;
  referral.status = step.status;
});
const drop = withReferral(async ({ t, model }, _step, referral) => {
  const answer = await t.admin.delete(`/referrals/${referral.id}`);
  expect(answer.status).toBe(referral.status === 'paid' ? 422 : 200);
  if (referral.status === 'paid') return;
  model.referrals.delete(referral.id);
  for (const [key, id] of model.orders) if (id === referral.id) model.orders.delete(key);
});
const pay: Play<Step> = async ({ t, model }) => {
  const due = model.payable();
  const answer = await t.admin
    .post('/payouts/process-payout')
    .send({ config: { title: 'Run', description: 'Run' } });
  expect([answer.status, answer.body.code]).toEqual(
    due.size === 0 ? [422, 'nothing_to_pay'] : [200, undefined],
  );
  if (due.size === 0) return;
  const payout = answer.body.payout.id as number;
  const { body } = await t.admin.get(`/payouts/${payout}/transactions?per_page=200`).expect(200);
  expect(body.transactions.total).toBe(due.size);
  for (const row of body.transactions.data as { id: number; affiliate_id: number; total_amount: number }[]) {
    const rows = due.get(row.affiliate_id)!;
    const total = rows.reduce((sum, { amount }) => sum + amount, 0);
    expect(wireCents(row.total_amount)).toBe(total);
    for (const referral of rows) Object.assign(referral, { status: 'paid', transaction: row.id });
    model.transactions.set(row.id, {
      id: row.id,
      affiliate: row.affiliate_id,
      payout,
      total,
      status: 'processing',
    });
  }
};
const undo: Play<Step> = async ({ t, model }, step) => {
  const transaction = choose([...model.transactions.values()], step.pick);
  if (!transaction) return;
  await t.admin.delete(`/payouts/${transaction.payout}/transactions/${transaction.id}`).expect(200);
  model.transactions.delete(transaction.id);
  for (const referral of model.referrals.values())
    if (referral.transaction === transaction.id)
      Object.assign(referral, {
        status: referral.order ? statusOf(referral.order) : 'unpaid',
        transaction: null,
      });
};
const toggle: Play<Step> = async ({ t, model }, step) => {
  const transaction = choose([...model.transactions.values()], step.pick);
  if (!transaction) return;
  transaction.status = transaction.status === 'paid' ? 'processing' : 'paid';
  await t.admin
    .patch(`/payouts/${transaction.payout}/transactions/${transaction.id}`)
    .send({ status: transaction.status, confirm: true }) // its orders may have changed since the payout
    .expect(200);
};
const leave: Play<Step> = async ({ t, model }, step) => {
  const affiliate = choose(model.living(), step.pick);
  if (affiliate === undefined || step.pick % 4 !== 0) return;
  await t.admin.delete(`/affiliates/${affiliate}`).expect(200);
  model.removeAffiliate(affiliate);
};

const PLAYS: { readonly [K in Step['do']]: Play<never> } = {
  join,
  click,
  order: place,
  again,
  complete,
  cancel,
  manual,
  edit,
  drop,
  pay,
  undo,
  toggle,
  leave,
};
