import { createHash } from 'node:crypto';
import type { RewardBody } from '../../core/rewards/types.js';

/** Equal for equal rules. */
export const bodyHash = (body: RewardBody): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('hex');
