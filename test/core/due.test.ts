import { describe, expect, it } from '@jest/globals';
import {
  disputeFact,
  listFact,
  paymentFact,
  refundFact,
  type ReportedRefund,
} from '../../src/accounting/orders/facts.js';
import { due } from '../../src/accounting/orders/due.js';
import { fc } from '../support/random.js';
import { asFacts } from '../../src/accounting/orders/order-records.js';
import type { NewFact, OrderTerms } from '../../src/accounting/orders/types.js';

// 90.00 of goods and 18.00 tax on two lines, 5.00 shipping with 1.00 tax: 114.00 charged, 20 % of 90.00.
const TERMS: OrderTerms = {
  amount_minor: 1800,
  base_minor: 9000,
  basis_minor: 9000,
  grand_total_minor: 11_400,
  flat_minor: 0,
  flat_rule: 'prorate',
  counts: { before_discount: false, tax: false, shipping: false },
  lines: [
    { id: 'a', net: 6000, before: 6000, tax: 1200, commissionable: true },
    { id: 'b', net: 3000, before: 4000, tax: 600, commissionable: true },
  ],
  reasons: [],
  level: 'order',
  rule: 'global',
  rate: '20%',
  exchange: null,
  capped_from_minor: null,
};
const paid = paymentFact('paid', 1);
const refund = (reported: Partial<ReportedRefund>, at = 2, terms = TERMS): NewFact =>
  refundFact(
    { terms },
    { refund_id: null, gross: null, base: null, currency: 'USD', undone: false, ...reported },
    at,
  );
const dueOf = (
  verdict: 'approved' | 'rejected' | 'held',
  clears: readonly string[],
  at: number,
): NewFact => ({
  key: `judgement:${at}`,
  at,
  data: { kind: 'judgement', verdict, reason: null, clears },
});
const correct = (amount: number, left: readonly [string, string], at: number): NewFact => ({
  key: `correction:${at}`,
  at,
  data: { kind: 'correction', amount_minor: amount, left, reason: null },
});

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length <= 1
    ? [[...all]]
    : all.flatMap((each, at) => permutations(all.toSpliced(at, 1)).map((rest) => [each, ...rest]));

describe('what is due', () => {
  it.each([
    ['nothing but the order', [], ['pending', 1800, 'unpaid_order']],
    ['paid', [paid], ['unpaid', 1800, '']],
    ['failed', [paymentFact('failed', 1)], ['rejected', 1800, 'failed']],
    ['failed, then paid', [paymentFact('failed', 1), paymentFact('paid', 2)], ['unpaid', 1800, '']],
    ['paid, then canceled', [paid, paymentFact('canceled', 2)], ['rejected', 1800, 'canceled']],
    ['paid and canceled at one moment', [paid, paymentFact('canceled', 1)], ['rejected', 1800, 'canceled']],
    ['voided is the end', [paymentFact('voided', 1), paymentFact('paid', 2)], ['rejected', 1800, 'voided']],
    ['half by gross', [paid, refund({ gross: 5700 })], ['unpaid', 900, '']],
    ['gross without detail, one rounding', [paid, refund({ gross: 5400 })], ['unpaid', 947, '']],
    ['part of the basis', [paid, refund({ base: 4500 })], ['unpaid', 900, '']],
    [
      'a line by its items',
      [paid, refund({ refund_id: 'r', gross: 3600, items: [{ item_id: 'b', net: 3000, tax: 600 }] })],
      ['unpaid', 1200, ''],
    ],
    [
      'a line by what went back for it',
      [paid, refund({ refund_id: 'r', gross: 1800, items: [{ item_id: 'b', net: 0, tax: 0, gross: 1800 }] })],
      ['unpaid', 1500, ''],
    ],
    [
      'ids add up',
      [paid, refund({ refund_id: 'r1', gross: 2850 }, 2), refund({ refund_id: 'r2', gross: 2850 }, 3)],
      ['unpaid', 900, ''],
    ],
    [
      'the larger of ids and total',
      [paid, refund({ refund_id: 'r1', gross: 2850 }, 2), refund({ gross: 5700 }, 3)],
      ['unpaid', 900, ''],
    ],
    [
      'a lower total is none',
      [paid, refund({ gross: 5700 }, 2), refund({ gross: 2850 }, 3)],
      ['unpaid', 900, ''],
    ],
    [
      'unless it is told as undone',
      [paid, refund({ gross: 5700 }, 2), refund({ gross: 2850, undone: true }, 3)],
      ['unpaid', 1350, ''],
    ],
    [
      'one that was undone',
      [
        paid,
        refund({ refund_id: 'r1', gross: 5700 }, 2),
        refund({ refund_id: 'r1', gross: 5700, undone: true }, 3),
      ],
      ['unpaid', 1800, ''],
    ],
    [
      'one that is gone from the list',
      [paid, refund({ refund_id: 'r1', gross: 5700 }, 2), listFact(['r1'], 2), listFact([], 3)],
      ['unpaid', 1800, ''],
    ],
    [
      'a total of a source that names its refunds',
      [
        paid,
        refund({ gross: 11_400, provisional: true }, 2),
        refund({ refund_id: 'r1', gross: 5700, by_id: true }, 3),
      ],
      ['unpaid', 900, ''],
    ],
    ['everything', [paid, refund({ gross: 11_400 })], ['rejected', 0, 'refunded']],
    ['more than everything', [paid, refund({ gross: 99_999 })], ['rejected', 0, 'refunded']],
    [
      'another currency',
      [paid, refund({ gross: 5700, currency: 'EUR' })],
      ['pending', 1800, 'currency_mismatch'],
    ],
    ['disputed', [paid, disputeFact('d', 'opened', 2)], ['pending', 1800, 'dispute']],
    ['won', [paid, disputeFact('d', 'opened', 2), disputeFact('d', 'won', 3)], ['unpaid', 1800, '']],
    [
      'lost',
      [paid, disputeFact('d', 'opened', 2), disputeFact('d', 'lost', 3)],
      ['rejected', 1800, 'disputed'],
    ],
    [
      'one of two disputes is open',
      [paid, disputeFact('d', 'won', 3), disputeFact('e', 'opened', 2)],
      ['pending', 1800, 'dispute'],
    ],
    ['held by a person', [paid, dueOf('held', [], 2)], ['pending', 1800, 'manual']],
    ['rejected by a person', [paid, dueOf('rejected', [], 2)], ['rejected', 1800, 'manual']],
    [
      'the last word counts',
      [paid, dueOf('rejected', [], 2), dueOf('approved', [], 3)],
      ['unpaid', 1800, ''],
    ],
    ['approved without a payment', [dueOf('approved', ['unpaid_order'], 2)], ['unpaid', 1800, '']],
    [
      'an approval clears no later dispute',
      [paid, dueOf('approved', [], 2), disputeFact('d', 'opened', 3)],
      ['pending', 1800, 'dispute'],
    ],
    ['corrected', [paid, correct(500, ['1', '1'], 2)], ['unpaid', 500, '']],
    [
      'corrected, then half refunded',
      [paid, correct(500, ['1', '1'], 2), refund({ gross: 5700 }, 3)],
      ['unpaid', 250, ''],
    ],
    [
      'half refunded, then corrected',
      [paid, refund({ gross: 5700 }, 2), correct(500, ['1', '2'], 3)],
      ['unpaid', 500, ''],
    ],
    [
      'a correction never grows',
      [paid, correct(500, ['1', '2'], 3), refund({ gross: 5700 }, 2), refund({ gross: 0, undone: true }, 4)],
      ['unpaid', 500, ''],
    ],
  ] as const)('%s', (_name, fact, [status, amount, cause]) => {
    for (const order of permutations(fact)) {
      const result = due(TERMS, asFacts(order), {
        currency: 'USD',
        inherited: null,
        left_minor: null,
        inPayout: false,
      });
      expect([result.status, result.amount, result.reject_reason ?? result.reasons.join()]).toEqual([
        status,
        amount,
        cause,
      ]);
    }
  });

  it('is the same for facts of one moment, whichever arrives first', () => {
    const moments = fc.constantFrom(1, 2);
    const factKinds = fc.oneof(
      fc
        .tuple(fc.constantFrom('paid', 'failed', 'canceled', 'voided', 'deleted'), moments)
        .map(([state, at]) => paymentFact(state, at)),
      fc
        .tuple(fc.constantFrom('opened', 'won', 'lost'), moments)
        .map(([state, at]) => disputeFact('d', state, at)),
      fc
        .record({
          refund_id: fc.constantFrom('r', 's', null),
          gross: fc.constantFrom(1000, 5700, 11_400),
          currency: fc.constantFrom('USD', 'USD', 'EUR'),
          undone: fc.constantFrom(false, false, true),
          at: moments,
        })
        .map(({ at, ...each }) => refund(each, at)),
    );
    const facts = fc.uniqueArray(factKinds, { selector: ({ key }) => key, minLength: 2, maxLength: 4 });
    const of = (order: readonly NewFact[]): unknown[] => {
      const result = due(TERMS, asFacts(order), {
        currency: 'USD',
        inherited: null,
        left_minor: null,
        inPayout: false,
      });
      return [result.amount, result.status, result.reject_reason, result.reasons.toSorted()];
    };
    fc.assert(
      fc.property(facts, (all) => {
        for (const order of permutations(all)) expect(of(order)).toEqual(of(all));
      }),
      { numRuns: 2000 },
    );
  });

  it('counts the list of refunds that arrived last of two of one moment', () => {
    const facts = [paid, refund({ refund_id: 'r', gross: 5700 }, 3)];
    const amountOf = (...lists: NewFact[]): number =>
      due(TERMS, asFacts([...facts, ...lists]), {
        currency: 'USD',
        inherited: null,
        left_minor: null,
        inPayout: false,
      }).amount;
    expect(amountOf(listFact([], 3), listFact(['r'], 3))).toBe(900);
    expect(amountOf(listFact(['r'], 3), listFact([], 3))).toBe(1800);
  });

  it('keeps a flat part until the refund is full, when asked to', () => {
    const flat = { ...TERMS, amount_minor: 1000, flat_minor: 1000, flat_rule: 'keep' as const };
    const after = (gross: number): number =>
      due(flat, asFacts([paid, refund({ gross }, 2, flat)]), {
        currency: 'USD',
        inherited: null,
        left_minor: null,
        inPayout: false,
      }).amount;
    expect([after(5700), after(11_400)]).toEqual([1000, 0]);
  });

  it('shares the reasons of the order it follows, and its end unless it was paid out', () => {
    const reason = 'fraud:fast_order';
    const inherited = { causes: [{ name: reason, reason }], rejected: null } as const;
    const of = (given: object): unknown[] => {
      const result = due(TERMS, asFacts([paid]), {
        currency: 'USD',
        inherited,
        left_minor: null,
        inPayout: false,
        ...given,
      });
      return [result.status, result.reject_reason, result.reasons];
    };
    expect(of({})).toEqual(['pending', null, ['fraud:fast_order']]);
    expect(of({ inPayout: true })).toEqual(['unpaid', null, []]);
    expect(of({ inherited: { causes: [], rejected: { name: 'lost', reason: 'disputed' } } })).toEqual([
      'rejected',
      'disputed',
      [],
    ]);
  });
});
