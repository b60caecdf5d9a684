import { internalEvent } from '../../platform/internal-events.js';
import type { ApiKey } from './record.js';

/** A key was made, or its rights or its end were changed. */
export const apiKeyGranted = internalEvent<{ readonly apiKey: ApiKey; readonly isNew: boolean }>(
  'api_key.granted',
);
