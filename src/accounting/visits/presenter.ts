import type { VisitDto, VisitWithReferralsDto } from '../api-schemas.js';
import { visits } from './record.js';
import type { Visit, VisitReferral } from './types.js';

export const presentVisit = (visit: Visit): VisitDto => visits.present(visit);

export const presentWithReferrals = (
  visit: Visit,
  referrals: readonly VisitReferral[] = [],
): VisitWithReferralsDto => ({ ...presentVisit(visit), referrals });
