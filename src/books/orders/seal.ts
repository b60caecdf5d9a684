import { createHash } from 'node:crypto';
import type { Fact, NewFact } from './types.js';

/**
 * Changes when a fact is changed, removed or slipped in: nobody does that but by hand (I16).
 * Facts in the order they arrived.
 */
export function sealOf(facts: readonly Pick<Fact | NewFact, 'key' | 'at' | 'data'>[]): string {
  if (facts.length === 0) return '';
  const text = JSON.stringify(facts.map(({ key, at, data }) => [key, at, data]));
  return createHash('sha256').update(text).digest('hex');
}
