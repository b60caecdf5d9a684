import type { Static } from 'typebox';
import { REWARD_EVENTS, REWARD_KINDS, REWARD_SCOPES, type Condition } from '../core/rewards/types.js';
import {
  array,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  string,
  Type,
} from '../platform/http/schema.js';

// Reward rules as responses of several modules show them.

export const decimal = Type.Unsafe<string>({ type: 'string', description: 'Decimal text, such as "12.5"' });
/** `{ all }`, `{ any }`, `{ not }` or `{ fact, op, value }`. */
export const condition = Type.Unsafe<Condition>({
  type: 'object',
  description: '`{ all: [...] }`, `{ any: [...] }`, `{ not: {...} }` or `{ fact, op, value }`',
  additionalProperties: true,
});
export const reward = object({
  kind: oneOf(...REWARD_KINDS),
  value: decimal,
  every: optional(integer),
  cap: optional(mapOf(decimal)),
  months: optional(integer),
  payments: optional(integer),
  hold_days: optional(integer),
});

const rateOfProgram = object({ type: oneOf('percentage', 'flat'), rate: number });
const term = object({
  key: string,
  title: string,
  event: oneOf(...REWARD_EVENTS),
  scope: oneOf(...REWARD_SCOPES),
  /** The campaigns, and the addresses of the affiliate's own short links, whose orders the rule is for. */
  links: array(string),
  /** Rules of the most specific scope are asked first, within a scope those of a higher priority. */
  priority: integer,
  reward,
  when: nullable(condition),
  sentences: mapOf(string),
});

/** A rate of affiliate, group, program, renewals, customers who come back, or leads. */
const termRate = object({
  event: oneOf('sale', 'renewal', 'lead'),
  source: string,
  ...rateOfProgram.properties,
  /** Payments of a subscription that earn, the first one included; null without a limit. */
  payments: nullable(integer),
  /** Months of a subscription that earn; null without a limit. */
  months: nullable(integer),
  sentences: mapOf(string),
});

/** The reward rules that count now; \`base\` counts where none of them does. */
export const rewardTerms = object({
  version: nullable(integer),
  currency: string,
  base: rateOfProgram,
  /** The rates that count where no rule does; an event that earns nothing has none. */
  rates: array(termRate),
  rules: array(term),
});
export type TermsDto = Static<typeof rewardTerms>;
