import type { Logger } from '../../core/logger.js';
import type { UnknownReason } from '../tracking/types.js';
import type { SkipReason } from './types.js';

/** Log messages for developers about an order of their own shop that was credited to nobody. */
const SENTENCES: Readonly<Record<UnknownReason, string>> = {
  robot:
    'An order was credited to nobody: its request comes from a robot or a command-line tool. ' +
    'Order from a browser, or set `tracking.countTools` while trying it out.',
  no_cookie:
    'An order was credited to nobody: its request carries no cookie of an affiliate link. ' +
    'Come by such a link first, in the same browser, and hand over the request of the buyer.',
  consent: 'An order was credited to nobody: its visitor has not agreed to be followed, or asked not to be.',
};

/** Logs each reason once per process: this helps while a shop is being set up, and is known later. */
export class UnknownBuyers {
  readonly #logged = new Set<SkipReason>();

  constructor(private readonly log: Logger) {}

  report(reason: SkipReason | null, order: { readonly provider: string; readonly reference: unknown }): void {
    if (reason === null || this.#logged.has(reason)) return;
    const sentence = (SENTENCES as Partial<Record<SkipReason, string>>)[reason];
    if (sentence === undefined) return;
    this.#logged.add(reason);
    this.log.warn(sentence, { provider: order.provider, reference: order.reference, reason });
  }
}
