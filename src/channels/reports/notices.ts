import { toIso } from '../../core/dates.js';
import type { Deps } from './deps.js';

/** Something an administrator should look at. */
export interface Notice {
  readonly code: 'deliveries_ignored';
  readonly integration: string;
  readonly count: number;
  /** ISO 8601. */
  readonly last_at: string;
  readonly message: string;
}

/** Shops that send orders although their integration is off, so that no affiliate earns from them. */
export async function notices(app: Deps): Promise<Notice[]> {
  const enabled = new Set(await app.commerce.settings.enabled());
  return (await app.commerce.ignored())
    .filter(({ provider }) => !enabled.has(provider))
    .map(({ provider, count, last }) => ({
      code: 'deliveries_ignored',
      integration: provider,
      count,
      last_at: toIso(last),
      message: `${count === 1 ? '1 delivery' : `${count} deliveries`} of ${provider} ${
        count === 1 ? 'was' : 'were'
      } ignored because this integration is switched off.`,
    }));
}
