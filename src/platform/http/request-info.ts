import type { IncomingMessage, ServerResponse } from 'node:http';

/** What handlers, hosts and providers know of a request. */
export interface RequestInfo {
  readonly id: string;
  readonly method: string;
  /** The absolute URL of the route without query, for the links of pages. */
  readonly url: string;
  /** The path below the mount point and the query, exactly as sent. */
  readonly target: string;
  /** The whole parsed body, including unknown keys. */
  readonly submitted: Readonly<Record<string, unknown>>;
  readonly rawBody: Buffer | undefined;
  readonly formEncoded: boolean;
  readonly ip: string | null;
  readonly secure: boolean;
  readonly raw: IncomingMessage;
  /** Only for the host, which may use it to sign in a new user. */
  readonly response: ServerResponse;
  header(name: string): string | undefined;
}
