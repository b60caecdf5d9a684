import { visits } from './record.js';
import type { Visit, VisitReferral } from './types.js';

export const presentVisit = (visit: Visit): Record<string, unknown> => visits.present(visit);

export const presentWithReferrals = (
  visit: Visit,
  referrals: readonly VisitReferral[] = [],
): Record<string, unknown> => ({ ...presentVisit(visit), referrals });
