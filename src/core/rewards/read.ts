import { isMap } from '../is-map.js';
import { readDecimal } from '../decimal.js';
import { parseRate, rateText } from '../rate.js';
import { LINE } from '../text.js';
import { compareDecimals } from './compare.js';
import { isPerItem, kindOf, opsOf, type FactKind } from './facts.js';
import {
  CAP_WINDOWS,
  GOAL_METRICS,
  GOAL_WINDOWS,
  OPS,
  REWARD_EVENTS,
  REWARD_KINDS,
  REWARD_SCOPES,
  type CapWindow,
  type Condition,
  type FactValue,
  type Goal,
  type Levels,
  type Op,
  type Reward,
  type RewardBody,
  type RewardRule,
} from './types.js';

export const RULES_MAX = 200;
export const DEPTH_MAX = 8;
export const NODES_MAX = 100;
const SCOPE_IDS_MAX = 500;
const VALUES_MAX = 200;
const TEXT_MAX = 200;
const KEY = /^[a-z0-9][a-z0-9_-]{0,49}$/u;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u;
const PERCENT_MAX_E4 = 500 * 10_000;
const STEPS_MAX = 20;

/** Errors by JSON pointer, such as `/rules/0/when/all/1/fact`. */
export type PointedErrors = Record<string, Record<string, string>>;

/** Reads the body of a rule set, and reports mistakes by JSON pointer. */
export function readRewardBody(input: { readonly rules?: unknown; readonly levels?: unknown }): {
  readonly body: RewardBody;
  readonly errors: PointedErrors;
} {
  const reader = new Reader();
  const rules = reader
    .list('/rules', input.rules, { max: RULES_MAX })
    .flatMap((rule, at) => reader.rule(`/rules/${at}`, rule));
  const seen = new Map<string, number>();
  for (const [at, { key }] of rules.entries()) {
    if (seen.has(key)) reader.add(`/rules/${at}/key`, 'unique', `Another rule has the key ${key}.`);
    seen.set(key, at);
  }
  const levels = reader.levels('/levels', input.levels ?? null);
  return { body: { rules, levels }, errors: reader.errors };
}

const isLine = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TEXT_MAX && LINE.fits(value);

class Reader {
  readonly errors: PointedErrors = {};
  #nodes = 0;

  add(pointer: string, rule: string, message: string): void {
    (this.errors[pointer] ??= {})[rule] ??= message;
  }

  rule(at: string, value: unknown): RewardRule[] {
    const map = this.map(at, value, RULE_KEYS);
    if (map === null) return [];
    const event = this.word(`${at}/event`, map['event'], REWARD_EVENTS);
    const scope = this.word(`${at}/scope`, map['scope'] ?? 'program', REWARD_SCOPES);
    this.#nodes = 0;
    const when = map['when'] === undefined || map['when'] === null ? null : map['when'];
    const rule: RewardRule = {
      key: this.key(`${at}/key`, map['key']),
      title: this.text(`${at}/title`, map['title'] ?? ''),
      event,
      scope,
      scope_ids: this.#scopeIds(`${at}/scope_ids`, scope, map['scope_ids'] ?? []),
      when: when && this.condition(`${at}/when`, when, 1),
      reward: this.#reward(`${at}/reward`, map['reward']),
      priority: this.integer(`${at}/priority`, map['priority'] ?? 0, [-1_000_000, 1_000_000]),
      stop: this.yesNo(`${at}/stop`, map['stop'] ?? false),
      ...(event === 'bonus' && { goal: this.#goal(`${at}/goal`, map['goal']) }),
    };
    this.#checkCombination(at, rule, map['goal'] !== undefined);
    return [rule];
  }

  /** What parts of a rule allow together. */
  #checkCombination(at: string, rule: RewardRule, hasGoal: boolean): void {
    const { event, reward } = rule;
    if (event === 'bonus') this.#checkBonus(at, rule);
    else if (hasGoal) this.add(`${at}/goal`, 'event', 'Only rules for the event bonus can have a goal.');
    for (const name of ['months', 'payments'] as const)
      if (event !== 'renewal' && reward[name] !== undefined)
        this.add(`${at}/reward/${name}`, 'event', `Only rules for the event renewal can have ${name}.`);
    if (event === 'lead' && reward.kind === 'per_item')
      this.add(`${at}/reward/kind`, 'in', 'A lead has no items. Use percent, flat or none.');
    this.#checkCaps(at, rule);
  }

  #checkCaps(at: string, rule: RewardRule): void {
    for (const window of Object.keys(rule.reward.cap ?? {}))
      if (window !== 'order' && isPerItem(rule))
        this.add(
          `${at}/reward/cap/${window}`,
          'each_item',
          'A rule for single items can only have a cap per order.',
        );
  }

  #checkBonus(at: string, { reward, when, scope }: RewardRule): void {
    if (reward.kind !== 'flat') this.add(`${at}/reward/kind`, 'in', 'The reward of a goal must be flat.');
    if (when !== null || reward.every !== undefined)
      this.add(`${at}/when`, 'event', 'Rules for the event bonus have a goal instead of conditions.');
    if (scope === 'link')
      this.add(`${at}/scope`, 'in', 'The scope of a goal must be one of: affiliate, group, program.');
  }

  condition(at: string, value: unknown, depth: number): Condition {
    this.#nodes += 1;
    const nothing: Condition = { all: [] };
    if (this.#nodes > NODES_MAX) {
      if (this.#nodes === NODES_MAX + 1)
        this.add(at, 'nodes', `The condition must have at most ${NODES_MAX} parts.`);
      return nothing;
    }
    if (depth > DEPTH_MAX) {
      this.add(at, 'depth', `Conditions can be nested at most ${DEPTH_MAX} levels deep.`);
      return nothing;
    }
    if (isMap(value) && Object.hasOwn(value, 'fact')) return this.#comparison(at, value);
    const map = this.map(at, value, ['all', 'any', 'not']);
    if (map === null) return nothing;
    const names = Object.keys(map);
    if (names.length !== 1) {
      this.add(at, 'shape', 'The condition must be one of: { all }, { any }, { not }, { fact, op, value }.');
      return nothing;
    }
    if ('not' in map) return { not: this.condition(`${at}/not`, map['not'], depth + 1) };
    const name = 'all' in map ? 'all' : 'any';
    const parts = this.list(`${at}/${name}`, map[name], { min: 1, max: NODES_MAX }).map((part, index) =>
      this.condition(`${at}/${name}/${index}`, part, depth + 1),
    );
    return name === 'all' ? { all: parts } : { any: parts };
  }

  #comparison(at: string, value: object): Condition {
    const map = this.map(at, value, ['fact', 'op', 'value']) ?? {};
    const fact = typeof map['fact'] === 'string' ? map['fact'] : '';
    const kind = kindOf(fact);
    if (kind === null) {
      this.add(`${at}/fact`, 'in', 'No such fact.');
      return { all: [] };
    }
    const op = this.word(`${at}/op`, map['op'], opsOf(kind), OPS);
    return { fact, op, value: this.#value(`${at}/value`, map['value'], { kind, op }) };
  }

  #value(
    at: string,
    value: unknown,
    { kind, op }: { readonly kind: FactKind; readonly op: Op },
  ): FactValue | readonly FactValue[] {
    if (op !== 'in' && op !== 'not_in') return this.#single(at, value, kind);
    return this.list(at, value, { min: 1, max: VALUES_MAX }).map((each, index) =>
      this.#single(`${at}/${index}`, each, kind),
    );
  }

  #single(at: string, value: unknown, kind: FactKind): FactValue {
    if (kind === 'yes_no') return this.yesNo(at, value);
    if (kind === 'number' || kind === 'amount') return this.decimal(at, value);
    const isText = isLine(value);
    if (kind === 'date') {
      if (!isText || !DAY.test(value)) this.add(at, 'date', 'The value must have the form YYYY-MM-DD.');
      return isText ? value : '';
    }
    if (!isText) this.add(at, 'string', `The value must be text of at most ${TEXT_MAX} characters.`);
    return isText ? value : '';
  }

  #scopeIds(at: string, scope: RewardRule['scope'], value: unknown): readonly (number | string)[] {
    const ids = this.list(at, value, { max: SCOPE_IDS_MAX });
    if (scope === 'program') {
      if (ids.length > 0) this.add(at, 'scope', 'A rule for the whole program has no scope_ids.');
      return [];
    }
    if (ids.length === 0)
      this.add(at, 'required', `Choose at least one ${scope === 'link' ? 'campaign' : scope}.`);
    return ids.flatMap((id, index): (number | string)[] => {
      if (scope === 'link' && isLine(id) && id !== '' && id.length <= 100) return [id];
      if (Number.isSafeInteger(id) && (id as number) > 0) return [id as number];
      this.add(
        `${at}/${index}`,
        scope === 'link' ? 'string' : 'integer',
        scope === 'link'
          ? 'Enter a campaign of at most 100 characters, or the ID of a short link.'
          : 'This must be a positive integer.',
      );
      return [];
    });
  }

  #reward(at: string, value: unknown): Reward {
    const map = this.map(at, value, REWARD_KEYS) ?? {};
    const kind = this.word(`${at}/kind`, map['kind'], REWARD_KINDS);
    const rate = kind === 'none' ? 0 : this.rate(`${at}/value`, map['value']);
    if (kind === 'percent' && rate > PERCENT_MAX_E4)
      this.add(`${at}/value`, 'max', 'The percentage must be at most 500.');
    const whole = (name: 'every' | 'months' | 'payments' | 'hold_days', range: readonly [number, number]) =>
      map[name] === undefined || map[name] === null
        ? {}
        : { [name]: this.integer(`${at}/${name}`, map[name], range) };
    return {
      kind,
      value: rateText(rate),
      ...whole('every', [2, 1000]),
      ...whole('months', [1, 600]),
      ...whole('payments', [1, 10_000]),
      ...whole('hold_days', [0, 365]),
      ...(map['cap'] !== undefined && map['cap'] !== null && { cap: this.#cap(`${at}/cap`, map['cap']) }),
    };
  }

  #cap(at: string, value: unknown): Partial<Record<CapWindow, string>> {
    const map = this.map(at, value, CAP_WINDOWS) ?? {};
    return Object.fromEntries(
      Object.entries(map).map(([window, amount]) => [window, rateText(this.rate(`${at}/${window}`, amount))]),
    );
  }

  #goal(at: string, value: unknown): Goal {
    const map = this.map(at, value, ['metric', 'at_least', 'window', 'repeat']) ?? {};
    const goal: Goal = {
      metric: this.word(`${at}/metric`, map['metric'], GOAL_METRICS),
      at_least: this.decimal(`${at}/at_least`, map['at_least']),
      window: this.word(`${at}/window`, map['window'], GOAL_WINDOWS),
      repeat: this.word(`${at}/repeat`, map['repeat'] ?? 'each_window', ['once', 'each_window'] as const),
    };
    if ((readDecimal(goal.at_least)?.units ?? 1n) <= 0n)
      this.add(`${at}/at_least`, 'min', 'The goal must be more than 0.');
    return goal;
  }

  levels(at: string, value: unknown): Levels | null {
    if (value === null) return null;
    const map = this.map(at, value, ['metric', 'window', 'steps', 'down', 'grace_days']) ?? {};
    const steps = this.list(`${at}/steps`, map['steps'], { min: 1, max: STEPS_MAX }).map((step, index) => {
      const own = this.map(`${at}/steps/${index}`, step, ['at_least', 'group']) ?? {};
      return {
        at_least: this.decimal(`${at}/steps/${index}/at_least`, own['at_least']),
        group: this.integer(`${at}/steps/${index}/group`, own['group'], [1, Number.MAX_SAFE_INTEGER]),
      };
    });
    this.#checkSteps(at, map, steps);
    return {
      metric: this.word(`${at}/metric`, map['metric'], GOAL_METRICS),
      window: this.word(`${at}/window`, map['window'], GOAL_WINDOWS),
      steps,
      down: this.yesNo(`${at}/down`, map['down'] ?? false),
      grace_days: this.integer(`${at}/grace_days`, map['grace_days'] ?? 0, [0, 365]),
    };
  }

  #checkSteps(
    at: string,
    map: Readonly<Record<string, unknown>>,
    steps: readonly { readonly at_least: string }[],
  ): void {
    const isForever = map['window'] === 'all_time';
    if (isForever && (map['grace_days'] ?? 0) !== 0)
      this.add(`${at}/grace_days`, 'window', 'Levels over all time cannot have grace days.');
    for (const [index, { at_least: least }] of steps.entries())
      if (index > 0 && compareDecimals(least, steps[index - 1]?.at_least ?? '0') <= 0)
        this.add(
          `${at}/steps/${index}/at_least`,
          'order',
          'Each level must require more than the level before.',
        );
  }

  map(at: string, value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> | null {
    if (!isMap(value)) {
      this.add(at, 'object', 'This must be an object.');
      return null;
    }
    if (Object.keys(value).some((key) => !keys.includes(key)))
      this.add(at, 'unknown_key', `The key must be one of: ${keys.join(', ')}.`);
    return value;
  }

  list(at: string, value: unknown, { min = 0, max }: { readonly min?: number; readonly max: number }) {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      this.add(at, 'array', `This must be a list of ${min} to ${max} entries.`);
      return [];
    }
    return value as readonly unknown[];
  }

  word<const W extends string>(
    at: string,
    value: unknown,
    words: readonly W[],
    known: readonly string[] = words,
  ): W {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const isKnown = known.some((word) => word === value);
    this.add(
      at,
      'in',
      `${isKnown ? 'The comparison of this fact' : 'This'} must be one of: ${words.join(', ')}.`,
    );
    return words[0]!; // no list of words is empty
  }

  key(at: string, value: unknown): string {
    if (typeof value === 'string' && KEY.test(value)) return value;
    this.add(at, 'key', 'Use 1 to 50 of these characters: a-z, 0-9, _ and -.');
    return '';
  }

  text(at: string, value: unknown): string {
    if (isLine(value)) return value.trim();
    this.add(at, 'string', `This must be text of at most ${TEXT_MAX} characters.`);
    return '';
  }

  yesNo(at: string, value: unknown): boolean {
    if (typeof value !== 'boolean') this.add(at, 'boolean', 'This must be true or false.');
    return value === true;
  }

  integer(at: string, value: unknown, [min, max]: readonly [number, number]): number {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
      return value as number;
    this.add(at, 'integer', `This must be a whole number from ${min} to ${max}.`);
    return min;
  }

  /** A number as decimal text, with at most 4 decimals. */
  decimal(at: string, value: unknown): string {
    return rateText(this.rate(at, value));
  }

  rate(at: string, value: unknown): number {
    const rate = typeof value === 'string' || typeof value === 'number' ? parseRate(value) : null;
    if (rate === null) this.add(at, 'numeric', 'Use a number of 0 or more with at most four decimals.');
    return rate ?? 0;
  }
}

const RULE_KEYS = [
  'key',
  'title',
  'event',
  'scope',
  'scope_ids',
  'when',
  'reward',
  'priority',
  'stop',
  'goal',
] as const;
const REWARD_KEYS = ['kind', 'value', 'every', 'cap', 'months', 'payments', 'hold_days'] as const;
