/** Whom a message is for: chosen rows, a group, or all affiliates whom the filters of the list match. */
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

export interface MessageInput extends MessageText {
  readonly audience: Audience;
  /** For how many days the portal shows the message too. */
  readonly portal_days?: number | null;
}
