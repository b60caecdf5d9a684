/** Whom a message is for: chosen rows, a group, or everybody whom the filters of the list match. */
export interface Audience {
  readonly ids?: readonly number[];
  readonly group_id?: number;
  readonly matching?: {
    readonly search?: string;
    readonly status?: string;
    readonly filters?: unknown;
  };
}

export interface MessageText {
  readonly subject: string;
  /** Clean HTML with smart codes. */
  readonly body: string;
}

export interface Message extends MessageText {
  readonly id: number;
  readonly audience: Audience;
  /** `queued`: the outbox is being filled, step by step. */
  readonly status: 'queued' | 'done';
  readonly recipients: number;
  readonly last_affiliate_id: number | null;
  readonly portal_until: number | null;
  readonly created_by: number | null;
  readonly created_at: number;
}

export interface MessageInput extends MessageText {
  readonly audience: Audience;
  /** Days in which the message stands in the portal too. */
  readonly portal_days?: number | null;
}
