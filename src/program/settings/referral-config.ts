import type { Db } from '../../platform/database/db.js';
import { CONFIG_FIELDS } from './record.js';
import type { Deps } from './deps.js';
import type { ReferralConfigDto } from './schemas.js';
import { RATE_KEYS, type ReferralConfig } from './types.js';

type Stored = Readonly<Record<string, unknown>>;

/** Name of the option row. */
export const REFERRAL_CONFIG = 'referral_config';

/** The configuration a program starts with; its keys are those that can be saved. */
export const configDefaults = (currency: string): ReferralConfigDto => ({
  ...(Object.fromEntries(
    Object.entries(CONFIG_FIELDS).map(([name, { initial }]) => [name, initial]),
  ) as ReferralConfigDto),
  currency,
});

/** Stored values over the defaults, with the keys that extensions added. */
export async function mergeConfig(app: Deps, stored: Partial<ReferralConfigDto>): Promise<ReferralConfigDto> {
  const defaults = await app.hooks.applyFilters(
    'default_referral_settings',
    configDefaults(app.options.currency),
  );
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(stored).filter(([key]) => Object.hasOwn(defaults, key))),
  };
}

/** The key of the stored configuration with earlier link variables; it is not in responses. */
const FORMER = 'former_variables';
const FORMER_MAX = 20;

/** The earlier link variables, the newest first. */
export function formerVariablesOf(stored: Stored, own: string): readonly string[] {
  const former = stored[FORMER];
  return Array.isArray(former) ? former.map(String).filter((name) => name !== own) : [];
}

/** The stored values after a change. A replaced link variable still credits affiliates. */
export function withFormerVariable(previous: Stored, changes: Stored): Record<string, unknown> {
  const old = String(previous['referral_variable'] ?? configDefaults('').referral_variable);
  const own = String(changes['referral_variable'] ?? old);
  const next = { ...previous, ...changes };
  if (own === old) return next;
  const former = [old, ...formerVariablesOf(previous, old)].filter((name) => name !== own);
  return { ...next, [FORMER]: former.slice(0, FORMER_MAX) };
}

/**
 * The typed configuration that the services use; a value that a filter made unusable falls back to its
 * default.
 */
export function readConfig(values: Stored, currency: string): ReferralConfig {
  const all: Stored = { ...configDefaults(currency), ...values };
  return Object.fromEntries(
    Object.entries(CONFIG_FIELDS).map(([name, field]) => [
      'isRate' in field ? `${name}_e4` : name,
      field.read(all[name]),
    ]),
  ) as unknown as ReferralConfig; // made of the same table as its type
}

/** Appends an event when the rates of the program change. */
export async function appendRateChange(
  app: Deps,
  trx: Db,
  { before, after }: { readonly before: Stored; readonly after: Stored },
): Promise<void> {
  const defaults: Stored = configDefaults(app.options.currency);
  const ratesOf = (stored: Stored): Stored =>
    Object.fromEntries(RATE_KEYS.map((key) => [key, stored[key] ?? defaults[key]]));
  const [was, data] = [ratesOf(before), ratesOf(after)];
  if (JSON.stringify(was) === JSON.stringify(data)) return;
  await app.eventLog.append(trx, 'program.rates_changed', { id: 'program', data, before: was });
}
