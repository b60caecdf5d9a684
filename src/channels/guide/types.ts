/** The steps from an empty program to its first payout, in the order they are taken. */
export const STEPS = [
  'rates',
  'terms',
  'signup',
  'mail',
  'secret',
  'tracker',
  'shop',
  'test_order',
  'payment',
  'payout',
] as const;
export type StepKey = (typeof STEPS)[number];

/** Steps that a person confirms, as no other fact shows that they were checked. */
export const CONFIRMED_STEPS = ['rates', 'payment'] as const;
export type ConfirmedStep = (typeof CONFIRMED_STEPS)[number];

export interface Step {
  readonly key: StepKey;
  /** `broken`: it was done, and something has stopped since. */
  readonly state: 'done' | 'open' | 'broken';
  /** Who can do it: a manager of the program, or a developer of the site. */
  readonly who: 'manager' | 'developer';
  /** When it was done, or last seen; null when that is not known. */
  readonly at: number | null;
  /** What its sentence needs, e.g. `currency` and `rate`. */
  readonly facts: Readonly<Record<string, string>>;
}

/** What was done by hand; epoch milliseconds. */
export interface GuideMemory {
  readonly rates?: number;
  readonly payment?: number;
  readonly mail?: { readonly key: string; readonly sent_at: number; readonly opened_at: number | null };
  readonly test_order?: { readonly at: number; readonly commission: string; readonly currency: string };
}
