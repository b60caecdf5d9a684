import type { Invitation } from './record.js';

export type { Invitation };

export type InvitationKind = Invitation['kind'];

/** `expired` is what an open one becomes by its time. */
export const INVITATION_STATES = ['open', 'expired', 'accepted', 'withdrawn'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

/** Why an address was not invited. */
export const LEFT_OUT_REASONS = ['invalid', 'is_affiliate', 'is_manager', 'invited'] as const;
export interface LeftOut {
  readonly email: string;
  readonly reason: (typeof LEFT_OUT_REASONS)[number];
}

export interface InviteInput {
  readonly emails: readonly string[];
  readonly group_id?: number | null;
  readonly rate_type?: 'default' | 'percentage' | 'flat';
  readonly rate?: string | number | null;
  readonly note?: string | null;
}

export interface ManagerInviteInput {
  readonly emails: readonly string[];
  readonly permissions: readonly string[];
  readonly note?: string | null;
}
