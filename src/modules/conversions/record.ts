import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import { siteDay } from '../../core/dates.js';
import { fail } from '../../errors.js';
import type { NewReferral, Referral } from '../referrals/types.js';
import { CommissionMaker, type RenewalTerms } from './amount.js';
import { Attribution, type Credit } from './attribution.js';
import { withinCap } from './cap.js';
import { FraudRules } from './fraud.js';
import { Guards, orderData } from './guards.js';
import { checkConversion } from './input.js';
import { dedupKey, differences, fingerprint } from './keys.js';
import { Renewals } from './renewal.js';
import { countSkip, insertSkipped } from './repository.js';
import { filteredRow, referralRow, suspected } from './row.js';
import type { Conversion, ConversionInput, SkipReason } from './types.js';

export interface Recorded {
  readonly referral: Referral | null;
  readonly created: boolean;
  readonly reason: SkipReason | null;
}
interface Ready { readonly row: NewReferral; readonly credit: Credit; readonly conversion: Conversion; readonly renewal?: RenewalTerms }
type Prepared = Ready | { readonly skip: SkipReason; readonly affiliateId: number | null };

/** Somebody else stored the same order meanwhile; thrown to leave no trace of ours. */
class Lost extends Error {
  constructor(readonly stored: Referral) { super('stored already'); }
}

/** From an order to a referral: attribution, guards and filters first, then everything stored in one transaction. */
export class Recorder {
  readonly #attribution: Attribution;
  readonly #guards: Guards;
  readonly #commissions: CommissionMaker;
  readonly #renewals: Renewals;
  readonly #fraud: FraudRules;

  constructor(private readonly app: App) {
    this.#attribution = new Attribution(app);
    this.#guards = new Guards(app);
    this.#commissions = new CommissionMaker(app);
    this.#renewals = new Renewals(app);
    this.#fraud = new FraudRules(app);
  }

  async record(req: IncomingMessage | null, input: ConversionInput): Promise<Recorded> {
    const { currency } = await this.app.settings.referralConfig();
    const submitted = checkConversion(input, currency);
    const mark = fingerprint(input);
    const stored = await this.app.referrals.findByKey(keyOf(submitted));
    if (stored) return repeated(stored, mark);
    const filtered = await this.#filtered(input);
    if (filtered === null) return this.#skip(submitted, { skip: 'no_order_data', affiliateId: null });
    const conversion = filtered === input ? submitted : checkConversion(filtered, currency);
    const prepared = await this.#prepare(conversion, { input: filtered, req, mark });
    if ('skip' in prepared) return this.#skip(conversion, prepared);
    try {
      return await this.#store(prepared);
    } catch (error) {
      if (error instanceof Lost) return repeated(error.stored, mark);
      throw error;
    }
  }

  /** The normalised order, as extensions of this provider change it; nothing left means no referral. */
  async #filtered(input: ConversionInput): Promise<ConversionInput | null> {
    const name = `formatted_order_data_by_${input.provider}` as const;
    if (!this.app.hooks.isUsed(name)) return input;
    const answer = await this.app.hooks.applyFilters(name, orderData(input), input.vendor_order ?? null);
    if (answer === null || Object.keys(answer).length === 0) return null;
    const { provider, reference = null, sub_reference: sub = null, account = '' } = input;
    // What the order is called is not for a filter to change: its key was looked up already.
    return { ...input, ...(answer as Partial<ConversionInput>), provider, reference, sub_reference: sub, account };
  }

  async #prepare(conversion: Conversion, context: { input: ConversionInput; req: IncomingMessage | null; mark: string }): Promise<Prepared> {
    const renewed = conversion.subscription?.phase === 'renewal' ? await this.#renewals.find(conversion) : null;
    if (renewed && 'skip' in renewed) return renewed;
    const found = renewed ?? await this.#attribution.find(conversion, context.req);
    if ('reason' in found) return { skip: found.reason, affiliateId: found.affiliateId };
    const { credit } = found;
    const renewal = renewed?.terms;
    const refused = await this.#guards.check(conversion, credit.affiliate, renewal ? { ...context, req: null } : context);
    if (refused) return { skip: refused, affiliateId: credit.affiliate.id };
    const commission = await this.#commissions.make(conversion, credit, context.input, renewal);
    const parts = { conversion, credit, commission, fingerprint: context.mark, ...(renewal && { parent: renewal.parent }) };
    const hits = renewal ? [] : await this.#fraud.check(conversion, credit, context.req);
    const rejected = hits.find((hit) => hit.action === 'reject');
    if (rejected) return { skip: rejected.rule, affiliateId: credit.affiliate.id };
    const row = await filteredRow(this.app, suspected(referralRow(parts), hits), conversion.provider);
    if (row === null) return { skip: 'zero_amount', affiliateId: credit.affiliate.id };
    return { row, credit, conversion, ...(renewal && { renewal }) };
  }

  async #store({ row, credit, conversion, renewal }: Ready): Promise<Recorded> {
    return this.app.transaction(async (trx, afterCommit) => {
      await this.app.ledger.lock(trx, row.affiliate_id);
      // What the guards saw is looked at again under the lock.
      const affiliate = await this.app.affiliates.find(row.affiliate_id);
      const late = affiliate?.status === 'active' ? renewal && await this.#renewals.limit(renewal) : 'affiliate_inactive';
      if (late) {
        await this.#writeSkip(conversion, { skip: late, affiliateId: affiliate?.id ?? null });
        return { referral: null, created: false, reason: late };
      }
      const buyer = renewal ? null : await this.app.customers.upsert(trx, this.#buyer(conversion), row.affiliate_id);
      const customerId = renewal ? renewal.parent.customer_id : buyer?.customer.id ?? null;
      const capped = await withinCap(this.app, trx, { ...row, customer_id: customerId });
      if (capped === null) {
        await this.#writeSkip(conversion, { skip: 'commission_cap', affiliateId: row.affiliate_id });
        return { referral: null, created: false, reason: 'commission_cap' };
      }
      const { referral, created } = await this.app.referrals.books.insert(trx, capped);
      if (!created) throw new Lost(referral);
      afterCommit(async () => {
        if (buyer?.linked) await this.app.hooks.doAction('customer_linked', buyer.customer, credit.affiliate, null);
        await this.app.referrals.announce(referral);
        if (renewal) await this.app.hooks.doAction('recurring_referral_created', referral);
      });
      return { referral, created, reason: row.settings?.['review'] === 'currency_mismatch' ? 'currency_mismatch' : null };
    });
  }

  #buyer({ customer }: Conversion): Conversion['customer'] {
    return { ...customer, ip: this.app.tracking.storedAddress(customer.ip) };
  }

  async #skip(conversion: Conversion, skipped: { skip: SkipReason; affiliateId: number | null }): Promise<Recorded> {
    await this.#writeSkip(conversion, skipped);
    return { referral: null, created: false, reason: skipped.skip };
  }

  async #writeSkip({ provider, reference, sub_reference: sub }: Conversion, { skip, affiliateId }: { skip: SkipReason; affiliateId: number | null }): Promise<void> {
    const now = this.app.clock.now();
    if (skip === 'no_affiliate') await countSkip(this.app.db, siteDay(now, this.app.host.site().timeZone), skip);
    else await insertSkipped(this.app.db, { provider, provider_id: reference ?? sub ?? '', reason: skip, affiliate_id: affiliateId, created_at: now });
  }
}

const keyOf = ({ provider, reference, sub_reference: sub, account }: Conversion): string => dedupKey(provider, { reference, sub_reference: sub, account });

/** Same key: the stored referral when the data are the same too, else an error that names what differs. */
function repeated(stored: Referral, mark: string): Recorded {
  const fields = stored.payload_hash === null ? [] : differences(stored.payload_hash, mark);
  if (fields.length > 0) fail('conversion_conflict', { data: { fields }, message: `This conversion was recorded with different data: ${fields.join(', ')}.` });
  return { referral: stored, created: false, reason: 'duplicate' };
}
