import { internalEvent } from '../../platform/internal-events.js';
import type { LevelChange } from './types.js';

/** A level moved an affiliate to another group. */
export const levelChanged = internalEvent<LevelChange>('affiliate.level_changed');
