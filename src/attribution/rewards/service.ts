import { dayStart, parseDay } from '../../core/dates.js';
import { DAY } from '../../core/duration.js';
import type { Page } from '../../core/page.js';
import { LINES } from '../../core/text.js';
import { isMap } from '../../core/is-map.js';
import { undecidedPairs } from '../../core/rewards/overlap.js';
import { rateToWire } from '../../core/rate.js';
import { readRewardBody } from '../../core/rewards/read.js';
import { sentenceLanguage } from '../../core/rewards/sentences.js';
import { ruleSentences, termRateSentences, type TermRate } from '../../core/rewards/terms.js';
import type { RewardBody, RewardRule } from '../../core/rewards/types.js';
import { fail, failFields } from '../../errors.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Order } from '../../accounting/orders/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { RulesDto } from '../../accounting/api-schemas.js';
import type { TermsDto } from '../api-schemas.js';
import { explainFrozen } from './explain.js';
import type { Deps } from './deps.js';
import { NO_CONTRIBUTIONS, type RewardContributions, type ShortLink } from './contributions.js';
import { bodyHash } from './hash.js';
import {
  changesFor,
  hasChanges,
  linksIn,
  newDetails,
  ownRules,
  RateMails,
  type RateChanges,
} from './rate-mails.js';
import { presentSet } from './presenter.js';
import { newState, SimulationOperation } from './simulation.js';
import { rewardSets as record } from './record.js';
import * as store from './repository.js';
import type { SimulationScope } from './simulation.js';
import type {
  ActivationInput,
  ActiveRules,
  RateChangeTexts,
  RewardSet,
  RewardSetInput,
  SimulationInput,
  SimulationState,
} from './types.js';

type Sentences = Readonly<Record<string, string>>;

/** The option that names the sets of each time, so that an order finds its set without a query. */
const TIMELINE = 'reward_rules';
const PUBLIC_TERMS = 'reward_terms_public';
const NOTE_MAX = 2000;
const KNOWN_MAX = 20;

interface Span {
  readonly id: number;
  readonly from: number;
  /** Null: no other set follows. */
  readonly until: number | null;
}

/**
 * Rule sets: drafts become active, and the set before retires. An active set never changes, so what an order
 * earned can be computed again at any time (docs/rewards.md).
 */
export class RewardsService {
  /** Sets that are no drafts never change. */
  readonly #known = new Map<number, ActiveRules>();
  #contributions = NO_CONTRIBUTIONS;

  constructor(private readonly app: Deps) {
    app.referrals.contribute({ rules: (referral) => this.explain(referral) });
    app.operations.add(new SimulationOperation(app, () => this.#contributions));
    app.operations.add(new RateMails(app, (sets, affiliates) => this.#changesFor(sets, affiliates)));
  }

  contribute(parts: Partial<RewardContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** Begins to compute what a draft would have paid for the orders of these days, with the refunds of today. */
  async simulate(id: number, input: SimulationInput): Promise<SimulationState> {
    const set = await this.get(id);
    const scope = this.#scopeOf(input);
    const running = await this.app.operations.find('reward_simulation', id);
    if (running?.state === 'running') return this.simulation(id);
    await this.app.transaction(async (trx) => {
      await store.changeSet(trx, id, { simulation: null });
      await this.app.operations.endIn(trx, 'reward_simulation', id);
      const details: Record<string, unknown> = { ...newState(set, scope) };
      const total = await this.app.orders.countBetween(trx, scope);
      await this.app.operations.begin(trx, {
        kind: 'reward_simulation',
        object_id: id,
        done: 0,
        total,
        details,
      });
    });
    await this.app.operations.start('reward_simulation', id);
    return this.simulation(id);
  }

  /** How far a simulation is, or its result. */
  async simulation(id: number): Promise<SimulationState> {
    const { simulation } = await this.get(id);
    const work = await this.app.operations.find('reward_simulation', id);
    if (work !== null)
      return {
        state: work.state === 'stopped' ? 'stopped' : 'running',
        done: work.done,
        total: work.total,
        hash: null,
        result: null,
      };
    if (simulation === null) return { state: 'none', done: 0, total: 0, hash: null, result: null };
    return { state: 'done', done: 0, total: 0, hash: simulation.hash, result: simulation.result };
  }

  #scopeOf({ from, to, affiliates = [], groups = [] }: SimulationInput): SimulationScope {
    const { timeZone } = this.app.host.site();
    const [first, last] = [parseDay(from), parseDay(to)];
    if (first === null || last === null || last < first) return fail('invalid_date_range');
    return { from: dayStart(first, timeZone), until: dayStart(last + 1, timeZone), affiliates, groups };
  }

  /**
   * The rules and rates of a commission: what counted, what did not and why. Null where no facts are stored.
   */
  async explain(referral: Referral): Promise<RulesDto | null> {
    const order = await this.app.orders.ofReferral(referral.id);
    const frozen = order?.terms?.pricing?.rewards;
    if (!order || !frozen) return null;
    const rules = (frozen.set && (await this.rulesOf(frozen.set.id))?.rules) ?? frozen.rules;
    return explainFrozen(frozen, { rules, ...commissionFields(order, referral) });
  }

  /**
   * The sentences of the rules that counted for these commissions, and of the rates for the rest, by id and
   * language, for their affiliate. The rules that counted are stored with the order, so no rule set is read.
   */
  async sentencesOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly Sentences[]>> {
    if (ids.length === 0 || (await this.#timeline()).length === 0) return new Map();
    const orders = await this.app.orders.ofReferrals(ids);
    const ruled = [...orders].filter(([, { terms }]) => terms?.pricing?.rewards?.set);
    const referrals = await this.app.referrals.findMany(ruled.map(([id]) => id));
    return new Map(
      ruled.map(([id, order]) => {
        const frozen = order.terms!.pricing!.rewards!; // filtered above
        const { counted } = explainFrozen(frozen, {
          rules: frozen.rules,
          ...commissionFields(order, referrals.get(id)),
        });
        return [id, counted.map(({ sentences }) => sentences)];
      }),
    );
  }

  /** Like `explain`, for rules that an order was only tried with. */
  explainTried(...given: Parameters<typeof explainFrozen>): RulesDto {
    return explainFrozen(...given);
  }

  /** The rules to try: given ones, those of a set, or those that count now. */
  async rulesToTry({
    set_id: id,
    rules,
  }: {
    readonly set_id?: number | undefined;
    readonly rules?: unknown;
  }): Promise<ActiveRules> {
    if (rules !== undefined) return { id: 0, version: 0, ...(await this.#read({ rules })) };
    if (id !== undefined) return (await this.rulesOf(id)) ?? fail('reward_rules_not_found');
    return (await this.at(this.app.clock.now())) ?? fail('reward_rules_not_found');
  }

  async list(query: { readonly page: number; readonly per_page: number }): Promise<Page<RewardSet>> {
    return readPage(this.app.db, record, () => {}, { ...query, order: NEWEST_FIRST });
  }

  async get(id: number): Promise<RewardSet> {
    return (await store.findSet(this.app.db, id)) ?? fail('reward_rules_not_found');
  }

  /** Creates a draft with the next version; `from` names a rule set to begin with. */
  async create(input: RewardSetInput): Promise<RewardSet> {
    const body = await this.#bodyOf(input);
    const note = noteOf(input.note);
    return this.get(await this.app.transaction((trx) => this.#insert(trx, body, note)));
  }

  /** Like `create`, in the caller's transaction, which may take settings' lock. */
  async draftIn(trx: Db, input: Omit<RewardSetInput, 'from'>): Promise<number> {
    return this.#insert(trx, await this.#read({ rules: [], ...input }), noteOf(input.note));
  }

  async #insert(trx: Db, body: RewardBody, note: string | null): Promise<number> {
    await this.#lockTimeline(trx);
    const now = this.app.clock.now();
    const user = this.app.context.current().user?.id ?? null;
    const made = await store.insertSet(trx, {
      version: (await store.highestVersion(trx)) + 1,
      state: 'draft',
      effective_from: null,
      effective_until: null,
      note: note ?? '',
      body,
      simulation: null,
      created_by: user,
      edited_by: user,
      created_at: now,
      updated_at: now,
    });
    await this.app.audit.write(trx, 'reward_rules.created', ['reward_rules', made], {
      after: { ...body, note: note ?? '' },
    });
    return made;
  }

  /** Changes a draft. 422 `reward_rules_not_draft` for any other set. */
  async update(id: number, input: RewardSetInput): Promise<RewardSet> {
    const isBody = input.rules !== undefined || input.levels !== undefined;
    const before = await this.get(id);
    const body = isBody ? await this.#read({ ...before.body, ...input }) : null;
    const note = noteOf(input.note);
    await this.app.transaction(async (trx) => {
      const draft = await this.#lockDraft(trx, id);
      await store.changeSet(trx, id, {
        ...(body !== null && { body, simulation: null }),
        ...(note !== null && { note }),
        edited_by: this.app.context.current().user?.id ?? null,
        updated_at: this.app.clock.now(),
      });
      await this.app.audit.write(trx, 'reward_rules.updated', ['reward_rules', id], {
        before: { ...draft.body, note: draft.note },
        after: { ...(body ?? draft.body), note: note ?? draft.note },
      });
    });
    return this.get(id);
  }

  async remove(id: number): Promise<void> {
    await this.app.transaction(async (trx) => {
      const draft = await this.#lockDraft(trx, id);
      await store.deleteSet(trx, id);
      await this.app.audit.write(trx, 'reward_rules.removed', ['reward_rules', id], {
        before: { version: draft.version },
      });
    });
  }

  /**
   * Makes a draft the set that counts from now, or from a later time. The set before it retires at that time.
   * It does not change the rules of orders that are already recorded.
   */
  async activate(id: number, input: ActivationInput): Promise<RewardSet> {
    const draft = await this.get(id);
    if (draft.state !== 'draft') fail('reward_rules_not_draft');
    await this.#refuseUnapproved(draft);
    const pairs = undecidedPairs(draft.body.rules);
    if (pairs.length > 0)
      fail('reward_rules_undecided', {
        data: { pairs },
        message: `Rules with the same priority can match the same order: ${pairs.map((pair) => pair.join(' and ')).join(', ')}. Give them different priorities.`,
      });
    const now = this.app.clock.now();
    const from = input.effective_from ?? now;
    if (!Number.isSafeInteger(from) || from < now)
      failFields({ effective_from: { min: 'effective_from must not be in the past.' } });
    await this.#refuseUnknownGroups(draft.body);
    await this.app.transaction(async (trx, afterCommit) => {
      const spans = await this.#lockTimeline(trx);
      const locked = await this.#lockDraft(trx, id);
      this.#checkSimulation(locked, input);
      const before = spanAt(spans, from)?.id ?? null;
      await this.#put(trx, afterCommit, spans, { id, from });
      await store.changeSet(trx, id, { state: 'active', effective_from: from, updated_at: now });
      await this.app.audit.write(trx, 'reward_rules.activated', ['reward_rules', id], {
        before: { replaces: spans.at(-1)?.id ?? null },
        after: {
          version: locked.version,
          effective_from: from,
          simulation: input.simulation ?? null,
          without_simulation: input.simulation === undefined,
        },
      });
      const active = { ...locked, state: 'active' as const, effective_from: from };
      await this.app.eventLog.append(trx, 'reward_rules.activated', { id, data: presentSet(active) });
      await this.app.operations.begin(trx, {
        kind: 'reward_mails',
        object_id: id,
        done: 0,
        total: await this.app.affiliates.listing.countMatching({ status: 'active' }),
        details: newDetails(before, id),
      });
      afterCommit(() => this.app.operations.start('reward_mails', id));
    });
    return this.get(id);
  }

  /**
   * Ends the active set without a new one: from now on, the rates of affiliate, group and program count. The
   * affiliates whose rates change are notified.
   */
  async retire(id: number): Promise<RewardSet> {
    await this.app.transaction(async (trx, afterCommit) => {
      const spans = await this.#lockTimeline(trx);
      const set = (await store.lockSet(trx, id)) ?? fail('reward_rules_not_found');
      if (set.state !== 'active') fail('reward_rules_not_active');
      await this.#put(trx, afterCommit, spans, null);
      await this.app.audit.write(trx, 'reward_rules.retired', ['reward_rules', id], {
        before: { version: set.version },
      });
      // affiliates that were not notified of its beginning need no mail
      await this.app.operations.endIn(trx, 'reward_mails', id);
      await this.app.operations.begin(trx, {
        kind: 'reward_mails',
        object_id: id,
        done: 0,
        total: await this.app.affiliates.listing.countMatching({ status: 'active' }),
        details: newDetails(spanAt(spans, this.app.clock.now())?.id ?? id, null),
      });
      afterCommit(() => this.app.operations.start('reward_mails', id));
    });
    return this.get(id);
  }

  /** The rules that count for orders of this time; null without any. */
  async at(time: number): Promise<ActiveRules | null> {
    const span = spanAt(await this.#timeline(), time);
    return span === undefined ? null : this.rulesOf(span.id);
  }

  /**
   * The current rates and rules, as sentences and as data: for all affiliates, or for one. Print it on your
   * own pages, so that they promise what is paid.
   */
  async terms(affiliateId?: number): Promise<TermsDto> {
    const config = await this.app.settings.referralConfig();
    const active = await this.at(this.app.clock.now());
    const affiliate = affiliateId === undefined ? null : await this.app.affiliates.get(affiliateId);
    const all = active?.rules ?? [];
    const links = affiliate === null ? [] : await this.#contributions.links(linksIn(all));
    const rules =
      affiliate === null ? all.filter(({ scope }) => scope === 'program') : ownRules(all, affiliate, links);
    const paths = pathsOf(links);
    const { type, rate, source } = await this.#baseOf(affiliate);
    return {
      version: active?.version ?? null,
      currency: config.currency,
      base: { type, rate },
      rates: (await this.#ratesOf(affiliate, { source, type, rate })).map(({ event, ...own }) => ({
        event,
        ...own,
        sentences: termRateSentences(own, config.currency),
      })),
      rules: rules.map((rule) => {
        const { key, title, event, scope, scope_ids: ids, priority, reward, when } = rule;
        const own =
          scope === 'link' ? ids.map((id) => (typeof id === 'string' ? id : (paths.get(id) ?? ''))) : [];
        const sentences = ruleSentences(rule, config.currency, paths);
        return { key, title, event, scope, links: own, priority, reward, when, sentences };
      }),
    };
  }

  /** The rate that counts where no rule does: the affiliate's, its group's or the program's. */
  async #baseOf(affiliate: Affiliate | null): Promise<TermsDto['base'] & { readonly source: string }> {
    const config = await this.app.settings.referralConfig();
    const own = affiliate && (await this.app.affiliates.rates([affiliate])).get(affiliate.id);
    const { type, rate_e4, source } = own ?? {
      type: config.rate_type,
      rate_e4: config.rate_e4,
      source: 'global',
    };
    return { type: type === 'percentage' ? 'percentage' : 'flat', rate: rateToWire(rate_e4), source };
  }

  async areTermsPublic(): Promise<boolean> {
    return this.app.settings.read(PUBLIC_TERMS, false);
  }

  /** The public terms, without signing in; 404 `terms_not_public` unless an administrator made them public. */
  async publicTerms(): Promise<TermsDto> {
    if (!(await this.areTermsPublic())) fail('terms_not_public');
    return this.terms();
  }

  async publishTerms(isPublic: boolean): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, PUBLIC_TERMS, isPublic);
      const after = { public: isPublic };
      await this.app.audit.write(trx, 'reward_terms.published', ['reward_rules', null], { after });
    });
  }

  /**
   * What the change from one set to the next means for an affiliate, in a language; `set` null: the rules end. Null
   * when it does not count any more.
   */
  async rateChanges(
    affiliate: Affiliate,
    { set: id, before }: { readonly set: number | null; readonly before: number | null },
    language: string | undefined,
  ): Promise<RateChangeTexts | null> {
    const from = await this.#changedAt(id, before);
    if (from === null) return null;
    const [changes] = await this.#changesFor({ before, next: id }, [affiliate]);
    const texts = await this.#changeTexts(changes!, affiliate.id, language);
    // what counts once the rules have ended
    return {
      ...texts,
      from,
      begins: id === null ? [await this.#baseLine(affiliate, language)] : texts.begins,
    };
  }

  /**
   * Changes for the preview of a mail: those that the newest rules brought, or else the newest draft, or else
   * an example.
   */
  async sampleChanges(affiliate: Affiliate | null, language: string | undefined): Promise<RateChangeTexts> {
    const spans = await this.#timeline();
    const [newest] = (await this.list({ page: 1, per_page: 1 })).rows;
    const span = spans.at(-1);
    const set = span === undefined ? (newest ?? null) : await store.findSet(this.app.db, span.id);
    const before = spans.length < 2 ? null : spans.at(-2)!.id;
    const own = affiliate ?? NO_AFFILIATE;
    const [changes] = await this.#changesFor({ before, next: set?.id ?? null }, [own]);
    const shown = changes !== undefined && hasChanges(changes) ? changes : { begins: EXAMPLE, ends: [] };
    return {
      ...(await this.#changeTexts(shown, own.id, language)),
      from: set?.effective_from ?? this.app.clock.now(),
    };
  }

  /** When a change began or begins to count; null when other rules count then. */
  async #changedAt(id: number | null, before: number | null): Promise<number | null> {
    if (id !== null) {
      const set = await store.findSet(this.app.db, id);
      return set?.state === 'active' ? set.effective_from : null;
    }
    const ended = before === null ? null : await store.findSet(this.app.db, before);
    const isOver = (await this.at(this.app.clock.now())) === null;
    return isOver ? (ended?.effective_until ?? null) : null;
  }

  async #changesFor(
    { before, next }: { readonly before: number | null; readonly next: number | null },
    affiliates: readonly Pick<Affiliate, 'id' | 'group_id'>[],
  ): Promise<readonly RateChanges[]> {
    const rulesOf = async (id: number | null): Promise<ActiveRules | null> =>
      id === null ? null : this.rulesOf(id);
    const sets = { old: await rulesOf(before), next: await rulesOf(next) };
    const named = linksIn([...(sets.old?.rules ?? []), ...(sets.next?.rules ?? [])]);
    const links = await this.#contributions.links(named);
    return affiliates.map((affiliate) => changesFor(affiliate, sets, links));
  }

  /** The changes as an affiliate reads them: title and sentence of each rule. */
  async #changeTexts(
    { begins, ends }: RateChanges,
    affiliateId: number,
    language: string | undefined,
  ): Promise<Omit<RateChangeTexts, 'from'>> {
    const { currency } = await this.app.settings.referralConfig();
    const links = await this.#contributions.links(linksIn([...begins, ...ends]));
    const paths = pathsOf(links.filter(({ affiliate_id: of }) => of === affiliateId));
    const lines = (rules: readonly RewardRule[]): string[] =>
      rules.map((rule) => {
        const sentence = ruleSentences(rule, currency, paths)[sentenceLanguage(language)];
        return rule.title === '' ? sentence : `${rule.title}: ${sentence}`;
      });
    return { begins: lines(begins), ends: lines(ends) };
  }

  /** The rate that counts where no rule does, as a sentence. */
  async #baseLine(affiliate: Affiliate, language: string | undefined): Promise<string> {
    const { currency } = await this.app.settings.referralConfig();
    const base = { ...(await this.#baseOf(affiliate)), ...NO_LIMIT };
    return termRateSentences(base, currency)[sentenceLanguage(language)];
  }

  /** Every rate that counts where no rule does. */
  async #ratesOf(
    affiliate: Affiliate | null,
    base: Pick<TermRate, 'source' | 'type' | 'rate'>,
  ): Promise<(TermRate & { readonly event: 'sale' | 'renewal' | 'lead' })[]> {
    const config = await this.app.settings.referralConfig();
    const groupId = affiliate?.group_id ?? null;
    const lifetime = await this.app.groups.lifetimeTerms(groupId);
    const renewal = await this.app.groups.renewalTerms(groupId);
    const { lead_amount_e4: lead } = config;
    const of = (
      event: 'sale' | 'renewal' | 'lead',
      source: string,
      { type, rate_e4 }: { readonly type: TermRate['type']; readonly rate_e4: number },
    ) => ({ event, source, type, rate: rateToWire(rate_e4), ...NO_LIMIT });
    const { enabled, payments, months } = renewal;
    const limits = { payments: payments || null, months: months || null };
    return [
      { event: 'sale', ...base, ...NO_LIMIT },
      ...(lifetime.enabled ? [of('sale', 'lifetime', lifetime)] : []),
      ...(enabled && months !== 0 ? [{ ...of('renewal', 'renewal', renewal), ...limits }] : []),
      ...(lead === 0 ? [] : [of('lead', 'lead', { type: 'flat', rate_e4: lead })]),
    ];
  }

  /** The rules of a set that was active; null when it was deleted. */
  async rulesOf(id: number): Promise<ActiveRules | null> {
    const known = this.#known.get(id);
    if (known) return known;
    const set = await store.findSet(this.app.db, id);
    if (set === null) return null;
    const rules: ActiveRules = { id, version: set.version, ...set.body };
    if (set.state === 'draft') return rules;
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(id, rules);
    return rules;
  }

  /** Closes the span that is open now, and opens the next one. */
  async #put(
    trx: Db,
    afterCommit: AfterCommit,
    spans: readonly Span[],
    next: Omit<Span, 'until'> | null,
  ): Promise<void> {
    const now = this.app.clock.now();
    const at = next?.from ?? now;
    const kept: Span[] = [];
    for (const span of spans) {
      const isOpen = span.until === null || span.until > at;
      // A set that was to begin later than the next one never counts.
      const until = isOpen ? Math.max(at, span.from) : span.until;
      if (isOpen)
        await store.changeSet(trx, span.id, { state: 'retired', effective_until: until, updated_at: now });
      if (span.from < until) kept.push({ ...span, until });
    }
    const all = next === null ? kept : [...kept, { ...next, until: null }];
    await this.app.settings.write(trx, afterCommit, TIMELINE, all);
  }

  async #bodyOf(input: RewardSetInput): Promise<RewardBody> {
    if (input.from === undefined || input.from === null) return this.#read({ rules: [], ...input });
    const { body } = await this.get(idOf(input.from));
    return this.#read({ ...body, ...input });
  }

  /** Reads rules and levels; 422 with a JSON pointer for each mistake. */
  async #read(input: RewardSetInput): Promise<RewardBody> {
    const { body, errors } = readRewardBody(input);
    if (Object.keys(errors).length > 0) failFields(errors);
    return body;
  }

  /** With `approval_above` set, only a user who did not write the draft may activate it, and no API key. */
  async #refuseUnapproved({ created_by, edited_by }: RewardSet): Promise<void> {
    const { approvalAbove } = await this.app.settings.rules();
    const { user, apiKey } = this.app.context.current();
    if (approvalAbove === null || user === null) return;
    if (apiKey !== undefined || user.id === created_by || user.id === edited_by)
      fail('approval_required', {
        message: 'Another user has to activate these rules, in a browser and not with an API key.',
      });
  }

  /** A level moves affiliates to its group, which must exist by then. */
  async #refuseUnknownGroups({ levels }: RewardBody): Promise<void> {
    const steps = levels?.steps ?? [];
    const known = await this.app.groups.findMany(steps.map(({ group }) => group));
    const fields = steps.flatMap(({ group }, at) =>
      known.has(group) ? [] : [[`/levels/steps/${at}/group`, { exists: 'There is no such group.' }] as const],
    );
    if (fields.length > 0) failFields(Object.fromEntries(fields));
  }

  #checkSimulation({ simulation, body }: RewardSet, input: ActivationInput): void {
    if (input.simulation === undefined) {
      if (input.without_simulation !== true) fail('simulation_required');
      return;
    }
    const isKnown =
      simulation !== null &&
      simulation.hash === input.simulation &&
      simulation.body_hash === bodyHash(body) &&
      simulation.ended_at > this.app.clock.now() - DAY;
    if (!isKnown) fail('simulation_outdated');
  }

  async #lockDraft(trx: Db, id: number): Promise<RewardSet> {
    const set = (await store.lockSet(trx, id)) ?? fail('reward_rules_not_found');
    return set.state === 'draft' ? set : fail('reward_rules_not_draft');
  }

  #lockTimeline(trx: Db): Promise<readonly Span[]> {
    return this.app.settings.readLocked<readonly Span[]>(trx, TIMELINE, []);
  }

  #timeline(): Promise<readonly Span[]> {
    return this.app.settings.read<readonly Span[]>(TIMELINE, []);
  }
}

/** The span that contains a time. */
const spanAt = (spans: readonly Span[], time: number): Span | undefined =>
  spans.findLast(({ from, until }) => from <= time && (until === null || until > time));

const pathsOf = (links: readonly ShortLink[]): ReadonlyMap<number, string> =>
  new Map(links.map(({ id, path }) => [id, path]));

const NO_LIMIT = { payments: null, months: null };

/** An affiliate of no group, for whom the rules of the whole program count. */
const NO_AFFILIATE = { id: 0, group_id: null };

/** What the preview of a mail shows while there are no rules. */
const EXAMPLE: readonly RewardRule[] = [
  {
    key: 'example',
    title: '',
    event: 'sale',
    scope: 'program',
    scope_ids: [],
    when: { fact: 'customer.is_new', op: 'eq', value: true },
    reward: { kind: 'percent', value: '15' },
    priority: 0,
    stop: false,
  },
];

/** What a recorded order stores of how its commission was calculated. */
function commissionFields(
  order: Order,
  referral: Referral | undefined,
): { readonly lines: unknown; readonly currency: string; readonly payments: number | null } {
  const commission = referral?.settings?.['commission'];
  const limit = order.terms?.limits?.find(({ kind }) => kind === 'renewals');
  return {
    lines: isMap(commission) ? commission['lines'] : null,
    currency: order.currency,
    payments: limit?.kind === 'renewals' ? limit.count : null,
  };
}

const noteOf = (note: unknown): string | null => {
  if (note === undefined || note === null) return null;
  return typeof note === 'string' && note.length <= NOTE_MAX && LINES.fits(note)
    ? note.trim()
    : failFields({ note: { string: `note must be a text of at most ${NOTE_MAX} characters.` } });
};

const idOf = (id: unknown): number =>
  Number.isSafeInteger(id) && (id as number) > 0
    ? (id as number)
    : failFields({ from: { integer: 'from must be the ID of a rule set.' } });
