import { createHash } from 'node:crypto';
import type { RewardBody } from '../../core/rewards/types.js';

/** The same for the same rules. */
export const bodyHash = (body: RewardBody): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('hex');
