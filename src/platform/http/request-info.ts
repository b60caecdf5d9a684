import type { IncomingMessage, ServerResponse } from 'node:http';

/** What handlers, hosts and providers see of a request. */
export interface RequestInfo {
  readonly id: string;
  readonly method: string;
  /** Absolute URL of the route without query, for page envelopes. */
  readonly url: string;
  /** Path below the mount point plus query, exactly as sent. */
  readonly target: string;
  /** The whole parsed body, before unknown keys were dropped. */
  readonly submitted: Readonly<Record<string, unknown>>;
  readonly rawBody: Buffer | undefined;
  readonly formEncoded: boolean;
  readonly ip: string | null;
  readonly secure: boolean;
  readonly raw: IncomingMessage;
  /** For the host only, which may sign a new user in on it. */
  readonly response: ServerResponse;
  header(name: string): string | undefined;
}
