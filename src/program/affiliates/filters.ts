import { parseAmount } from '../../core/money.js';
import { plainLine } from '../../core/text.js';
import { failFields, FieldCheck } from '../../errors.js';
import type { SearchKind } from '../../records/search.js';
import { affiliates } from './record.js';

// `filters[key][operator]` and `filters[key][value]` of the affiliate list (docs/interface.md §6.2).

export type Operator = '=' | '!=' | 'gt' | 'lt' | 'includes' | 'not_includes' | 'IN';
export type ColumnKind = SearchKind;

export interface Condition {
  readonly column: string;
  readonly kind: ColumnKind;
  readonly operator: Operator;
  /**
   * One value, or several for IN: minor units or counts as numbers, text and parts of text for "contains" as
   * text.
   */
  readonly values: readonly (string | number)[];
}

export interface ParsedFilters {
  readonly conditions: readonly Condition[];
  /** Members of these groups; null when not asked for. */
  readonly groupIds: readonly number[] | null;
}

export const OPERATORS = [
  '=',
  '!=',
  'gt',
  'lt',
  'includes',
  'not_includes',
  'IN',
] as const satisfies readonly Operator[];
const MAX_KEYS = 20;
const MAX_LIST = 1000;

/** Ignores unknown keys, missing operators and blank values; 0 is a value. */
export function parseFilters(filters: unknown, currency: string): ParsedFilters {
  if (typeof filters !== 'object' || filters === null) return { conditions: [], groupIds: null };
  const entries = Object.entries(filters);
  if (entries.length > MAX_KEYS) failFields({ filters: { max: `Use at most ${MAX_KEYS} filters.` } });
  const conditions: Condition[] = [];
  let groupIds: readonly number[] | null = null;
  for (const [key, filter] of entries) {
    const { operator, value } = (filter ?? {}) as { readonly operator?: unknown; readonly value?: unknown };
    const values = listOf(value);
    if (values.length === 0) continue;
    if (key === 'group') groupIds = values.map(Number).filter((id) => Number.isSafeInteger(id));
    const condition = Object.hasOwn(affiliates.filters, key)
      ? toCondition(key, operator, Array.isArray(value), values, currency)
      : null;
    if (condition) conditions.push(condition);
  }
  return { conditions, groupIds };
}

/** Refuses filters that a list ignores: an export would hand out every row. */
export function refuseUnread(filters: unknown, currency: string): void {
  const check = new FieldCheck();
  for (const [key, filter] of Object.entries(filters ?? {})) {
    const { conditions, groupIds } = parseFilters({ [key]: filter }, currency);
    if (conditions.length > 0 || groupIds !== null) continue;
    const field = /^\w{1,64}$/.test(key) ? `filters.${key}` : 'filters';
    const names = ['group', ...Object.keys(affiliates.filters)].join(', ');
    check.add(field, 'in', `This filter is not supported. Filter by: ${names}.`);
  }
  check.throwIfAny();
}

function listOf(value: unknown): readonly (string | number)[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MAX_LIST) failFields({ filters: { max: `Use at most ${MAX_LIST} values in a filter.` } });
  return list.filter(
    (item): item is string | number =>
      typeof item === 'number' || (typeof item === 'string' && item.trim() !== ''),
  );
}

function toCondition(
  key: string,
  operator: unknown,
  isList: boolean,
  given: readonly (string | number)[],
  currency: string,
): Condition | null {
  const field = affiliates.filters[key];
  if (
    !field ||
    typeof operator !== 'string' ||
    !OPERATORS.some((known) => known === operator) ||
    (isList && operator !== 'IN')
  )
    return null;
  const contains = operator === 'includes' || operator === 'not_includes';
  const values = given.map((value) =>
    contains ? plainLine(String(value)) : readValue(field.kind, operator as Operator, value, currency),
  );
  return { ...field, operator: operator as Operator, values: values.filter((value) => value !== null) };
}

// A value that is not a number of this kind equals nothing. Bounds of counts are whole numbers, like the
// columns.
function readValue(
  kind: ColumnKind,
  operator: Operator,
  value: string | number,
  currency: string,
): string | number | null {
  if (kind === 'text') return plainLine(String(value));
  if (kind === 'amount') return parseAmount(value, currency);
  const number = Number(value);
  const whole = operator === 'gt' ? Math.floor(number) : operator === 'lt' ? Math.ceil(number) : number;
  return Number.isSafeInteger(whole) ? whole : null;
}

/** Statuses to include; empty means all. */
export function readStatuses(status: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(status) ? status : [status];
  if (list.length > MAX_LIST) failFields({ status: { max: `Use at most ${MAX_LIST} statuses.` } });
  const texts = list
    .filter((item): item is string => typeof item === 'string')
    .map(plainLine)
    .filter((item) => item !== '');
  return texts.includes('all') ? [] : texts;
}
