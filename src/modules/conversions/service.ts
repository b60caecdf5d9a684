import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import { toWire } from '../../core/money.js';
import type { Referral } from '../referrals/types.js';
import { Recorder } from './record.js';
import { Settlement } from './settle.js';
import type { ChangeResult, ConversionInput, ConversionResult, ConvertedReferral, OrderKey, RefundInput, RejectReason } from './types.js';

/** Orders become commissions here, from the host's own code, providers and connected sites alike (library §5). */
export class ConversionsService {
  readonly #recorder: Recorder;
  readonly #settlement: Settlement;

  constructor(private readonly app: App) {
    this.#recorder = new Recorder(app);
    this.#settlement = new Settlement(app);
  }

  /** Credits an order; `req` is where the cookie is read, null for server-to-server calls. The same order twice is one referral. */
  async record(req: IncomingMessage | null, input: ConversionInput): Promise<ConversionResult> {
    const result = await this.#recorder.record(req, input);
    return { ...result, referral: await this.#converted(result.referral) };
  }

  /** The order was paid: pending → unpaid. */
  async complete(provider: string, key: OrderKey): Promise<ChangeResult> {
    return this.#answer(await this.#settlement.complete(provider, key));
  }

  /** `refunded_total` is everything refunded so far; a full refund rejects the referral. */
  async refund(provider: string, key: OrderKey, input: RefundInput): Promise<ChangeResult> {
    return this.#answer(await this.#settlement.refund(provider, key, input));
  }

  /** The order came to nothing: canceled, failed, voided, deleted or lost in a dispute. */
  async cancel(provider: string, key: OrderKey, reason: RejectReason = 'canceled'): Promise<ChangeResult> {
    return this.#answer(await this.#settlement.cancel(provider, key, reason));
  }

  async #answer<R extends { readonly referral: Referral | null }>(result: R): Promise<Omit<R, 'referral'> & { referral: ConvertedReferral | null }> {
    return { ...result, referral: await this.#converted(result.referral) };
  }

  async #converted(referral: Referral | null): Promise<ConvertedReferral | null> {
    if (referral === null) return null;
    const currency = referral.currency ?? (await this.app.settings.referralConfig()).currency;
    const { order_total_minor: total } = referral;
    return { ...referral, amount: toWire(referral.amount_minor, currency), order_total: total === null ? null : toWire(total, currency) };
  }
}
