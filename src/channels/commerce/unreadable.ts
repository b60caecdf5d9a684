import type { Delivery, ProviderEvent, WebhookSource } from '../../../adapters/commerce.js';
import { UnreadableField } from '../../core/unreadable-field.js';
import { parseBigJson } from '../../core/big-json.js';
import { namesFit } from './stored-event.js';

/** A delivery that its provider could not read, as it is stored; another version may be able to. */
export class Unreadable {
  constructor(
    readonly raw: string,
    /** The headers that the provider looked at. */
    readonly headers: Readonly<Record<string, string>>,
    readonly problem: Pick<UnreadableField, 'field' | 'problem'> | null,
  ) {}
}

/** The events of a delivery. */
export function readBy(source: WebhookSource, delivery: Delivery): readonly ProviderEvent[] | Unreadable {
  const headers: Record<string, string> = {};
  try {
    const events = source.parse({
      body: delivery.body,
      json: delivery.json,
      header: (name) => {
        const value = delivery.header(name);
        if (value !== undefined) headers[name.toLowerCase()] = value;
        return value;
      },
    });
    return events.every(namesFit) ? events : new Unreadable(delivery.body.toString('utf8'), headers, null);
  } catch (error) {
    const problem = error instanceof UnreadableField ? { field: error.field, problem: error.problem } : null;
    return new Unreadable(delivery.body.toString('utf8'), headers, problem);
  }
}

/** Reads a stored delivery once more. */
export function readAgain(source: WebhookSource, stored: Unreadable): readonly ProviderEvent[] | Unreadable {
  const body = Buffer.from(stored.raw);
  return readBy(source, {
    body,
    json: parseBigJson(body),
    header: (name) =>
      Object.hasOwn(stored.headers, name.toLowerCase()) ? stored.headers[name.toLowerCase()] : undefined,
  });
}

/** The content of a row, if it is a delivery that could not be read. */
export function unreadableIn(event: unknown): Unreadable | null {
  const { raw, headers = {}, problem = null } = (event ?? {}) as Partial<Unreadable>;
  return typeof raw === 'string' ? new Unreadable(raw, headers, problem) : null;
}
