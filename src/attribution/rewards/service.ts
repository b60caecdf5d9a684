import { dayStart, parseDay } from '../../core/dates.js';
import { DAY } from '../../core/duration.js';
import type { Page } from '../../core/page.js';
import { LINES } from '../../core/text.js';
import { isMap } from '../../core/is-map.js';
import { undecidedPairs } from '../../core/rewards/overlap.js';
import { rateToWire } from '../../core/rate.js';
import { readRewardBody } from '../../core/rewards/read.js';
import { sentenceLanguage } from '../../core/rewards/sentences.js';
import { ruleSentences } from '../../core/rewards/terms.js';
import type { RewardBody, RewardRule } from '../../core/rewards/types.js';
import { fail, failFields } from '../../errors.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { NEWEST_FIRST, readPage } from '../../records/list.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Referral } from '../../accounting/referrals/types.js';
import type { RulesDto, TermsDto } from '../../api-schemas.js';
import { explainFrozen } from './explain.js';
import type { Deps } from './deps.js';
import { NO_CONTRIBUTIONS, type RewardContributions } from './contributions.js';
import { bodyHash } from './hash.js';
import { changesFor, newDetails, RateMails, ruleLine } from './rate-mails.js';
import { presentSet } from './presenter.js';
import { newState, SimulationWork } from './simulation.js';
import { rewardSets as record } from './record.js';
import * as store from './repository.js';
import type { SimulationScope } from './simulation.js';
import type {
  ActivationInput,
  ActiveRules,
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
    app.works.add(new SimulationWork(app, () => this.#contributions));
    app.works.add(new RateMails(app, (id) => this.rulesOf(id)));
  }

  contribute(parts: Partial<RewardContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** Begins to compute what a draft would have paid for the orders of these days, with the refunds of today. */
  async simulate(id: number, input: SimulationInput): Promise<SimulationState> {
    const set = await this.get(id);
    const scope = this.#scopeOf(input);
    const running = await this.app.works.find('reward_simulation', id);
    if (running?.state === 'running') return this.simulation(id);
    await this.app.transaction(async (trx) => {
      await store.changeSet(trx, id, { simulation: null });
      await this.app.works.endIn(trx, 'reward_simulation', id);
      const details: Record<string, unknown> = { ...newState(set, scope) };
      const total = await this.app.orders.countBetween(trx, scope);
      await this.app.works.begin(trx, { kind: 'reward_simulation', object_id: id, done: 0, total, details });
    });
    await this.app.works.start('reward_simulation', id);
    return this.simulation(id);
  }

  /** How far a simulation is, or its result. */
  async simulation(id: number): Promise<SimulationState> {
    const { simulation } = await this.get(id);
    const work = await this.app.works.find('reward_simulation', id);
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

  /** The rules of a commission: what counted, what did not and why. Null without rules. */
  async explain({ id, settings }: Referral): Promise<RulesDto | null> {
    const order = await this.app.orders.ofReferral(id);
    const frozen = order?.terms?.pricing?.rewards;
    if (!order || !frozen?.set) return null;
    const rules = (await this.rulesOf(frozen.set.id))?.rules ?? frozen.rules;
    const commission = settings?.['commission'];
    const lines = isMap(commission) ? commission['lines'] : null;
    return explainFrozen(frozen, { rules, lines, currency: order.currency });
  }

  /**
   * The sentences of the rules that counted for these commissions, by id and language, for their affiliate. The
   * rules that counted are kept with the order, so no rule set is read.
   */
  async sentencesOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly Sentences[]>> {
    if (ids.length === 0 || (await this.#timeline()).length === 0) return new Map();
    const orders = await this.app.orders.ofReferrals(ids);
    const ruled = [...orders].filter(([, { terms }]) => terms?.pricing?.rewards?.set);
    const referrals = await this.app.referrals.findMany(ruled.map(([id]) => id));
    return new Map(
      ruled.map(([id, { terms, currency }]) => {
        const frozen = terms!.pricing!.rewards!; // filtered above
        const commission = referrals.get(id)?.settings?.['commission'];
        const lines = isMap(commission) ? commission['lines'] : null;
        const { counted } = explainFrozen(frozen, { rules: frozen.rules, lines, currency });
        return [id, counted.map(({ sentences }) => sentences)];
      }),
    );
  }

  /** The same for rules that an order was only tried with. */
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

  /** The same in the caller's transaction, which may take settings' lock. */
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
    await this.#log(trx, 'reward_rules.created', made, { after: { ...body, note: note ?? '' } });
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
      await this.#log(trx, 'reward_rules.updated', id, {
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
      await this.#log(trx, 'reward_rules.removed', id, { before: { version: draft.version } });
    });
  }

  /**
   * Makes a draft the set that counts from now, or from a later time. The set before it retires at that time.
   * Orders that are already recorded keep the rules they were recorded with.
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
      const before =
        spans.findLast((span) => span.from <= from && (span.until ?? from + 1) > from)?.id ?? null;
      await this.#put(trx, afterCommit, spans, { id, from });
      await store.changeSet(trx, id, { state: 'active', effective_from: from, updated_at: now });
      await this.#log(trx, 'reward_rules.activated', id, {
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
      await this.app.works.begin(trx, {
        kind: 'reward_mails',
        object_id: id,
        done: 0,
        total: await this.app.affiliates.countMatching({ status: 'active' }),
        details: newDetails(before),
      });
      afterCommit(() => this.app.works.start('reward_mails', id));
    });
    return this.get(id);
  }

  /** Ends the active set without a new one: from now on, the rates of affiliate, group and program count. */
  async retire(id: number): Promise<RewardSet> {
    await this.app.transaction(async (trx, afterCommit) => {
      const spans = await this.#lockTimeline(trx);
      const set = (await store.lockSet(trx, id)) ?? fail('reward_rules_not_found');
      if (set.state !== 'active') fail('reward_rules_not_active');
      await this.#put(trx, afterCommit, spans, null);
      await this.#log(trx, 'reward_rules.retired', id, { before: { version: set.version } });
    });
    return this.get(id);
  }

  /** The rules that count for orders of this time; null without any. */
  async at(time: number): Promise<ActiveRules | null> {
    const spans = await this.#timeline();
    const span = spans.findLast(({ from, until }) => from <= time && (until === null || until > time));
    return span === undefined ? null : this.rulesOf(span.id);
  }

  /**
   * What counts now, as sentences and as data: for everybody, or for one affiliate too. Print it on your own
   * pages, so that they promise what is paid.
   */
  async terms(affiliateId?: number): Promise<TermsDto> {
    const config = await this.app.settings.referralConfig();
    const active = await this.at(this.app.clock.now());
    const affiliate = affiliateId === undefined ? null : await this.app.affiliates.get(affiliateId);
    const isOwn = ({ scope, scope_ids: ids }: RewardRule): boolean =>
      affiliate !== null &&
      ((scope === 'affiliate' && ids.includes(affiliate.id)) ||
        (scope === 'group' && affiliate.group_id !== null && ids.includes(affiliate.group_id)));
    const rules = (active?.rules ?? []).filter((rule) => rule.scope === 'program' || isOwn(rule));
    return {
      version: active?.version ?? null,
      currency: config.currency,
      base: await this.#baseOf(affiliate),
      rules: rules.map((rule) => {
        const { key, title, event, scope, reward, when } = rule;
        return { key, title, event, scope, reward, when, sentences: ruleSentences(rule, config.currency) };
      }),
    };
  }

  /** The rate that counts where no rule does: the affiliate's, its group's or the program's. */
  async #baseOf(affiliate: Affiliate | null): Promise<TermsDto['base']> {
    const config = await this.app.settings.referralConfig();
    const own = affiliate && (await this.app.affiliates.rates([affiliate])).get(affiliate.id);
    const { type, rate_e4 } = own ?? { type: config.rate_type, rate_e4: config.rate_e4 };
    return { type: type === 'percentage' ? 'percentage' : 'flat', rate: rateToWire(rate_e4) };
  }

  async areTermsPublic(): Promise<boolean> {
    return this.app.settings.read(PUBLIC_TERMS, false);
  }

  /** The same for everybody; 404 `terms_not_public` unless an administrator made them public. */
  async publicTerms(): Promise<TermsDto> {
    if (!(await this.areTermsPublic())) fail('terms_not_public');
    return this.terms();
  }

  async publishTerms(isPublic: boolean): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, PUBLIC_TERMS, isPublic);
      const change = { action: 'reward_terms.published', object_type: 'reward_rules', object_id: null };
      await this.app.audit.write(trx, { ...change, after: { public: isPublic } });
    });
  }

  /** What the change from one set to the next means for an affiliate, in the language of the site; null when it never counts. */
  async rateChanges(
    affiliate: Affiliate,
    { set: id, before }: { readonly set: number; readonly before: number | null },
  ): Promise<{ readonly from: number; readonly begins: string[]; readonly ends: string[] } | null> {
    const set = await store.findSet(this.app.db, id);
    if (set === null || set.state !== 'active' || set.effective_from === null) return null;
    const old = before === null ? null : await this.rulesOf(before);
    const { begins, ends } = changesFor(affiliate, old, await this.rulesOf(id));
    const { currency } = await this.app.settings.referralConfig();
    const language = sentenceLanguage(this.app.host.site().language);
    const lines = (rules: readonly RewardRule[]): string[] =>
      rules.map((rule) => ruleLine(rule, currency, language));
    return { from: set.effective_from, begins: lines(begins), ends: lines(ends) };
  }

  /** The rules of a set that was active; null when it is gone. */
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

  /** With `approval_above` set, somebody else than those who wrote the draft activates it, and no API key. */
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

  async #log(
    trx: Db,
    action: string,
    id: number,
    change: { readonly before?: unknown; readonly after?: unknown },
  ): Promise<void> {
    await this.app.audit.write(trx, { action, object_type: 'reward_rules', object_id: id, ...change });
  }
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
