import { isMap } from '../../core/is-map.js';
import { minor, toDecimal } from '../../core/money.js';
import { parseRate } from '../../core/rate.js';
import {
  eventsOf,
  explainRules,
  type ExplainedRule,
  type EvaluatedCondition,
} from '../../core/rewards/evaluate.js';
import {
  rateSentences,
  rateTitle,
  sentencesOf,
  type RewardSentence,
  type SentenceKind,
} from '../../core/rewards/sentences.js';
import type { RewardFacts, RewardRule } from '../../core/rewards/types.js';
import type { FrozenRewards } from '../../accounting/orders/types.js';
import type { RulesDto, SeenConditionDto } from '../../accounting/api-schemas.js';

interface Line {
  readonly source: string;
  /** A percentage as "12.5%", else a flat rate. */
  readonly rate: string;
  readonly base_minor: number;
  readonly amount_minor: number;
}

/** A recorded order, as its rules are explained. */
interface ExplainedOrder {
  readonly rules: readonly RewardRule[];
  /** The lines of its commission. */
  readonly lines: unknown;
  readonly currency: string;
  /** How many payments of a subscription earn by the settings; null without a limit. */
  readonly payments?: number | null;
}

type Counted = RulesDto['counted'][number];
/** What counted, before it is written as a sentence of this kind. */
export type CountedPart = Omit<Counted, 'sentences'> & {
  readonly sentence: SentenceKind;
  readonly currency: string;
};
type Money = (value: number) => string;

/**
 * Explains the rules of a recorded order: those that counted with what they gave when it was recorded, the rates
 * of the settings that counted for the rest, and why the other rules did not.
 */
export function explainFrozen(frozen: FrozenRewards, of: ExplainedOrder): RulesDto {
  const { counted, others } = partsOf(frozen, of);
  return {
    set_id: frozen.set?.id ?? null,
    version: frozen.set?.version ?? null,
    facts: factsShown(frozen.facts),
    facts_hash: frozen.facts_hash,
    counted: counted.map(withSentences),
    others,
  };
}

export const withSentences = ({ sentence, currency, ...part }: CountedPart): Counted => {
  const { from, key, title, values } = part;
  const sentences =
    from === 'settings'
      ? rateSentences(key, { kind: sentence, currency, values })
      : sentencesOf({ kind: sentence, currency, values: { title, ...values } as RewardSentence['values'] });
  return { ...part, sentences };
};

/** What counted for an order, and the rules that did not. */
export function partsOf(
  frozen: Pick<FrozenRewards, 'facts'>,
  of: ExplainedOrder,
): { readonly counted: CountedPart[]; readonly others: RulesDto['others'] } {
  const { rules, currency } = of;
  const asked = explainRules(
    rules.filter(
      ({ event, key }) =>
        eventsOf(frozen.facts.event).includes(event) &&
        (event !== 'bonus' || key === frozen.facts.order['goal.rule']),
    ),
    frozen.facts,
  );
  const lines = linesOf(of.lines);
  // an amount or a rate that the order's source or an extension named is in no line of a rule
  const gave = ({ rule }: ExplainedRule): boolean =>
    !Array.isArray(of.lines) || lines.some(({ source }) => source === `rule:${rule.key}`);
  const isCounted = (each: ExplainedRule): boolean => each.outcome === 'counted' && gave(each);
  const money: Money = (value) => toDecimal(minor(value), currency);
  const ofCurrency = (part: Omit<CountedPart, 'currency'>): CountedPart => ({ ...part, currency });
  return {
    counted: [
      ...asked.filter(isCounted).map(({ rule }) => countedRule(rule, frozen.facts, { lines, money })),
      ...countedRates(lines, { facts: frozen.facts, payments: of.payments ?? null, money }),
    ].map(ofCurrency),
    others: asked
      .filter((each) => !isCounted(each))
      .map((each) => presentOther(each.outcome === 'counted' ? { ...each, outcome: 'later' } : each)),
  };
}

function countedRule(
  rule: RewardRule,
  facts: RewardFacts,
  { lines, money }: { readonly lines: readonly Line[]; readonly money: Money },
): Omit<CountedPart, 'currency'> {
  const own = lines.filter(({ source }) => source === `rule:${rule.key}`);
  const { kind, value, cap } = rule.reward;
  const values = {
    title: titleOf(rule),
    rate: value,
    ...sumsOf(own, money),
    ...(cap?.order !== undefined && isCapped(rule, own) && { cap: cap.order }),
  };
  const goal = goalOf(facts);
  const isOfLead = kind === 'flat' && facts.event === 'lead';
  const sentence = goal !== null ? 'bonus' : isOfLead ? 'lead' : kind;
  return {
    from: 'rules',
    key: rule.key,
    title: values.title,
    kind,
    values: { ...values, ...goal },
    sentence,
  };
}

/** Did the rule give less than its rate? Rounding does not count. */
function isCapped({ reward: { kind, value } }: RewardRule, lines: readonly Line[]): boolean {
  if (kind !== 'percent') return true;
  const sum = (of: 'base_minor' | 'amount_minor'): bigint =>
    lines.reduce((all, line) => all + BigInt(line[of]), 0n);
  return sum('base_minor') * BigInt(parseRate(value) ?? 0) > (sum('amount_minor') + 1n) * 1_000_000n;
}

/** What the rates of affiliate, group, program, renewals and products gave. */
function countedRates(
  lines: readonly Line[],
  {
    facts,
    payments,
    money,
  }: { readonly facts: RewardFacts; readonly payments: number | null; readonly money: Money },
): Omit<CountedPart, 'currency'>[] {
  const rates = new Map<string, Line[]>();
  for (const line of lines) {
    if (line.source.startsWith('rule:')) continue;
    const key = `${line.source}:${line.rate}`;
    rates.set(key, [...(rates.get(key) ?? []), line]);
  }
  return [...rates.values()].map((own): Omit<CountedPart, 'currency'> => {
    const { source, rate } = own[0]!; // no entry is empty
    const isPercent = rate.endsWith('%');
    const payment = facts.order['subscription.payment'];
    const values = {
      rate: isPercent ? rate.slice(0, -1) : rate,
      ...sumsOf(own, money),
      ...(source === 'renewal' &&
        payments !== null &&
        typeof payment === 'string' && { payment, payments: String(payments) }),
    };
    const kind = isPercent ? 'percent' : 'flat';
    const sentence = isPercent ? 'percent' : flatKind(source);
    const title = rateTitle(source, 'en');
    return { from: 'settings', key: source, title, kind, values: { ...values, title }, sentence };
  });
}

function flatKind(source: string): SentenceKind {
  if (source === 'lead') return 'lead';
  return source === 'product' || source === 'category' ? 'per_product' : 'flat';
}

function sumsOf(lines: readonly Line[], money: Money): { readonly base: string; readonly amount: string } {
  const sum = (of: 'base_minor' | 'amount_minor'): string =>
    money(lines.reduce((all, line) => all + line[of], 0));
  return { base: sum('base_minor'), amount: sum('amount_minor') };
}

export const presentOther = ({ rule, outcome, left_out, condition }: ExplainedRule) => ({
  key: rule.key,
  title: titleOf(rule),
  outcome,
  left_out,
  condition: condition && presentCondition(condition),
});

export function presentCondition({
  kind,
  result,
  parts,
  comparison,
  seen,
}: EvaluatedCondition): SeenConditionDto {
  return {
    kind,
    result: result === null ? 'unknown' : result ? 'true' : 'false',
    parts: parts.map(presentCondition),
    ...(comparison && {
      fact: comparison.fact,
      op: comparison.op,
      value: comparison.value,
      seen: seen ?? [],
    }),
  };
}

/** What a goal asked for, and what the affiliate had reached; null for other events. */
function goalOf({
  event,
  order,
}: RewardFacts): { readonly goal: string; readonly reached: string; readonly metric: string } | null {
  if (event !== 'bonus') return null;
  return {
    goal: String(order['goal.at_least'] ?? ''),
    reached: String(order['goal.value'] ?? ''),
    metric: String(order['goal.metric'] ?? ''),
  };
}

const titleOf = ({ title, key }: RewardRule): string => title || key;

const factsShown = ({ order, items, ...scope }: RewardFacts): Readonly<Record<string, unknown>> => ({
  ...scope,
  ...order,
  items,
});

/** The lines of a commission's explanation, as its settings store it. */
function linesOf(lines: unknown): readonly Line[] {
  if (!Array.isArray(lines)) return [];
  return lines.filter(isMap).map((line) => ({
    source: String(line['source']),
    rate: String(line['rate']),
    base_minor: Number(line['base_minor']),
    amount_minor: Number(line['amount_minor']),
  }));
}
