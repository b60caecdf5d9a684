import type { SchemaStep } from '../migrate.js';

/** A repeated request finds the object that its first attempt changed by the request's id. */
export const erasureStep: SchemaStep = {
  id: '006-erasure',
  up: ({ index }) => index('audit', ['request_id']),
};
