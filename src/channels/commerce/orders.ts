import type {
  CommerceProvider,
  OrderEvent,
  Outcome,
  ProviderEvent,
  ProviderOrder,
  RenewalEvent,
} from '../../../adapters/commerce.js';
import type { CreditTo, RecordOutcome, ShopReport } from '../../attribution/conversions/service.js';
import type { ReportedRefund } from '../../accounting/orders/service.js';
import type { Db } from '../../platform/database/db.js';
import type { ConversionInput } from '../../attribution/conversions/types.js';
import type { Deps } from './deps.js';
import { ShopAttribution, type Candidate } from './shop-attribution.js';
import { OrderMoved, type NewOrder, type Order } from '../../accounting/orders/types.js';
import { OrderLookup } from './order-lookup.js';
import { eventFacts } from './order-facts.js';
import { conversionOf, linesOf, rulesOf } from './order-input.js';
import { AWAITS_MONEY, awaitsMoney, mayStillEarn, nameOf, OrderRows } from './order-rows.js';
import {
  awaitKey,
  deferred,
  ignored,
  firstFound,
  NO_ORDER,
  subscriptionKey,
  type EventContext,
  type EventResult,
} from './outcome.js';
import type { CommerceSettings } from './settings.js';
import type { OrderSettlement } from './settlement.js';

type Config = Readonly<Record<string, unknown>>;
type MoneyEvent = OrderEvent | RenewalEvent;
const TRIES = 3;
/** Sources of orders that do not name the shop. */
const UNPLACED: ReadonlySet<string | null> = new Set(['import', 'manual']);

interface OrderToRecord {
  readonly event: MoneyEvent;
  /** The row of this order that so far only names the affiliate. */
  readonly known: Order | null;
  readonly source: string | null;
  readonly candidate: Pick<Candidate, 'affiliate_id' | 'visit_id' | 'click' | 'coupon_click'> | null;
  readonly input: ConversionInput;
  readonly isRenewal: boolean;
}

/**
 * Handles the first event of an order: decides who earns, and stores the record that later events need.
 */
export class NewOrders {
  readonly #attribution: ShopAttribution;
  readonly #rows: OrderRows;
  readonly #known: OrderLookup;

  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly settings: CommerceSettings; readonly settlement: OrderSettlement },
  ) {
    this.#attribution = new ShopAttribution(app);
    this.#rows = new OrderRows(app);
    this.#known = new OrderLookup(app);
  }

  /** Evaluated again when another event of the order was stored meanwhile. */
  async handle(event: MoneyEvent, context: EventContext): Promise<EventResult> {
    return retryWhenMoved(() => this.#handle(event, context));
  }

  async #handle(given: MoneyEvent, context: EventContext): Promise<EventResult> {
    const { provider } = context;
    const known = await this.#known.byName(context, nameOf(provider, given));
    if (known && !(await this.#canBeCredited(known)))
      return this.parts.settlement.reportedAgain(
        known,
        given,
        context,
        await this.#newCredit(known, given, context),
      );
    const config = await this.parts.settings.current(provider);
    // An order that is stored under another name of its shop is not moved.
    const account = known === null || UNPLACED.has(known.source) ? given.account : known.account;
    const event = await withCategories(provider, { ...given, account });
    const isRenewal = event.type === 'subscription.renewed' || event.order.subscription?.phase === 'renewal';
    if (isRenewal) return this.#renewal(event, context, { config, known });
    const first = await this.#firstOrderOf(context, event);
    if (first === null) return this.#sale(event, context, { config, known });
    return event.order.subscription?.phase === 'change' || event.order.upgrade_of !== undefined
      ? this.#change(event, context, { config, known, first })
      : this.#renewal(event, context, { config, known });
  }

  /** The first order of a known subscription that this order also pays for, for any reason. */
  async #firstOrderOf(context: EventContext, event: MoneyEvent): Promise<Order | null> {
    if (!event.order.subscription?.id) return null;
    const first = await this.#parent(context, event);
    const isOwn = first?.reference === event.order.id;
    return first === null || isOwn || first.referral_id === null ? null : first;
  }

  /** A plan or quantity was changed: the affiliate of the subscription earns, if upgrades earn. */
  async #change(
    event: MoneyEvent,
    context: EventContext,
    { config, known, first }: { config: Config; known: Order | null; first: Order },
  ): Promise<EventResult> {
    const { order } = event;
    const candidate = candidateOf(first);
    const input: ConversionInput = {
      ...conversionOf(context.provider, order, event),
      rules: rulesOf(config),
      ...credit(candidate),
      status: event.type === 'order.created' ? 'pending' : 'unpaid',
      upgrade_of: isUpgrade(order, config) ? (order.upgrade_of ?? order.id) : null,
    };
    return this.#recordOrder({ event, known, source: 'renewal', candidate, input, isRenewal: true }, context);
  }

  /** Until an order is paid, a coupon that it gets or loses decides who is credited. */
  async #newCredit(
    known: Order,
    { order }: MoneyEvent,
    { provider }: EventContext,
  ): Promise<CreditTo | null> {
    if (known.affiliate_id === null || !known.reasons.includes('unpaid_order')) return null;
    const found = await this.#attribution.find(provider, order, await this.parts.settings.current(provider));
    const isCoupons = found?.source === 'coupon' || known.source === 'coupon';
    return found !== null && isCoupons && found.affiliate_id !== known.affiliate_id ? found : null;
  }

  /** An order that was not credited is checked again until it is paid. */
  async #canBeCredited(known: Order): Promise<boolean> {
    if (awaitsMoney(known) || !mayStillEarn(known)) return awaitsMoney(known);
    const facts = await this.app.orders.factsOf(known);
    return !facts.some(({ data }) => data.kind === 'payment' && data.state === 'paid');
  }

  /** Stores who brought an order whose payment comes in another event. */
  async attributed(
    event: Extract<ProviderEvent, { type: 'order.attributed' }>,
    context: EventContext,
  ): Promise<EventResult> {
    return retryWhenMoved(async () => {
      const { provider } = context;
      const name = nameOf(provider, event);
      const known = await this.#known.byName(context, name);
      const candidate = known
        ? null
        : await this.#attribution.find(provider, event.order, await this.parts.settings.current(provider));
      if (!known && !candidate) return ignored('no_affiliate');
      const draft = {
        ...draftOf(event.order, { source: candidate?.source ?? null, candidate, isRenewal: false }),
        decision: AWAITS_MONEY,
      };
      return this.app.transaction(async (trx) => {
        const row = known ?? (await this.#rows.save(trx, name, draft, null));
        const ready = await this.#rows.link(trx, row, event.order, context.accounts);
        return context.storeOutcome(
          trx,
          known
            ? { result: 'unchanged', resolved: ready }
            : { result: 'recorded', reason: 'attributed', resolved: ready },
        );
      });
    });
  }

  async lead(
    event: Extract<ProviderEvent, { type: 'lead.created' }>,
    { provider, storeOutcome: done }: EventContext,
  ): Promise<EventResult> {
    const { lead } = event;
    const candidate = await this.#attribution.ofVisitor(provider, lead.attribution, event.at);
    const { reference, account, customer } = conversionOf(
      provider,
      { ...NO_ORDER, id: lead.id, customer: lead.customer },
      event,
    );
    const input: ConversionInput = {
      provider: provider.key,
      reference: reference ?? null,
      sub_reference: 'lead',
      account: account ?? '',
      customer: customer ?? null,
      type: lead.kind,
      status: 'pending',
      ...credit(candidate),
    };
    let handled = ignored('refused');
    await this.app.conversions.reportShopOrder({
      req: null,
      input,
      shop: {
        within: async ({ trx }, recorded) => {
          handled = await done(trx, outcome(recorded));
        },
      },
    });
    return handled;
  }

  async #sale(
    event: MoneyEvent,
    context: EventContext,
    { config, known }: { config: Config; known: Order | null },
  ): Promise<EventResult> {
    const { provider, final } = context;
    const { order, account } = event;
    const { candidate, source } = await this.#credited(context, event, { config, known });
    const subscription = order.subscription?.phase === 'other' ? undefined : order.subscription?.id;
    if (!candidate && order.attribution_within !== undefined && !final)
      return deferred(
        awaitKey(account, subscription ?? order.id),
        this.app.clock.now() + order.attribution_within,
      );
    const input: ConversionInput = {
      ...conversionOf(provider, order, event),
      rules: rulesOf(config),
      ...credit(candidate),
      status: event.type === 'order.created' ? 'pending' : 'unpaid',
      upgrade_of: isUpgrade(order, config) ? (order.upgrade_of ?? order.id) : null,
      ...(subscription && { subscription: { id: subscriptionKey(account, subscription) } }),
    };
    return this.#recordOrder({ event, known, source, candidate, input, isRenewal: false }, context);
  }

  /** The affiliate of the order: from the order itself, else from what was reported before. */
  async #credited(
    context: EventContext,
    { order }: MoneyEvent,
    { config, known }: { config: Config; known: Order | null },
  ): Promise<Pick<OrderToRecord, 'candidate' | 'source'>> {
    const own = await this.#attribution.find(context.provider, order, config);
    if (own) return { candidate: own, source: own.source };
    const held = known ?? (await this.#pendingOrderOf(context, order));
    if (!held?.affiliate_id) return { candidate: null, source: held?.source ?? null };
    return {
      candidate: candidateOf(held),
      source: held.source,
    };
  }

  /**
   * The affiliate of the subscription's first order earns;
   * a subscription that began with nothing to pay begins with this one.
   */
  async #renewal(
    event: MoneyEvent,
    context: EventContext,
    { config, known }: { config: Config; known: Order | null },
  ): Promise<EventResult> {
    const { provider } = context;
    const { order, account } = event;
    const parent = await this.#parent(context, event);
    // Nothing is known of the first payment yet, or only who brought it.
    if (!parent || awaitsMoney(parent))
      return deferred(awaitKey(account, order.subscription?.id || order.id));
    const candidate = candidateOf(parent);
    if (parent.decision === 'zero_amount') {
      const input: ConversionInput = {
        ...conversionOf(provider, order, event),
        rules: rulesOf(config),
        ...credit(candidate),
        status: 'unpaid',
      };
      return this.#recordOrder(
        { event, known, source: parent.source, candidate, input, isRenewal: false },
        context,
      );
    }
    if (parent.referral_id === null) return ignored(parent.decision ?? 'parent_unknown');
    if (config['enable_subscription_renewal'] !== 'yes') return ignored('renewals_disabled');
    const input: ConversionInput = {
      ...conversionOf(provider, order, event),
      rules: rulesOf(config, 'renewal_'),
      status: statusOf(event),
      subscription: {
        id: subscriptionKey(account, order.subscription?.id || parent.reference),
        phase: 'renewal',
        parent_id: parent.referral_id,
      },
    };
    return this.#recordOrder({ event, known, source: 'renewal', candidate, input, isRenewal: true }, context);
  }

  async #parent(context: EventContext, { order }: MoneyEvent): Promise<Order | null> {
    const id = order.subscription?.id;
    return (
      (id ? await this.#known.ofSubscription(context, id) : null) ??
      (id ? await this.#known.byRef(context, id) : null) ??
      this.#known.byRef(context, order.id)
    );
  }

  /** An attribution that arrived before the payment, under one of the order's other ids. */
  async #pendingOrderOf(
    context: EventContext,
    { subscription, refs = [] }: ProviderOrder,
  ): Promise<Order | null> {
    const { provider, accounts } = context;
    const ofSubscription =
      subscription &&
      (await firstFound(accounts, async (account) => {
        const begun = await this.app.orders.ofSubscription(provider.key, account, subscription.id);
        return begun.find(awaitsMoney) ?? null;
      }));
    if (ofSubscription) return ofSubscription;
    return firstFound(refs, async (ref) => {
      const row = await this.#known.byRef(context, ref);
      return row && awaitsMoney(row) ? row : null;
    });
  }

  /**
   * Hooks run first; then referral, customer, counters, the order's record and the delivery are written in one
   * transaction (docs/integrations.md §4).
   */
  async #recordOrder(toRecord: OrderToRecord, context: EventContext): Promise<EventResult> {
    const { event, known, candidate, source, input } = toRecord;
    const { order } = event;
    const refunds = await this.parts.settlement.convertedRefunds(order, event);
    let handled = ignored('refused');
    const shop: ShopReport = {
      couponClick: candidate?.coupon_click ?? null,
      order: {
        paid_at: event.type === 'order.created' ? null : event.at,
        // Without a signature, a person has to decide.
        reasons: source === 'landing' ? ['unsigned'] : [],
        lines: linesOf(order.items),
        source,
        subscription_id: draftOf(order, toRecord).subscription_id ?? null,
        known,
      },
      within: async ({ trx }, recorded) => {
        const result = await this.#storeRows(trx, toRecord, { recorded, refunds }, context);
        handled = await context.storeOutcome(trx, result);
      },
    };
    await this.app.conversions.reportShopOrder({ req: null, click: candidate?.click ?? null, input, shop });
    return handled;
  }

  /** Stores what the order needs besides its commission: its record, its other names, its refunds. */
  async #storeRows(
    trx: Db,
    toRecord: OrderToRecord,
    { recorded, refunds }: { recorded: RecordOutcome; refunds: readonly ReportedRefund[] | undefined },
    { provider, accounts }: EventContext,
  ): Promise<EventResult> {
    const { event, known } = toRecord;
    const { referral, reason } = recorded;
    // No affiliate brought this buyer, so the order has no record.
    if (reason === 'no_affiliate')
      return {
        ...ignored(reason),
        kept: { ref: awaitKey(event.account, event.order.id), event: withoutBuyer(event) },
      };
    const { changes, facts } = this.app.orders;
    const isPaid = event.type !== 'order.created';
    let { order } = recorded;
    if (order === null) {
      const row = { ...draftOf(event.order, toRecord), ...decided(recorded) };
      order = await this.#rows.save(trx, nameOf(provider, event), row, known);
      // Paid without a commission: it is not checked again.
      if (referral === null && isPaid)
        await changes.addFacts([order.id], () => [facts.paymentFact('paid', event.at)], { kind: 'earned' });
    }
    const resolved = await this.#rows.link(trx, order, event.order, accounts);
    const handled = { ...outcome(recorded), resolved };
    if (reason !== 'duplicate' && (refunds ?? []).length === 0) return handled;
    const cause = { kind: 'refunded', refund: true } as const;
    const [added] = await changes.addFacts(
      [order.id],
      (locked) => eventFacts(this.app, locked, event, refunds),
      cause,
    );
    const changed = added !== undefined && this.app.orders.settledOf(added, cause).changed;
    if (recorded.created || !changed) return handled;
    return { result: 'updated', ...(referral && { referral_id: referral.id }), resolved };
  }
}

/** The order without the buyer and how he came. */
const withoutBuyer = (event: MoneyEvent): MoneyEvent =>
  ({ ...event, order: { ...event.order, customer: {}, attribution: {} } }) as MoneyEvent; // the rest is the same

/** What was decided about an order that this report does not credit. */
const decided = ({ referral, reason }: RecordOutcome): Partial<NewOrder> => ({
  decision: referral ? 'recorded' : reason,
  ...(referral && { referral_id: referral.id, customer_id: referral.customer_id }),
  ...(referral?.affiliate_id && { affiliate_id: referral.affiliate_id, visit_id: referral.visit_id }),
});

/** Is it a change of an earlier purchase? Ignored, unless upgrades earn too. */
const isUpgrade = (order: ProviderOrder, config: Config): boolean =>
  (order.upgrade_of !== undefined || order.subscription?.phase === 'change') &&
  config['disable_on_upgrades'] !== 'no';

/** The row of an order before it is credited. */
const draftOf = (
  order: ProviderOrder,
  { source, candidate, isRenewal }: Pick<OrderToRecord, 'source' | 'candidate' | 'isRenewal'>,
): Partial<NewOrder> => ({
  subscription_id: isRenewal || order.subscription?.phase === 'other' ? null : order.subscription?.id || null,
  currency: order.currency,
  affiliate_id: candidate?.affiliate_id ?? null,
  visit_id: candidate?.visit_id ?? null,
  click: candidate?.click ?? null,
  source,
  decision: null,
});

async function retryWhenMoved(work: () => Promise<EventResult>): Promise<EventResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OrderMoved) || tries === TRIES) throw error;
    }
  }
}

/** Asks shops for categories that they do not send with an order. */
async function withCategories(provider: CommerceProvider, event: MoneyEvent): Promise<MoneyEvent> {
  const missing = event.order.items
    .filter((item) => item.product_id !== null && item.category_ids === undefined)
    .map((item) => item.product_id ?? '');
  if (!provider.catalog || !provider.abilities?.has('categories') || missing.length === 0) return event;
  const found = await provider.catalog.categoriesOf([...new Set(missing)]);
  const items = event.order.items.map((item) =>
    item.category_ids === undefined
      ? { ...item, category_ids: found.get(item.product_id ?? '') ?? [] }
      : item,
  );
  return { ...event, order: { ...event.order, items } } as MoneyEvent; // only the items were replaced
}

const statusOf = ({ type }: MoneyEvent): 'pending' | 'unpaid' =>
  type === 'order.created' ? 'pending' : 'unpaid';

const candidateOf = ({ affiliate_id, visit_id, click }: Order): OrderToRecord['candidate'] =>
  affiliate_id === null ? null : { affiliate_id, visit_id, ...(click && { click }) };

const credit = (
  candidate: Pick<Candidate, 'affiliate_id' | 'visit_id'> | null,
): Pick<ConversionInput, 'affiliate' | 'visit_id'> =>
  candidate ? { affiliate: candidate.affiliate_id, visit_id: candidate.visit_id } : {};

function outcome({ referral, created, reason }: RecordOutcome): Outcome {
  if (!referral) return ignored(reason ?? 'refused');
  return {
    result: created ? 'recorded' : 'unchanged',
    referral_id: referral.id,
    ...(reason === null ? {} : { reason }),
  };
}
