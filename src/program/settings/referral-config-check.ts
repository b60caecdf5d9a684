import { own } from '../../core/own.js';
import { parseRate } from '../../core/rate.js';
import { FieldCheck } from '../../errors.js';
import { read } from '../../records/checked.js';
import { CONFIG_FIELDS, type CheckContext } from './record.js';
import type { SettingsContributions } from './contributions.js';
import type { Deps } from './deps.js';
import { configDefaults, mergeConfig } from './referral-config.js';

type Values = Readonly<Record<string, unknown>>;

interface Context extends CheckContext {
  pageExists(id: number): Promise<boolean>;
}

const PERCENT_E4 = 1_000_000;

/**
 * The submitted keys that may be saved, each checked and in its stored form (docs/settings.md §6);
 * 422 with every failing field.
 */
export async function checkConfig(
  app: Deps,
  contributions: SettingsContributions,
  { input, previous }: { readonly input: Values; readonly previous: Values },
): Promise<Values> {
  const known = await mergeConfig(app, {});
  const types = await app.hooks.applyFilters('referral_config_field_types', {});
  const context = await contextOf(app, contributions, input);
  const check = new FieldCheck();
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known, key)) continue;
    // A form sends back what it read, and a stored variable may be older than its rule.
    const isStored = key === 'referral_variable' && value === previous[key];
    const result = isStored
      ? read(value)
      : (own(CONFIG_FIELDS, key)?.check(value, context) ?? read(readAs(own(types, key), value)));
    if (result.kind === 'refused') check.add(key, result.rule, result.says);
    else changes[key] = result.value;
  }
  checkPercentages({ ...configDefaults(app.options.currency), ...previous, ...changes }, check);
  const page = Number(changes['dashboard_page_id'] || 0);
  if (page > 0 && !(await context.pageExists(page)))
    check.add('dashboard_page_id', 'exists', 'No such page.');
  check.throwIfAny();
  return changes;
}

/** A value of a key that an extension added. */
function readAs(type: unknown, value: unknown): unknown {
  if (Array.isArray(type)) return type.find((allowed) => String(allowed) === String(value)) ?? type[0];
  if (type === 'text') return String(value ?? '');
  if (type !== 'number' && type !== 'float') return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return 0;
  return type === 'number' ? Math.trunc(number) : number;
}

// Type and rate are checked together when one of the two is sent.
function checkPercentages(merged: Values, check: FieldCheck): void {
  for (const prefix of ['', 'renewal_', 'lifetime_']) {
    const e4 = parseRate(merged[`${prefix}rate`] as number) ?? 0;
    if (merged[`${prefix}rate_type`] === 'percentage' && e4 > PERCENT_E4)
      check.add(`${prefix}rate`, 'max', 'The percentage must be at most 100.');
  }
}

async function contextOf(app: Deps, contributions: SettingsContributions, input: Values): Promise<Context> {
  const formats = 'referral_format' in input ? await contributions.linkForms() : [];
  const pages = app.host.pages;
  return {
    formats: formats.map(({ value }) => value),
    providers: new Set(contributions.providers.keys()),
    pageExists: async (id) => {
      if (!pages) return false;
      if (pages.get) return (await pages.get(id)) !== null;
      return (await pages.list({ search: '', limit: 1000 })).some((page) => page.id === id);
    },
  };
}
