import type { WireVisit, WireVisitWithReferrals } from '../../wire-records.js';
import { visits } from './record.js';
import type { Visit, VisitReferral } from './types.js';

export const presentVisit = (visit: Visit): WireVisit => visits.present(visit);

export const presentWithReferrals = (
  visit: Visit,
  referrals: readonly VisitReferral[] = [],
): WireVisitWithReferrals => ({ ...presentVisit(visit), referrals });
