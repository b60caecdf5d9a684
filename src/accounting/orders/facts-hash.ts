import { createHash } from 'node:crypto';
import type { Fact, NewFact } from './types.js';

/**
 * A hash of an order's facts, in the order they arrived. It no longer matches when a fact is changed, removed
 * or inserted, which only happens by hand (I16).
 */
export function factsHashOf(facts: readonly Pick<Fact | NewFact, 'key' | 'at' | 'data'>[]): string {
  if (facts.length === 0) return '';
  const text = JSON.stringify(facts.map(({ key, at, data }) => [key, at, data]));
  return createHash('sha256').update(text).digest('hex');
}
