import { sameBytes } from '../../src/core/constant-time.js';
import type { CommerceProvider, Delivery, Verdict } from '../commerce.js';
import { readEvent } from './standard-event.js';
import { fields } from './reading.js';
import { checkSecrets, fromBase64, hmac, refused, secretList, VERIFIED, type Secrets } from './signature.js';

const TOLERANCE_MS = 300_000;
const PREFIX = 'whsec_';

export interface StandardOptions extends Pick<
  CommerceProvider,
  | 'mode'
  | 'enabled'
  | 'aliases'
  | 'abilities'
  | 'extraFields'
  | 'catalog'
  | 'orderUrl'
  | 'couponAffiliate'
  | 'trustAffiliateId'
  | 'acceptUnsigned'
> {
  readonly key: string;
  /** `whsec_` followed by base64. */
  readonly secrets: Secrets;
  readonly title?: string;
  readonly description?: string;
}

/**
 * For shops of your own, in any language: events in the open Standard Webhooks format, amounts as decimal
 * text.
 */
export function standardProvider({
  key,
  secrets,
  title = key,
  description = 'Orders sent as signed events.',
  ...more
}: StandardOptions): CommerceProvider {
  checkSecrets(key, secrets);
  return {
    abilities: new Set(['coupons', 'renewals', 'upgrades', 'products', 'categories', 'disputes']),
    ...more,
    key,
    info: { title, description, type: 'commerce' },
    webhook: {
      reportsUnreadable: true,
      verify: (delivery, now) => verify(delivery, secrets, now),
      deliveryKey: (delivery) => delivery.header('webhook-id') ?? '',
      parse: (delivery) => {
        const event = readEvent(fields(delivery.json), Number(delivery.header('webhook-timestamp')) * 1000);
        return event === null ? [] : [event];
      },
    },
  };
}

function verify({ body, header }: Delivery, secrets: Secrets, now: number): Verdict {
  const [id, timestamp, signatures] = [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
  ];
  if (!id || !timestamp || !signatures) return refused(400, 'missing');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS)
    return refused(400, 'age');
  const given = signatures
    .split(' ')
    .slice(0, 20)
    .flatMap((part) => (part.startsWith('v1,') ? [fromBase64(part.slice(3))] : []));
  // An empty key is no secret.
  const keys = secretList(secrets)
    .map((secret) => Buffer.from(secret.replace(PREFIX, ''), 'base64'))
    .filter((key) => key.length > 0);
  const expected = keys.map((key) => hmac(key, `${id}.${timestamp}.`, body));
  return expected.some((each) => given.some((signature) => sameBytes(each, signature)))
    ? VERIFIED
    : refused(400, 'wrong');
}
