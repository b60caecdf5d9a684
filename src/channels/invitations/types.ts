export const INVITATION_KINDS = ['affiliate', 'manager'] as const;
export type InvitationKind = (typeof INVITATION_KINDS)[number];

/** `expired` is what an open one becomes by its time. */
export const INVITATION_STATES = ['open', 'expired', 'accepted', 'withdrawn'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

export interface Invitation {
  readonly id: number;
  readonly kind: InvitationKind;
  readonly email: string;
  readonly status: 'open' | 'accepted' | 'withdrawn';
  readonly group_id: number | null;
  readonly rate_type: 'default' | 'group' | 'percentage' | 'flat';
  readonly rate_e4: number | null;
  readonly note: string | null;
  readonly permissions: readonly string[];
  readonly affiliate_id: number | null;
  readonly user_id: number | null;
  readonly created_by: number | null;
  readonly created_at: number;
  readonly sent_at: number;
  readonly expires_at: number;
}

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
