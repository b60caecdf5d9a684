import type { IncomingMessage } from 'node:http';
import type { App } from '../../app.js';
import { siteDay } from '../../core/dates.js';
import type { AfterCommit, Db } from '../../database/db.js';
import { fail } from '../../errors.js';
import { clientAddress } from '../../http/client-address.js';
import type { FraudHit, JudgedOrder, Suspect } from '../fraud/types.js';
import type { NewReferral, Referral } from '../referrals/types.js';
import { CommissionMaker, type RenewalTerms } from './amount.js';
import { Attribution, type Credit } from './attribution.js';
import { withinCap } from './cap.js';
import { isVetoed, orderData } from './guards.js';
import { checkConversion } from './input.js';
import { dedupKey, differences, fingerprint } from './keys.js';
import { Renewals } from './renewal.js';
import { countSkip, firstOfCustomer, insertSkipped } from './repository.js';
import { filteredRow, referralRow, suspected } from './row.js';
import type { Conversion, ConversionInput, SkipReason } from './types.js';

export interface Recorded {
  readonly referral: Referral | null;
  readonly created: boolean;
  readonly reason: SkipReason | null;
}
export interface Books {
  readonly trx: Db;
  readonly afterCommit: AfterCommit;
}

/** Rows of the caller's that are stored with the conversion or not at all. May run more than once, so it touches nothing but the database. */
export interface Alongside {
  /** Before anything else is locked; `skipped`: nothing will be credited. */
  begin(trx: Db, skipped: SkipReason | null): Promise<void>;
  end(books: Books, recorded: Recorded): Promise<void>;
}
interface Ready {
  readonly row: NewReferral;
  readonly credit: Credit;
  readonly conversion: Conversion;
  readonly hits: readonly FraudHit[];
  readonly renewal?: RenewalTerms;
}
interface Skip {
  readonly skip: SkipReason;
  readonly affiliateId: number | null;
  readonly hits?: readonly FraudHit[];
}
type Prepared = Ready | Skip;

/** A person or a bank has judged the customer's first order: later ones are no better. What the shop called off is only the end of lifetime terms. */
const FRAUDULENT: readonly (string | null)[] = ['manual', 'disputed'];

/** Somebody else stored the same order meanwhile; thrown to leave no trace of ours. */
class Lost extends Error {
  constructor(readonly stored: Referral) {
    super('stored already');
  }
}

/** From an order to a referral: attribution, guards and filters first, then everything stored in one transaction. */
export class Recorder {
  readonly #attribution: Attribution;
  readonly #commissions: CommissionMaker;
  readonly #renewals: Renewals;

  constructor(private readonly app: App) {
    this.#attribution = new Attribution(app);
    this.#commissions = new CommissionMaker(app);
    this.#renewals = new Renewals(app);
  }

  /** With `along`, a repeat is the order we have, whatever it says: the caller's own rows decide. */
  async record(req: IncomingMessage | null, input: ConversionInput, along?: Alongside): Promise<Recorded> {
    const { currency } = await this.app.settings.referralConfig();
    const submitted = checkConversion(input, currency);
    const mark = fingerprint(input);
    const stored = await this.app.referrals.findByKey(keyOf(submitted));
    if (stored) return this.#repeated(stored, mark, along);
    const filtered = await this.#filtered(input);
    if (filtered === null) return this.#skip(submitted, { skip: 'no_order_data', affiliateId: null }, along);
    const conversion = filtered === input ? submitted : checkConversion(filtered, currency);
    const prepared = await this.#prepare(conversion, { input: filtered, req, mark });
    if ('skip' in prepared) return this.#skip(conversion, prepared, along);
    try {
      return await this.#together(along, null, (books) => this.#store(prepared, books));
    } catch (error) {
      if (error instanceof Lost) return this.#repeated(error.stored, mark, along);
      throw error;
    }
  }

  async #together(
    along: Alongside | undefined,
    skipped: SkipReason | null,
    work: (books: Books) => Promise<Recorded>,
  ): Promise<Recorded> {
    return this.app.transaction(async (trx, afterCommit) => {
      await along?.begin(trx, skipped);
      const recorded = await work({ trx, afterCommit });
      await along?.end({ trx, afterCommit }, recorded);
      return recorded;
    });
  }

  async #repeated(stored: Referral, mark: string, along: Alongside | undefined): Promise<Recorded> {
    return along ? this.#together(along, null, async () => duplicate(stored)) : repeated(stored, mark);
  }

  /** The normalised order, as extensions of this provider change it; nothing left means no referral. */
  async #filtered(input: ConversionInput): Promise<ConversionInput | null> {
    const name = `formatted_order_data_by_${input.provider}` as const;
    if (!this.app.hooks.isUsed(name)) return input;
    const answer = await this.app.hooks.applyFilters(name, orderData(input), input.vendor_order ?? null);
    if (answer === null || Object.keys(answer).length === 0) return null;
    const { provider, reference = null, sub_reference: sub = null, account = '' } = input;
    // What the order is called is not for a filter to change: its key was looked up already.
    return {
      ...input,
      ...(answer as Partial<ConversionInput>),
      provider,
      reference,
      sub_reference: sub,
      account,
    };
  }

  async #prepare(
    conversion: Conversion,
    context: { input: ConversionInput; req: IncomingMessage | null; mark: string },
  ): Promise<Prepared> {
    const renewed =
      conversion.subscription?.phase === 'renewal' ? await this.#renewals.find(conversion) : null;
    if (renewed && 'skip' in renewed) return renewed;
    const found = renewed ?? (await this.#attribution.find(conversion, context.req));
    if ('reason' in found) return { skip: found.reason, affiliateId: found.affiliateId };
    const { credit } = found;
    const renewal = renewed?.terms;
    const affiliateId = credit.affiliate.id;
    if (conversion.upgrade) return { skip: 'upgrade_order', affiliateId };
    const hits = await this.app.fraud.check(await this.#suspect(conversion, credit, context.req));
    const rejected = hits.find((hit) => hit.action === 'reject');
    if (rejected) return { skip: rejected.rule, affiliateId, hits };
    if (await isVetoed(this.app, conversion, credit.affiliate, { input: context.input, hits }))
      return { skip: 'refused', affiliateId };
    const commission = await this.#commissions.make(conversion, credit, context.input, renewal);
    const parts = {
      conversion,
      credit,
      commission,
      fingerprint: context.mark,
      ...(renewal && { parent: renewal.parent }),
    };
    const row = await filteredRow(this.app, suspected(referralRow(parts), hits), conversion.provider);
    if (row === null) return { skip: 'zero_amount', affiliateId };
    return { row, credit, conversion, hits, ...(renewal && { renewal }) };
  }

  /** Who is in front of the request is the buyer, unless staff entered the order or a subscription renewed itself. */
  async #suspect(
    { customer, created_by_staff: byStaff, subscription, ordered_at: at }: Conversion,
    credit: Credit,
    req: IncomingMessage | null,
  ): Promise<Suspect> {
    const isRenewal = subscription?.phase === 'renewal';
    const present = byStaff || isRenewal ? null : req;
    const { email, user_id, payment_fingerprint, ip } = customer;
    return {
      affiliate: credit.affiliate,
      buyer: { email, user_id, payment_fingerprint },
      visit_id: credit.visit_id,
      isRenewal,
      at: at ?? this.app.clock.now(),
      address: ip ?? (present === null ? null : clientAddress(present, this.app.options.tracking.trustProxy)),
      signedIn: present === null ? null : ((await this.app.host.currentUser(present))?.id ?? null),
    };
  }

  async #store(
    { row, credit, conversion, hits, renewal }: Ready,
    { trx, afterCommit }: Books,
  ): Promise<Recorded> {
    await this.app.ledger.lock(trx, row.affiliate_id);
    // What the guards saw is looked at again under the lock.
    const affiliate = await this.app.affiliates.find(row.affiliate_id);
    const late =
      affiliate?.status === 'active'
        ? renewal && (await this.#renewals.limit(renewal))
        : 'affiliate_inactive';
    if (late)
      return this.#skipped(
        conversion,
        { skip: late, affiliateId: affiliate?.id ?? null },
        { trx, afterCommit },
      );
    const buyer = renewal
      ? null
      : await this.app.customers.upsert(trx, this.#buyer(conversion), row.affiliate_id);
    if (buyer && !buyer.linked && (await this.#hasEnded(trx, credit, buyer.customer.id)))
      return this.#skipped(
        conversion,
        { skip: 'first_rejected', affiliateId: row.affiliate_id },
        { trx, afterCommit },
      );
    const customerId = renewal ? renewal.parent.customer_id : (buyer?.customer.id ?? null);
    const capped = await withinCap(this.app, trx, { ...row, customer_id: customerId });
    if (capped === null)
      return this.#skipped(
        conversion,
        { skip: 'commission_cap', affiliateId: row.affiliate_id },
        { trx, afterCommit },
      );
    const { referral, created } = await this.app.referrals.books.insert(trx, capped);
    if (!created) throw new Lost(referral);
    const suspicion = await this.app.fraud.keep(trx, hits, judged(conversion, row.affiliate_id, referral.id));
    afterCommit(async () => {
      if (buyer?.linked)
        await this.app.hooks.doAction('customer_linked', buyer.customer, credit.affiliate, null);
      await this.app.referrals.announce(referral);
      if (renewal) await this.app.hooks.doAction('recurring_referral_created', referral);
      await this.app.fraud.announce(suspicion);
    });
    return {
      referral,
      created,
      reason: row.settings?.['review'] === 'currency_mismatch' ? 'currency_mismatch' : null,
    };
  }

  #buyer({ customer }: Conversion): Conversion['customer'] {
    return { ...customer, ip: this.app.tracking.storedAddress(customer.ip) };
  }

  /** Was the first order of this customer, by this affiliate, found to be no good? */
  async #hasEnded(trx: Db, { affiliate, source }: Credit, customerId: number): Promise<boolean> {
    const first = await firstOfCustomer(trx, affiliate.id, customerId);
    if (first?.status !== 'rejected') return false;
    return source === 'lifetime'
      ? first.reject_reason !== 'failed'
      : FRAUDULENT.includes(first.reject_reason);
  }

  async #skip(conversion: Conversion, skipped: Skip, along: Alongside | undefined): Promise<Recorded> {
    if (along || skipped.hits)
      return this.#together(along, skipped.skip, (books) => this.#skipped(conversion, skipped, books));
    await this.#writeSkip(conversion, skipped);
    return { referral: null, created: false, reason: skipped.skip };
  }

  async #skipped(conversion: Conversion, skipped: Skip, { trx, afterCommit }: Books): Promise<Recorded> {
    await this.#writeSkip(conversion, skipped);
    if (skipped.hits && skipped.affiliateId !== null) {
      const suspicion = await this.app.fraud.keep(
        trx,
        skipped.hits,
        judged(conversion, skipped.affiliateId, null),
      );
      afterCommit(() => this.app.fraud.announce(suspicion));
    }
    return { referral: null, created: false, reason: skipped.skip };
  }

  async #writeSkip(
    { provider, reference, sub_reference: sub }: Conversion,
    { skip, affiliateId }: Skip,
  ): Promise<void> {
    const now = this.app.clock.now();
    if (skip === 'no_affiliate')
      await countSkip(this.app.db, siteDay(now, this.app.host.site().timeZone), skip);
    else
      await insertSkipped(this.app.db, {
        provider,
        provider_id: reference ?? sub ?? '',
        reason: skip,
        affiliate_id: affiliateId,
        created_at: now,
      });
  }
}

const keyOf = ({ provider, reference, sub_reference: sub, account }: Conversion): string =>
  dedupKey(provider, { reference, sub_reference: sub, account });

const judged = (
  { provider, reference, sub_reference: sub, customer }: Conversion,
  affiliateId: number,
  referralId: number | null,
): JudgedOrder => ({
  affiliate_id: affiliateId,
  referral_id: referralId,
  provider,
  provider_id: reference ?? sub ?? '',
  buyer: customer,
});

/** Same key: the stored referral when the data are the same too, else an error that names what differs. */
function repeated(stored: Referral, mark: string): Recorded {
  const fields = stored.payload_hash === null ? [] : differences(stored.payload_hash, mark);
  if (fields.length > 0)
    fail('conversion_conflict', {
      data: { fields },
      message: `This conversion was recorded with different data: ${fields.join(', ')}.`,
    });
  return duplicate(stored);
}

const duplicate = (stored: Referral): Recorded => ({ referral: stored, created: false, reason: 'duplicate' });
