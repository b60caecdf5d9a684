// A naive program in a few maps: what the service must agree with after every step. Amounts in cents.

export type Status = 'pending' | 'unpaid' | 'rejected' | 'paid';
export interface ModelReferral {
  readonly id: number;
  readonly affiliate: number;
  amount: number;
  status: Status;
  transaction: number | null;
  /** Of an order; its refunds, corrections and disputes are played by money.test.ts. */
  readonly order: { readonly cents: number; paid: boolean; canceled: boolean } | null;
}
export interface ModelTransaction {
  readonly id: number;
  readonly affiliate: number;
  readonly payout: number;
  readonly total: number;
  status: 'processing' | 'paid';
}

export class Model {
  readonly affiliates = new Map<number, { visits: number; alive: boolean }>();
  readonly referrals = new Map<number, ModelReferral>();
  readonly orders = new Map<string, number>();
  /** An order that was reported once is known for ever. */
  readonly reported = new Set<string>();
  readonly transactions = new Map<number, ModelTransaction>();

  living(): number[] {
    return [...this.affiliates].filter(([, affiliate]) => affiliate.alive).map(([id]) => id);
  }

  /** Earnings of an affiliate, counted from the rows. */
  figures(affiliate: number): { total: number; unpaid: number; referrals: number; visits: number } {
    const own = [...this.referrals.values()].filter((referral) => referral.affiliate === affiliate);
    const sum = (...statuses: Status[]): number =>
      own.filter(({ status }) => statuses.includes(status)).reduce((all, { amount }) => all + amount, 0);
    return {
      total: sum('unpaid', 'paid'),
      unpaid: sum('unpaid'),
      referrals: own.length,
      visits: this.affiliates.get(affiliate)?.visits ?? 0,
    };
  }

  /** Affiliate → unpaid referrals, where they come to more than nothing. */
  payable(): Map<number, ModelReferral[]> {
    const due = new Map<number, ModelReferral[]>();
    for (const referral of this.referrals.values()) {
      if (referral.status === 'unpaid')
        due.set(referral.affiliate, [...(due.get(referral.affiliate) ?? []), referral]);
    }
    for (const [affiliate, rows] of due)
      if (rows.reduce((sum, { amount }) => sum + amount, 0) <= 0) due.delete(affiliate);
    return due;
  }

  removeAffiliate(id: number): void {
    this.affiliates.set(id, { visits: 0, alive: false });
    for (const referral of this.referrals.values())
      if (referral.affiliate === id) this.referrals.delete(referral.id);
    for (const [order, referral] of this.orders) if (!this.referrals.has(referral)) this.orders.delete(order);
  }
}

/** Half away from zero, on whole numbers. */
export function divideRounded(numerator: number, denominator: number): number {
  const quotient = Math.floor(numerator / denominator);
  return (numerator - quotient * denominator) * 2 >= denominator ? quotient + 1 : quotient;
}

/** What an order's commission is when no payout has it. */
export const statusOf = ({ paid, canceled }: NonNullable<ModelReferral['order']>): Status =>
  canceled ? 'rejected' : paid ? 'unpaid' : 'pending';

export const commissionOf = (order: number): number => divideRounded(order, 10);
