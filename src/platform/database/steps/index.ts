import type { SchemaStep } from '../migrate.js';
import { erasureStep } from './006-erasure.js';
import { initialStep } from './001-initial.js';

/** In the order they are applied. None is ever removed, since a database may have stopped at any of them. */
export const STEPS: readonly SchemaStep[] = [initialStep, erasureStep];
