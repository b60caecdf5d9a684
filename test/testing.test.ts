import { describe, expect, it } from '@jest/globals';
import {
  click,
  complete,
  dispute,
  order,
  payout,
  refund,
  renewal,
  returned,
  testProgram,
  wait,
  type Played,
  type Step,
} from '../testing/index.js';

const STORY: readonly (Step | (() => Step))[] = [
  click,
  order({ subtotal: '100.00', subscription: { id: 'S-1', phase: 'first' } }),
  wait('31d'),
  renewal,
  refund('10.00'),
  dispute,
  dispute('won'),
  payout,
  returned,
];

async function story(seed: number, steps = STORY): Promise<Played[]> {
  await using program = await testProgram({ seed });
  const played = await program.play(steps);
  await program.check();
  return played;
}

describe('a program for tests', () => {
  it('credits a visit, in memory and without a network', async () => {
    await using program = await testProgram({ rate: 10 });
    const cookie = await program.visit('alice');
    const { referral } = await program.order({ cookie, subtotal: '100.00' });
    expect(referral).toMatchObject({ amount_minor: 1000, status: 'unpaid' });
    const nobody = await program.order({ cookie: null, subtotal: '100.00' });
    expect(nobody).toMatchObject({ referral: null, reason: 'no_cookie' });
    await program.check();
  });

  it('answers ledger, hooks, events and mails of each step', async () => {
    const played = await story(1);
    const [clicked, ordered, , renewed, refunded, disputed, won, paid, back] = played;
    expect(clicked?.hooks).toContain('visit_created');
    expect(ordered).toMatchObject({
      commission: { minor: 2000, status: 'unpaid' },
      ledger: [{ affiliate: 'alice', total: 2000, unpaid: 2000, currency: 'USD' }],
    });
    expect(played.flatMap(({ mails }) => mails.map(({ to }) => to))).toContain('alice@partners.test');
    expect(ordered?.events.map(({ type }) => type)).toContain('referral.created');
    expect(renewed?.step).toMatchObject({ do: 'renewal' });
    expect(renewed?.commission?.minor).toBeGreaterThan(0);
    expect(refunded?.ledger.map(({ total }) => Math.sign(total))).toEqual([-1]);
    expect([disputed, won].map((each) => each?.reason)).toEqual([null, null]);
    expect(won?.commission).toEqual(refunded?.commission);
    expect(paid?.events.map(({ type }) => type)).toContain('payout.created');
    expect(back?.ledger.some(({ unpaid }) => unpaid > 0)).toBe(true);
    expect(played.map(({ at }) => at.slice(0, 10))).toEqual([
      ...Array.from({ length: 2 }, () => '2026-01-15'),
      ...Array.from({ length: 7 }, () => '2026-02-15'),
    ]);
  });

  it('plays the same story for the same seed, and another for another', async () => {
    const steps = [click, order, order, refund];
    const moneyOf = (played: readonly Played[]): unknown =>
      played.map(({ ledger, mails }) => [ledger, mails]);
    const first = moneyOf(await story(7, steps));
    expect(moneyOf(await story(7, steps))).toEqual(first);
    expect(moneyOf(await story(8, steps))).not.toEqual(first);
  });

  it('moves its clock, and runs what is due', async () => {
    await using program = await testProgram({ holdDays: 30, now: '2026-03-01T00:00:00Z' });
    await program.play([click, order({ subtotal: 50, status: 'pending' }), complete]);
    const payable = async (): Promise<number> =>
      (await program.service.payouts.preview({ title: 'Payout', description: 'All' })).payable_affiliates
        .length;
    expect(await payable()).toBe(0);
    await program.advance('31d');
    expect(program.now.toISOString()).toBe('2026-04-01T00:00:00.000Z');
    expect(await payable()).toBe(1);
    await expect(program.advance('soon')).rejects.toThrow('is no length of time');
  });

  it('says in words which rule of the books does not hold', async () => {
    await using program = await testProgram();
    await program.play([click, order({ subtotal: '100.00' })]);
    const broken = Object.create(program.service) as typeof program.service;
    Object.assign(broken, {
      verify: async () => [{ invariant: 'I2', name: 'unpaid earnings', rule: 'They are a sum.', id: 1 }],
    });
    Object.defineProperty(program, 'service', { value: broken });
    await expect(program.check()).rejects.toThrow(
      'The books do not balance.\nunpaid earnings: They are a sum.',
    );
  });
});
