import type { SchemaStep } from '../migrate.js';

/** A payer names an account; its affiliates are found by the mark of their details. */
export const detailsMarksStep: SchemaStep = {
  id: '018-details-marks',
  up: ({ index }) => index('payment_details', ['mark']),
};
