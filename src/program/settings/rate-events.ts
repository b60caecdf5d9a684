import type { Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { configDefaults } from './referral-config.js';
import { RATE_KEYS } from './types.js';

type StoredConfig = Readonly<Record<string, unknown>>;

/** Records that the program's rates are others now. */
export async function appendRateChange(
  app: Deps,
  trx: Db,
  { before, after }: { readonly before: StoredConfig; readonly after: StoredConfig },
): Promise<void> {
  const defaults: StoredConfig = configDefaults(app.options.currency);
  const ratesOf = (stored: StoredConfig): StoredConfig =>
    Object.fromEntries(RATE_KEYS.map((key) => [key, stored[key] ?? defaults[key]]));
  const [was, data] = [ratesOf(before), ratesOf(after)];
  if (JSON.stringify(was) === JSON.stringify(data)) return;
  await app.eventLog.append(trx, 'program.rates_changed', { id: 'program', data, before: was });
}
