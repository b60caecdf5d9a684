import type { Db } from '../../platform/database/db.js';
import type { Needs } from './needs.js';
import { configDefaults } from './referral-config.js';
import { RATE_KEYS } from './types.js';

type Stored = Readonly<Record<string, unknown>>;

/** Records that the program's rates are others now. */
export async function tellRates(
  app: Needs,
  trx: Db,
  { before, after }: { readonly before: Stored; readonly after: Stored },
): Promise<void> {
  const defaults: Stored = configDefaults(app.options.currency);
  const ratesOf = (stored: Stored): Stored =>
    Object.fromEntries(RATE_KEYS.map((key) => [key, stored[key] ?? defaults[key]]));
  const [was, data] = [ratesOf(before), ratesOf(after)];
  if (JSON.stringify(was) === JSON.stringify(data)) return;
  await app.eventLog.tell(trx, 'program.rates_changed', { id: 'program', data, before: was });
}
