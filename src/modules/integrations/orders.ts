import type { CommerceProvider, OrderEvent, Outcome, ProviderEvent, ProviderOrder, RenewalEvent } from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import { AffiliateError } from '../../errors.js';
import type { ConversionInput, ConversionResult, SkipReason } from '../conversions/types.js';
import { ProviderAttribution, type Candidate } from './attribution.js';
import { amountsOf, conversionOf, ledgerItems, rulesOf } from './order-input.js';
import { addRefs, changeOrder, EMPTY_BOOK, findByRef, findOrder, insertOrder, ordersOfSubscription } from './order-queries.js';
import { awaitKey, deferred, ignored, NO_ORDER, subscriptionKey, type Handled } from './outcome.js';
import type { IntegrationSettings } from './settings.js';
import type { OrderSettlement } from './settlement.js';
import type { LedgerOrder, NewOrder } from './types.js';

type Config = Readonly<Record<string, unknown>>;
type MoneyEvent = OrderEvent | RenewalEvent;

export interface EventContext {
  readonly provider: CommerceProvider;
  /** Its time of waiting is over: judge with what is known. */
  readonly final: boolean;
}
interface Judged {
  readonly event: MoneyEvent;
  readonly source: string | null;
  readonly candidate: { readonly affiliate_id: number; readonly visit_id: number | null } | null;
  readonly input: ConversionInput;
  readonly isRenewal: boolean;
}

/** The first time an order is heard of: who earns, and the row that later events are judged by. */
export class OrderRecorder {
  readonly #attribution: ProviderAttribution;

  constructor(private readonly app: App, private readonly parts: { readonly settings: IntegrationSettings; readonly settlement: OrderSettlement }) {
    this.#attribution = new ProviderAttribution(app);
  }

  async handle(given: MoneyEvent, context: EventContext): Promise<Handled> {
    const known = await findOrder(this.app.db, nameOf(context.provider, given));
    if (known && known.state !== 'attributed') return this.parts.settlement.paid(known, given);
    const config = await this.parts.settings.current(context.provider);
    const event = await withCategories(context.provider, given);
    const isRenewal = event.type === 'subscription.renewed' || event.order.subscription?.phase === 'renewal';
    return isRenewal ? this.#renewal(event, context, config) : this.#sale(event, context, { config, known });
  }

  /** Who brought an order whose money comes in another event. */
  async attributed(event: Extract<ProviderEvent, { type: 'order.attributed' }>, { provider }: EventContext): Promise<Handled> {
    const known = await findOrder(this.app.db, nameOf(provider, event));
    if (known) return { result: 'unchanged', ready: await this.#link(known, event.order) };
    const candidate = await this.#attribution.find(provider, event.order, await this.parts.settings.current(provider));
    if (!candidate) return ignored('no_affiliate');
    const row = await this.#store({ event, provider, state: 'attributed', source: candidate.source, candidate, decision: 'awaits_money' });
    return { result: 'recorded', reason: 'attributed', ready: row.ready };
  }

  async lead(event: Extract<ProviderEvent, { type: 'lead.created' }>, { provider }: EventContext): Promise<Handled> {
    const { lead } = event;
    const candidate = await this.#attribution.ofVisitor(provider, lead.attribution, event.at);
    const { reference, account, customer } = conversionOf(provider, { ...NO_ORDER, id: lead.id, customer: lead.customer }, event.account);
    const result = await this.#recorded({
      provider: provider.key, reference: reference ?? null, sub_reference: 'lead', account: account ?? '', customer: customer ?? null, type: lead.kind,
      status: 'pending', ...credit(candidate),
    });
    return outcome(result);
  }

  async #sale(event: MoneyEvent, { provider, final }: EventContext, { config, known }: { config: Config; known: LedgerOrder | null }): Promise<Handled> {
    const { order, account } = event;
    const own = await this.#attribution.find(provider, order, config);
    const held = own ? null : known ?? await this.#heldFor(provider, account, order);
    const candidate = own ?? (held?.affiliate_id ? { affiliate_id: held.affiliate_id, visit_id: held.visit_id } : null);
    if (!candidate && order.attribution_within !== undefined && !final) {
      return deferred(awaitKey(account, order.subscription?.id ?? order.id), this.app.clock.now() + order.attribution_within);
    }
    const upgrade = (order.upgrade_of !== undefined || order.subscription?.phase === 'change') && config['disable_on_upgrades'] !== 'no';
    const source = own?.source ?? held?.source ?? null;
    const input: ConversionInput = {
      ...conversionOf(provider, order, account), rules: rulesOf(config), ...credit(candidate),
      // What nobody signed is for a person to judge.
      status: event.type === 'order.created' || source === 'landing' ? 'pending' : 'unpaid', upgrade_of: upgrade ? order.upgrade_of ?? order.id : null,
      ...(order.subscription?.id && { subscription: { id: subscriptionKey(account, order.subscription.id) } }),
    };
    return this.#judge({ event, source, candidate, input, isRenewal: false }, provider);
  }

  /** The affiliate of the subscription's first order earns; a subscription that began with nothing to pay begins with this one. */
  async #renewal(event: MoneyEvent, context: EventContext, config: Config): Promise<Handled> {
    const { provider } = context;
    const { order, account } = event;
    const parent = await this.#parent(provider, event);
    // Nothing is known of the first payment yet, or only who brought it.
    if (!parent || parent.state === 'attributed') return deferred(awaitKey(account, order.subscription?.id || order.id));
    if (parent.decision === 'zero_amount') {
      const candidate = parent.affiliate_id === null ? null : { affiliate_id: parent.affiliate_id, visit_id: parent.visit_id };
      const input: ConversionInput = { ...conversionOf(provider, order, account), rules: rulesOf(config), ...credit(candidate), status: 'unpaid' };
      return this.#judge({ event, source: parent.source, candidate, input, isRenewal: false }, provider);
    }
    if (parent.referral_id === null) return ignored(parent.decision ?? 'parent_unknown');
    if (config['enable_subscription_renewal'] !== 'yes') return ignored('renewals_disabled');
    const input: ConversionInput = {
      ...conversionOf(provider, order, account), rules: rulesOf(config, 'renewal_'), status: 'unpaid',
      subscription: { id: subscriptionKey(account, order.subscription?.id || parent.provider_id), phase: 'renewal', parent_id: parent.referral_id },
    };
    return this.#judge({ event, source: 'renewal', candidate: parent.affiliate_id === null ? null : { affiliate_id: parent.affiliate_id, visit_id: parent.visit_id }, input, isRenewal: true }, provider);
  }

  async #parent(provider: CommerceProvider, { order, account }: MoneyEvent): Promise<LedgerOrder | null> {
    const id = order.subscription?.id;
    const first = id ? (await ordersOfSubscription(this.app.db, provider.key, account, id))[0] : undefined;
    return first ?? (id ? await findByRef(this.app.db, provider.key, account, id) : null) ?? findByRef(this.app.db, provider.key, account, order.id);
  }

  /** An attribution that came ahead of the money, under one of the order's other names. */
  async #heldFor(provider: CommerceProvider, account: string, order: ProviderOrder): Promise<LedgerOrder | null> {
    const of = order.subscription ? (await ordersOfSubscription(this.app.db, provider.key, account, order.subscription.id)).find((row) => row.state === 'attributed') : undefined;
    if (of) return of;
    for (const ref of order.refs ?? []) {
      const row = await findByRef(this.app.db, provider.key, account, ref);
      if (row?.state === 'attributed') return row;
    }
    return null;
  }

  async #judge(judged: Judged, provider: CommerceProvider): Promise<Handled> {
    const result = await this.#recorded(judged.input);
    // Nobody brought this buyer: nothing about the order is kept.
    if (result.reason === 'no_affiliate') return ignored('no_affiliate');
    const { event, candidate, source } = judged;
    const { referral, reason } = result;
    const state = event.type === 'order.created' || (reason === 'duplicate' && referral?.status === 'pending') ? 'created' : 'paid';
    const row = await this.#store({
      event, provider, state, source, candidate: referral?.affiliate_id ? { affiliate_id: referral.affiliate_id, visit_id: referral.visit_id } : candidate,
      decision: referral ? 'recorded' : reason, reason: reason === 'duplicate' ? null : reason, referral: referral && { id: referral.id, customer_id: referral.customer_id },
      isRenewal: judged.isRenewal,
    });
    if (row.order.state !== 'attributed' && (!row.created || reason === 'duplicate' || (event.order.refunds?.length ?? 0) > 0)) {
      const settled = await this.parts.settlement.paid(row.order, event);
      return { ...(result.created ? outcome(result) : settled), ready: row.ready };
    }
    return { ...outcome(result), ready: row.ready };
  }

  /** A repeat with other data is the order we have: its row decides, not the repeat. */
  async #recorded(input: ConversionInput): Promise<ConversionResult> {
    try {
      return await this.app.conversions.record(null, input);
    } catch (error) {
      if (!(error instanceof AffiliateError) || error.code !== 'conversion_conflict') throw error;
      const key = { reference: input.reference ?? null, sub_reference: input.sub_reference ?? null, account: input.account ?? '' };
      return { referral: await this.app.conversions.find(input.provider, key), created: false, reason: 'duplicate' };
    }
  }

  async #store(row: {
    event: { at: number; account: string; order: ProviderOrder }; provider: CommerceProvider; state: 'attributed' | 'created' | 'paid'; source: string | null;
    candidate: { affiliate_id: number; visit_id: number | null } | null; decision: string | null; reason?: SkipReason | null;
    referral?: { id: number; customer_id: number | null } | null; isRenewal?: boolean;
  }): Promise<{ order: LedgerOrder; created: boolean; ready: string[] }> {
    const { event, provider, candidate } = row;
    const config = await this.app.settings.referralConfig();
    const full: NewOrder = {
      ...nameOf(provider, event), subscription_id: row.isRenewal ? null : event.order.subscription?.id || null, state: row.state, event_at: event.at, currency: event.order.currency,
      totals: amountsOf(event.order.totals, event.order.items, { ...config, include_fees: this.app.options.includeFees }), items: ledgerItems(event.order.items), refunds: EMPTY_BOOK,
      customer_id: row.referral?.customer_id ?? null, affiliate_id: candidate?.affiliate_id ?? null, visit_id: candidate?.visit_id ?? null,
      source: row.source, decision: row.decision, reason: row.reason ?? null, referral_id: row.referral?.id ?? null,
    };
    return this.app.transaction(async (trx) => {
      const now = this.app.clock.now();
      const created = await insertOrder(trx, full, now) !== null;
      let order = await findOrder(trx, full);
      if (order && !created && order.state === 'attributed' && row.state !== 'attributed') {
        await changeOrder(trx, order.id, full, now);
        order = { ...full, id: order.id };
      }
      if (!order) throw new Error('The row of an order that was just stored is gone.');
      return { order, created, ready: await this.#link(order, event.order) };
    });
  }

  /** The order's other names; returns everything that may have waited for it. */
  async #link(row: LedgerOrder, order: ProviderOrder): Promise<string[]> {
    const names = (order.refs ?? []).filter((ref) => ref !== '' && ref !== order.id);
    await addRefs(this.app.db, row, names);
    return [order.id, ...names, ...(row.subscription_id === null ? [] : [row.subscription_id])].map((ref) => awaitKey(row.account, ref));
  }
}

/** Shops that do not send categories with an order are asked for them. */
async function withCategories(provider: CommerceProvider, event: MoneyEvent): Promise<MoneyEvent> {
  const missing = event.order.items.filter((item) => item.product_id !== null && item.category_ids === undefined).map((item) => item.product_id ?? '');
  if (!provider.catalog || !provider.abilities?.has('categories') || missing.length === 0) return event;
  const found = await provider.catalog.categoriesOf([...new Set(missing)]);
  const items = event.order.items.map((item) => (item.category_ids === undefined ? { ...item, category_ids: found.get(item.product_id ?? '') ?? [] } : item));
  return { ...event, order: { ...event.order, items } } as MoneyEvent; // only the items were replaced
}

const nameOf = (provider: CommerceProvider, { account, order }: { account: string; order: ProviderOrder }): Pick<LedgerOrder, 'provider' | 'account' | 'provider_id' | 'sub_id'> =>
  ({ provider: provider.key, account, provider_id: order.id, sub_id: order.sub_id ?? '' });

const credit = (candidate: Pick<Candidate, 'affiliate_id' | 'visit_id'> | null): Pick<ConversionInput, 'affiliate' | 'visit_id'> =>
  (candidate ? { affiliate: candidate.affiliate_id, visit_id: candidate.visit_id } : {});

function outcome({ referral, created, reason }: ConversionResult): Outcome {
  if (!referral) return ignored(reason ?? 'refused');
  return { result: created ? 'recorded' : 'unchanged', referral_id: referral.id, ...(reason === null ? {} : { reason }) };
}
