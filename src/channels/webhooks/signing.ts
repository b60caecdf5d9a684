import { createHmac } from 'node:crypto';

/** `whsec_` and the key in base64, as Standard Webhooks writes secrets. */
export const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The header `webhook-signature`: one `v1,…` for each secret, HMAC-SHA256 over `id.timestamp.body` in base64.
 */
export function signatureHeader({ id, timestamp, body }: SignedMessage, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
