import type { SchemaStep } from '../migrate.js';
import { initialStep } from './001-initial.js';
import { sitesStep } from './003-sites.js';

/** In the order they are applied. None is ever removed, since a database may have stopped at any of them. */
export const STEPS: readonly SchemaStep[] = [initialStep, sitesStep];
