import type { ResponseOf } from '../../shared/data.js';
import { RATE_DIGITS } from '../../shared/money.js';
import { parseInput, formatInput } from '../../shared/typed.js';

export type RewardSet = ResponseOf<'rewards.get'>['reward_rules'];
export type Rule = RewardSet['rules'][number];
export type Condition = NonNullable<Rule['when']>;
export type Levels = NonNullable<RewardSet['levels']>;
export const CAPS = ['order', 'customer', 'day', 'month', 'all_time'] as const;
export type CapName = (typeof CAPS)[number];

/** One comparison of a rule as entered; commas separate values. */
export interface Row {
  readonly fact: string;
  readonly op: string;
  readonly value: string;
}

/** A rule as entered. Its position in the list is its priority. */
export interface Draft {
  readonly key: string;
  readonly title: string;
  readonly event: Rule['event'];
  readonly scope: Rule['scope'];
  readonly ids: readonly string[];
  readonly join: 'all' | 'any';
  readonly rows: readonly Row[];
  /** A nested condition, which is edited as JSON. */
  readonly nested: string | null;
  readonly kind: Rule['reward']['kind'];
  readonly value: string;
  readonly every: string;
  readonly months: string;
  readonly payments: string;
  readonly hold_days: string;
  readonly caps: Readonly<Record<CapName, string>>;
  readonly stop: boolean;
  readonly goal: {
    readonly metric: NonNullable<Rule['goal']>['metric'];
    readonly at_least: string;
    readonly window: NonNullable<Rule['goal']>['window'];
    readonly repeat: 'once' | 'each_window';
  };
}

export interface LevelsDraft {
  readonly metric: Levels['metric'];
  readonly window: Levels['window'];
  readonly steps: readonly { readonly at_least: string; readonly group: string }[];
  readonly down: boolean;
  readonly grace_days: string;
}

/** Prefix of short links among the campaigns. */
export const SHORT = 'link:';
const NO_CAPS = { order: '', customer: '', day: '', month: '', all_time: '' };
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A new rule with a key that is not used yet. */
export function newDraft(taken: readonly string[], more: Partial<Draft> = {}): Draft {
  let at = taken.length + 1;
  while (taken.includes(`rule-${at}`)) at += 1;
  return {
    key: `rule-${at}`,
    title: '',
    event: 'sale',
    scope: 'program',
    ids: [],
    join: 'all',
    rows: [],
    nested: null,
    kind: 'percent',
    value: '',
    every: '',
    months: '',
    payments: '',
    hold_days: '',
    caps: NO_CAPS,
    stop: false,
    goal: { metric: 'sales', at_least: '', window: 'month', repeat: 'each_window' },
    ...more,
  };
}

const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOf).join(', ')
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : String(value ?? '');

function rowsOf(when: unknown): Pick<Draft, 'join' | 'rows' | 'nested'> {
  if (when === null || when === undefined) return { join: 'all', rows: [], nested: null };
  const row = (part: unknown): Row | null =>
    isMap(part) && typeof part['fact'] === 'string'
      ? { fact: part['fact'], op: String(part['op']), value: textOf(part['value']) }
      : null;
  const single = row(when);
  if (single) return { join: 'all', rows: [single], nested: null };
  const join = isMap(when) && 'any' in when ? 'any' : 'all';
  const parts = isMap(when) ? when[join] : null;
  const rows = Array.isArray(parts) ? parts.map(row) : [null];
  return rows.includes(null)
    ? { join, rows: [], nested: JSON.stringify(when, null, 2) }
    : { join, rows: rows as Row[], nested: null };
}

const typed = (value: string | number | undefined): string => formatInput(value, '%');
const whole = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** The rules of a set as form values, highest priority first. */
export const draftsOf = (rules: readonly Rule[]): readonly Draft[] =>
  rules
    .toSorted((a, b) => b.priority - a.priority)
    .map((rule) => ({
      ...newDraft([]),
      key: rule.key,
      title: rule.title,
      event: rule.event,
      scope: rule.scope,
      ids: rule.scope_ids.map((id) =>
        rule.scope === 'link' && typeof id === 'number' ? `${SHORT}${id}` : String(id),
      ),
      ...rowsOf(rule.when),
      kind: rule.reward.kind,
      value: typed(rule.reward.value),
      every: whole(rule.reward.every),
      months: whole(rule.reward.months),
      payments: whole(rule.reward.payments),
      hold_days: whole(rule.reward.hold_days),
      caps: {
        ...NO_CAPS,
        ...Object.fromEntries(
          Object.entries(rule.reward.cap ?? {}).map(([name, amount]) => [name, typed(amount)]),
        ),
      },
      stop: rule.stop,
      ...(rule.goal && { goal: { ...rule.goal, at_least: typed(rule.goal.at_least) } }),
    }));

/** The value for the request. Invalid input is sent unchanged, so that the service reports the error. */
const toRequest = (value: string): string => parseInput(value, '%', RATE_DIGITS) ?? value;
const count = (name: string, value: string): object =>
  value.trim() === '' ? {} : { [name]: /^\d+$/.test(value.trim()) ? Number(value) : value };

export type Kinds = ReadonlyMap<string, string>;

function valueOf({ fact, op, value }: Row, kinds: Kinds): unknown {
  const kind = kinds.get(fact);
  if (kind === 'yes_no') return value === 'yes' ? true : value === 'no' ? false : value;
  const isList = op === 'in' || op === 'not_in';
  const one = (text: string): string =>
    kind === 'number' || kind === 'amount' ? toRequest(text.trim()) : text.trim();
  return isList ? value.split(',').map(one) : one(value);
}

function whenOf(draft: Draft, kinds: Kinds): unknown {
  if (draft.event === 'bonus') return null;
  if (draft.nested !== null) {
    try {
      return JSON.parse(draft.nested) as unknown;
    } catch {
      return draft.nested;
    }
  }
  if (draft.rows.length === 0) return null;
  return {
    [draft.join]: draft.rows.map((row) => ({ fact: row.fact, op: row.op, value: valueOf(row, kinds) })),
  };
}

/** The rules for the request. The first has the highest priority. */
export const rulesOf = (drafts: readonly Draft[], kinds: Kinds): Rule[] =>
  drafts.map((draft, at) => {
    const isBonus = draft.event === 'bonus';
    const caps = Object.entries(draft.caps).filter(([, amount]) => amount.trim() !== '');
    const rule = {
      key: draft.key,
      title: draft.title,
      event: draft.event,
      scope: draft.scope,
      scope_ids:
        draft.scope === 'program'
          ? []
          : draft.ids.map((id) =>
              draft.scope !== 'link'
                ? Number(id)
                : id.startsWith(SHORT)
                  ? Number(id.slice(SHORT.length))
                  : id,
            ),
      when: whenOf(draft, kinds),
      reward: {
        kind: isBonus ? 'flat' : draft.kind,
        value: draft.kind === 'none' && !isBonus ? '0' : toRequest(draft.value),
        ...(!isBonus && count('every', draft.every)),
        ...(draft.event === 'renewal' && {
          ...count('months', draft.months),
          ...count('payments', draft.payments),
        }),
        ...count('hold_days', draft.hold_days),
        ...(caps.length > 0 && {
          cap: Object.fromEntries(caps.map(([name, amount]) => [name, toRequest(amount)])),
        }),
      },
      priority: drafts.length - at,
      stop: !isBonus && draft.stop,
      ...(isBonus && { goal: { ...draft.goal, at_least: toRequest(draft.goal.at_least) } }),
    };
    return rule as unknown as Rule; // validated by the service
  });

export const levelsDraft = (levels: Levels | null): LevelsDraft | null =>
  levels && {
    ...levels,
    grace_days: String(levels.grace_days),
    steps: levels.steps.map(({ at_least, group }) => ({ at_least: typed(at_least), group: String(group) })),
  };

export const levelsOf = (draft: LevelsDraft | null): Levels | null =>
  draft && {
    ...draft,
    grace_days: Number(draft.grace_days || '0'),
    steps: draft.steps.map(({ at_least, group }) => ({
      at_least: toRequest(at_least),
      group: Number(group),
    })),
  };
