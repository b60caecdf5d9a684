import type { Fact } from './types.js';

/** Sorts facts by the time they are about, then by arrival. */
export const byTime = (a: Fact, b: Fact): number => a.at - b.at || a.id - b.id;

/** The time to show: facts may be a little ahead of our clock, but nothing was known before it was stored. */
export const shownTime = ({ at, created_at: stored }: Pick<Fact, 'at' | 'created_at'>): number =>
  Math.min(at, stored);

/** The key of a fact is made of its content, so this order does not depend on when facts arrived. */
export const byKey = (a: Fact, b: Fact): number => (a.key < b.key ? -1 : Number(a.key > b.key));
