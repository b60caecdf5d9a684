import type { Deps } from './deps.js';
import type { Rate } from './commission.js';

/** What a lead earns: the flat amount of the program; 0 while leads earn nothing. */
export async function leadReward(app: Deps): Promise<Rate> {
  const { lead_amount_e4: amount } = await app.settings.referralConfig();
  return { type: 'flat', rate_e4: amount, source: 'lead' };
}
