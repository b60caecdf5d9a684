import { offsetOf, type Page } from '../../core/page.js';
import { MINUTE, DAY } from '../../core/duration.js';
import { cleanText } from '../../core/text.js';
import type { ResealReport } from '../../platform/secrets.js';
import { fail, failFields } from '../../errors.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import { affiliateSaved, isPaidElsewhere } from '../../program/affiliates/domain-events.js';
import {
  PAYMENT_STATES,
  type BankReport,
  type PayerNews,
  type PaymentDocument,
  type PayoutMethod,
} from '../../accounting/payouts/types.js';
import { PayerCalls } from './calls.js';
import { PaymentDetailsStore, type Details } from './details.js';
import { StatusPolling, refOf } from './status-polling.js';
import { keyDaysOf, within } from './method-facts.js';
import type { Deps } from './deps.js';
import {
  factsOf,
  LEFT_OUT_MAX,
  NOT_SET_UP,
  presentAttempt,
  presentBatch,
  presentOwn,
  presentPlan,
  presentSent,
} from './presenter.js';
import { Reconciliation, type ReconciliationReport } from './reconcile.js';
import { Payers, shownOf } from './registry.js';
import * as store from './repository.js';
import type { AttemptDto, BatchDto, KindDto, OwnMethodDto, PlanDto, SentDto, TestDto } from './schemas.js';
import { Scheduling } from './schedule.js';
import { Resealing } from './resealing.js';
import { PaymentSender, type SendPlan } from './sending.js';
import { PaymentStatusUpdates } from './status-updates.js';
import type { Attempt, Finding } from './record.js';
import type { PayerKind, PayerSettings, PaymentState, Schedule, SentPayment } from './types.js';

const SETTINGS = 'payer_settings';
const UNVERIFIED: RateLimit = { name: 'payer-webhook', points: 60, windowMs: MINUTE, batch: 1 };
const NO_SETTINGS: PayerSettings = { fee_by: 'program', offered: [], schedule: null };
const FINDINGS_MAX = 200;
const REFS_MAX = 500;
const DETAILS_MAX = 20;
const BATCHES_MAX = 1000;
/** What a manager should look at. */
const TO_DO: readonly PaymentState[] = ['unknown', 'held', 'unclaimed'];

/** Sends payments through payers and follows their status (docs/payout-methods.md). */
export class PayersService {
  readonly methods: Payers;
  readonly #details: PaymentDetailsStore;
  readonly #sending: PaymentSender;
  readonly #statusUpdates: PaymentStatusUpdates;
  readonly calls: PayerCalls;
  readonly following: StatusPolling;
  readonly reconciling: Reconciliation;
  readonly scheduling: Scheduling;
  readonly #resealing: Resealing;
  readonly #limiter: RateLimiter;

  /** Seals credentials and the details of payments with the current secret. */
  async resealSecrets(): Promise<ResealReport> {
    const credentials = await this.methods.reseal();
    const details = await this.#resealing.run();
    return { renewed: credentials.renewed + details.renewed, lost: credentials.lost + details.lost };
  }

  constructor(private readonly app: Deps) {
    const payers = (this.methods = new Payers(app));
    const statusUpdates = (this.#statusUpdates = new PaymentStatusUpdates(app));
    app.payouts.contribute({ methods: () => payers.list() });
    this.#details = new PaymentDetailsStore(app);
    const sending = (this.#sending = new PaymentSender(
      app,
      payers,
      this.#details,
      async () => (await this.settings()).fee_by,
    ));
    this.calls = new PayerCalls(app, { payers, sending, statusUpdates });
    const following = (this.following = new StatusPolling(app, { payers, statusUpdates }));
    this.reconciling = new Reconciliation(app, { payers, following, statusUpdates });
    this.scheduling = new Scheduling(app, this);
    this.#resealing = new Resealing(app, { payers, details: this.#details });
    this.#limiter = new RateLimiter(app);
    app.affiliates.addPart({ move: (trx, { from, into }) => store.mergeDetails(trx, from, into) });
    app.internal.on(affiliateSaved, async (trx, { before, after }) => {
      if (isPaidElsewhere(before, after))
        await store.freshDetails(trx, after.id, this.#profileMethods(), app.clock.now());
    });
  }

  /** Methods whose details are those of the profile. */
  #profileMethods(): string[] {
    return this.app.payouts
      .methods()
      .filter(({ details }) => details !== null)
      .map(({ key }) => key);
  }

  async settings(): Promise<PayerSettings> {
    return { ...NO_SETTINGS, ...(await this.app.settings.read<Partial<PayerSettings>>(SETTINGS, {})) };
  }

  async saveSettings(input: Partial<PayerSettings>): Promise<PayerSettings> {
    const before = await this.settings();
    const next: PayerSettings = { ...before, ...input };
    this.#checkSettings(next);
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, SETTINGS, next);
      await this.app.audit.write(trx, 'settings.payers', ['settings', null], { before, after: next });
    });
    if (isOtherSchedule(before.schedule, next.schedule)) await this.scheduling.begin();
    return next;
  }

  #checkSettings({ offered, schedule }: PayerSettings): void {
    const isKnown = (key: string): boolean => this.app.payouts.method(key) !== undefined;
    if (!offered.every(isKnown))
      failFields({ offered: { in: 'Choose methods from the list of payout methods.' } });
    if (schedule === null) return;
    if (!isKnown(schedule.method)) failFields({ 'schedule.method': { in: 'No such payout method.' } });
    const last = schedule.every === 'month' ? 28 : 7;
    if (schedule.day > last) failFields({ 'schedule.day': { max: `Choose a day from 1 to ${last}.` } });
  }

  /** The payers that send, and the built-in ones with what their form asks for. Secrets are never shown. */
  async list(): Promise<{ readonly payers: KindDto[] }> {
    const sending = new Map((await this.methods.list()).map((method) => [method.key, method]));
    const kinds = this.methods.kinds();
    const known = new Set(kinds.map(({ key }) => key));
    const own = [...sending.values()].filter(({ key }) => !known.has(key));
    return {
      payers: [
        ...own.map((method) => ({ ...factsOf(method), fields: {}, credentials: null })),
        ...(await Promise.all(kinds.map((kind) => this.#kind(kind, sending.get(kind.key) ?? null)))),
      ],
    };
  }

  async #kind(kind: PayerKind, method: PayoutMethod | null): Promise<KindDto> {
    const credentials = await this.methods.credentials(kind.key);
    return {
      ...(method ? factsOf(method) : NOT_SET_UP),
      key: kind.key,
      title: kind.title,
      fields: Object.fromEntries(
        Object.entries(kind.fields).map(([name, field]) => [
          name,
          {
            label: field.label,
            secret: Boolean(field.secret),
            required: field.required === true,
            choices: [...(field.choices ?? [])],
          },
        ]),
      ),
      credentials: credentials && {
        shown: shownOf(kind, credentials),
        secrets: Object.keys(kind.fields).filter((name) =>
          Boolean(kind.fields[name]?.secret && credentials[name]),
        ),
      },
    };
  }

  /** Returns, as text, whether the credentials work. */
  async test(key: string): Promise<TestDto> {
    const method = await this.methods.sending(key);
    if (method.test === undefined) return { ok: true, message: 'This payout method needs no connection.' };
    try {
      const wrong = await within(method, () => method.test!());
      return wrong === null
        ? { ok: true, message: 'The connection works.' }
        : { ok: false, message: cleanText(wrong).slice(0, 500) };
    } catch {
      return { ok: false, message: 'The payer did not respond. Check the address and try again.' };
    }
  }

  /** What sending a payout would pay, with fees and whether the account can pay it. */
  async plan(
    payoutId: number,
    key: string,
    { confirm = false }: { readonly confirm?: boolean } = {},
  ): Promise<PlanDto> {
    const plan = await this.#sending.plan(payoutId, key, confirm);
    const { payout, method, candidates } = plan;
    const fees = plan.fee_by === 'affiliate' ? {} : await this.#sending.quote(payout, method, candidates);
    const leftOut = candidates.filter((each) => each.left_out !== null).slice(0, LEFT_OUT_MAX);
    const names = await this.app.affiliates.names(leftOut.map((each) => each.affiliate_id));
    return presentPlan(plan, { fees, balance: await this.#balance(method, payout.currency ?? ''), names });
  }

  /** Payments as the interface shows them, with the names of their affiliates. */
  async present(attempts: readonly Attempt[]): Promise<AttemptDto[]> {
    const names = await this.app.affiliates.names(attempts.map((each) => each.affiliate_id));
    return attempts.map((attempt) => presentAttempt(attempt, names));
  }

  async #balance(method: PayoutMethod, currency: string): Promise<number | null> {
    if (method.balance === undefined) return null;
    try {
      return (await within(method, () => method.balance!(currency)))?.available_minor ?? null;
    } catch (error) {
      this.app.log.warn('a payer returned no balance', { method: method.key, error });
      return null;
    }
  }

  /** The payments of a payout, by method and state. */
  async statesOf(payoutId: number): Promise<Awaited<ReturnType<typeof store.statesOf>>> {
    await this.app.payouts.get(payoutId);
    return store.statesOf(this.app.db, payoutId);
  }

  /** The methods that pay open transactions of a payout, with how many. */
  async methodsOf(payoutId: number): Promise<
    readonly {
      readonly method: string;
      readonly title: string;
      readonly transactions_count: number;
      readonly sends: boolean;
      readonly sandbox: boolean;
    }[]
  > {
    await this.app.payouts.get(payoutId);
    const counts = await store.methodsOfOpen(this.app.db, payoutId);
    const sending = new Map((await this.methods.list()).map((method) => [method.key, method]));
    return [...counts].map(([key, count]) => ({
      method: key,
      title: (sending.get(key) ?? this.app.payouts.method(key))?.title ?? key,
      transactions_count: count,
      sends: sending.has(key),
      sandbox: sending.get(key)?.sandbox === true,
    }));
  }

  /** How a transaction was sent to its affiliate; null: not by a payer. */
  async sentOf(transactionId: number): Promise<SentPayment | null> {
    const attempt = await store.sentOf(this.app.db, transactionId);
    if (attempt === null) return null;
    const method = (await this.methods.find(attempt.method)) ?? this.app.payouts.method(attempt.method);
    const affiliate = attempt.affiliate_id ?? 0;
    const details = await store.detailsOf(this.app.db, [affiliate], attempt.method);
    const frozen = await this.app.payouts.formOf(transactionId, attempt.method);
    return presentSent(attempt, method, [frozen, details.get(affiliate)]);
  }

  /**
   * Sends the open transactions of a payout that this method pays. Count and sum are those that the caller
   * saw (`payments_changed`). The payer is called by a job, so this returns as soon as everything is stored.
   */
  async send(
    payoutId: number,
    input: {
      readonly method: string;
      readonly count: number;
      readonly amount_minor: number;
      readonly confirm?: boolean;
    },
  ): Promise<SentDto> {
    const confirm = input.confirm === true;
    const plan = await this.#sending.plan(payoutId, input.method, confirm);
    await this.app.payouts.refuseUnapproved(payoutId);
    const own = await this.app.affiliates.ownForbidden();
    if (own !== null && plan.ready.some(({ affiliate_id: id }) => id === own))
      fail('self_management_forbidden');
    await this.#notifyRefused(plan);
    const sum = plan.ready.reduce((total, each) => total + each.amount_minor, 0);
    if (plan.ready.length === 0) fail('nothing_to_send');
    if (plan.ready.length !== input.count || sum !== input.amount_minor) fail('payments_changed');
    const { batches, count } = await this.#sending.prepare(plan, confirm);
    if (count === 0) fail('payments_changed');
    return {
      batches: [...batches],
      payments_count: count,
      message: `${count} payments will be sent.`,
    };
  }

  /** Affiliates whose details the method refuses see the reason, and wait until they correct them. */
  #notifyRefused({ method, candidates }: SendPlan): Promise<void> {
    return this.#details.refuse(
      method,
      candidates.flatMap(({ left_out: code, affiliate_id, details, currency }) =>
        code === 'details_refused' && affiliate_id !== null && details !== null
          ? [{ affiliate_id, details, currency }]
          : [],
      ),
    );
  }

  /** For the schedule: everything that can be sent now, by each method. */
  async sendAll(payoutId: number): Promise<number> {
    let sent = 0;
    for (const { method, sends: canSend } of await this.methodsOf(payoutId)) {
      if (!canSend) continue;
      const plan = await this.#sending.plan(payoutId, method, false);
      await this.#notifyRefused(plan);
      sent += (await this.#sending.prepare(plan, false)).count;
    }
    return sent;
  }

  async payments(
    payoutId: number,
    query: { readonly page: number; readonly per_page: number; readonly state?: string },
  ): Promise<Page<Attempt>> {
    await this.app.payouts.get(payoutId);
    return this.#page({ payoutId, ...statesFrom(query.state) }, query);
  }

  /** One payment by its id; null when there is none. */
  payment(id: number): Promise<Attempt | null> {
    return store.findAttempt(this.app.db, id);
  }

  async paymentsOfAffiliate(
    affiliateId: number,
    query: { readonly page: number; readonly per_page: number },
  ): Promise<Page<Attempt>> {
    return this.#page({ affiliateId }, query);
  }

  /** Payments that wait for a person, and findings. */
  async toDo(): Promise<{ readonly payments: readonly Attempt[]; readonly findings: readonly Finding[] }> {
    const { rows } = await store.pageOfAttempts(
      this.app.db,
      { states: TO_DO },
      { limit: FINDINGS_MAX, offset: 0 },
    );
    return { payments: rows, findings: await store.openFindings(this.app.db, null, FINDINGS_MAX) };
  }

  async #page(
    filter: store.AttemptFilter,
    query: { readonly page: number; readonly per_page: number },
  ): Promise<Page<Attempt>> {
    const { rows, total } = await store.pageOfAttempts(this.app.db, filter, {
      limit: query.per_page,
      offset: offsetOf(query),
    });
    return { rows, total, page: query.page, per_page: query.per_page };
  }

  /** Sends an unknown payment again under its key, or asks the payer, as soon as the job runs. */
  async retry(payoutId: number, attemptId: number): Promise<Attempt> {
    const attempt = await this.#attempt(payoutId, attemptId);
    if (!store.isOpen(attempt.state)) fail('payment_settled');
    const now = this.app.clock.now();
    await this.app.transaction(async (trx) => {
      const batch = await store.findBatch(trx, attempt.batch_id);
      if (attempt.state === 'unknown' && batch?.state === 'unknown')
        await store.updateBatch(trx, attempt.batch_id, { next_at: now, updated_at: now });
      else await store.updateAttempt(trx, attempt.id, { next_at: attempt.state === 'prepared' ? null : now });
      await this.#audit(trx, 'payment.retried', attempt);
    });
    return this.#attempt(payoutId, attemptId);
  }

  /** Cancels a payment: here before it is sent, else at the payer, whose report then counts. */
  async cancel(payoutId: number, attemptId: number): Promise<Attempt> {
    const attempt = await this.#attempt(payoutId, attemptId);
    if (!store.isOpen(attempt.state)) fail('payment_settled');
    if (attempt.state === 'prepared' && (await this.#callOff(attempt)))
      return this.#attempt(payoutId, attemptId);
    const method = await this.methods.find(attempt.method);
    if (!method?.cancel || attempt.ref === null || (method.sandbox === true) !== attempt.sandbox)
      fail('payment_not_cancelable');
    const batch = await store.findBatch(this.app.db, attempt.batch_id);
    try {
      await within(method, () => method.cancel!(refOf(attempt, batch ?? undefined)));
    } catch (cause) {
      // perhaps it was claimed or came back meanwhile
      await store.updateAttempt(this.app.db, attempt.id, { next_at: this.app.clock.now() });
      fail('payer_failed', { cause });
    }
    await this.app.transaction(async (trx) => {
      await store.updateAttempt(trx, attempt.id, { next_at: this.app.clock.now() });
      await this.#audit(trx, 'payment.cancel_asked', attempt);
    });
    return this.#attempt(payoutId, attemptId);
  }

  /** False when its batch is being called. */
  async #callOff(attempt: Attempt): Promise<boolean> {
    return this.app.transaction(async (trx) => {
      const row = await trx.lockRow('payout_batches', ['calls', 'state'], { id: attempt.batch_id });
      if (Number(row?.['calls']) > 0 || row?.['state'] !== 'prepared') return false;
      await store.updateAttempt(trx, attempt.id, {
        state: 'canceled',
        code: 'called_off',
        sealed: null,
        updated_at: this.app.clock.now(),
      });
      await this.#audit(trx, 'payment.canceled', attempt);
      return true;
    });
  }

  /** After the payer has forgotten a payment, a person enters its result. */
  async settle(payoutId: number, attemptId: number, as: 'paid' | 'failed', note: string): Promise<Attempt> {
    const attempt = await this.#attempt(payoutId, attemptId);
    if (!store.isOpen(attempt.state)) fail('payment_settled');
    const method = await this.methods.find(attempt.method);
    const keyValidUntil = attempt.created_at + (method ? keyDaysOf(method) : 0) * DAY;
    const isForgotten = attempt.state === 'unknown' || method?.fetch === undefined;
    if (!isForgotten || this.app.clock.now() <= keyValidUntil) fail('payment_in_flight');
    if (attempt.affiliate_id !== null && attempt.affiliate_id === (await this.app.affiliates.ownForbidden()))
      fail('self_management_forbidden');
    await this.app.payouts.refuseUnapproved(payoutId);
    await this.#statusUpdates.settle(attempt.id, as, note);
    await this.#statusUpdates.book();
    return this.#attempt(payoutId, attemptId);
  }

  async #attempt(payoutId: number, attemptId: number): Promise<Attempt> {
    const attempt = await store.findAttempt(this.app.db, attemptId);
    return attempt?.payout_id === payoutId ? attempt : fail('payment_not_found');
  }

  #audit(trx: Deps['db'], action: string, attempt: Attempt): Promise<void> {
    return this.app.audit.write(trx, action, ['payout_transaction', attempt.transaction_id], {
      after: { attempt_id: attempt.id, method: attempt.method, state: attempt.state },
    });
  }

  /** Compares the payments of a payout with those of the payer. */
  async reconcile(
    payoutId: number,
  ): Promise<{ readonly result: ReconciliationReport; readonly findings: readonly Finding[] }> {
    await this.app.payouts.get(payoutId);
    const result = await this.reconciling.one(payoutId);
    return { result, findings: await store.openFindings(this.app.db, payoutId, FINDINGS_MAX) };
  }

  async settleFinding(id: number, note: string): Promise<void> {
    const { user } = this.app.context.current();
    await this.app.transaction(async (trx) => {
      const by = { settled_at: this.app.clock.now(), settled_by: user?.id ?? null, note };
      if (!(await store.settleFinding(trx, id, by))) fail('finding_not_found');
      await this.app.audit.write(trx, 'payment_finding.settled', ['payment_finding', id], {
        after: { note },
      });
    });
  }

  /** A verified event only names the payments to ask the payer about. */
  async receive(key: string, request: RequestInfo): Promise<{ readonly received: true }> {
    const method = await this.methods.find(key);
    if (!method?.webhook) return fail('rest_no_route');
    const rawBody = request.rawBody ?? fail('webhook_raw_body_missing');
    const news = await this.#heard(method, request, rawBody);
    if (news === null) {
      await this.#limiter.takeAddress(UNVERIFIED, request.ip);
      fail('webhook_signature_invalid');
    }
    const known = news.payments.filter((ref) => typeof ref === 'string').slice(0, REFS_MAX);
    if (known.length > 0) await store.askSoon(this.app.db, key, known, this.app.clock.now());
    return { received: true };
  }

  /** The payer repeats an event that could not be verified or looked into now. */
  async #heard(method: PayoutMethod, request: RequestInfo, rawBody: Buffer): Promise<PayerNews | null> {
    try {
      const response = await within(method, () => method.webhook!({ headers: headersOf(request), rawBody }));
      const news = isList(response) ? { payments: response, details: [] } : response;
      if (news !== null) await this.#details.verify(method, news.details.slice(0, DETAILS_MAX));
      return news;
    } catch (cause) {
      return fail('busy', { cause });
    }
  }

  /** The file of a method that pays by file, made again from what was frozen. */
  async file(payoutId: number, batchId: number): Promise<PaymentDocument> {
    const batch = await store.findBatch(this.app.db, batchId);
    if (batch?.payout_id !== payoutId) fail('payment_not_found');
    await this.app.payouts.refuseUnapproved(payoutId);
    const method = await this.methods.sending(batch.method);
    if (method.fileOf === undefined) fail('payment_not_found');
    const attempts = await store.attemptsOfBatch(this.app.db, batchId);
    if (attempts.length === 0 || attempts.some(({ sealed }) => sealed === null)) fail('payment_settled');
    const file = method.fileOf(this.#sending.sentBatch(batch, attempts));
    return file.kind === 'document' ? file : fail('payment_not_found');
  }

  /** Reads the bank's report on a file, and marks the payments by it. */
  async readAnswer(
    payoutId: number,
    key: string,
    text: string,
  ): Promise<{ readonly read: number; readonly open: number }> {
    await this.app.payouts.get(payoutId);
    await this.app.payouts.refuseUnapproved(payoutId);
    const method = await this.methods.sending(key);
    const response = method.readAnswer?.(text) ?? fail('bank_answer_unreadable');
    return response.batch === null
      ? this.#readReturns(method, response)
      : this.#readBatch(payoutId, response, response.batch);
  }

  /** A bank's list of returned payments, of any batch. */
  async #readReturns(
    method: PayoutMethod,
    { payments }: BankReport,
  ): Promise<{ readonly read: number; readonly open: number }> {
    const named = new Map(payments.map((truth) => [truth.ref ?? '', truth]));
    const found = await store.attemptsByRefs(this.app.db, method.key, [...named.keys()]);
    if (found.length === 0) fail('payment_not_found');
    for (const id of new Set(found.map(({ payout_id: payout }) => payout)))
      await this.app.payouts.refuseUnapproved(id);
    for (const { id, ref } of found) await this.#statusUpdates.apply(id, named.get(ref ?? '')!);
    await this.#statusUpdates.book();
    return { read: found.length, open: named.size - found.length };
  }

  async #readBatch(
    payoutId: number,
    response: BankReport,
    key: string,
  ): Promise<{ readonly read: number; readonly open: number }> {
    const batch = await store.batchByKey(this.app.db, key);
    if (batch?.payout_id !== payoutId) fail('payment_not_found');
    let [read, open] = [0, 0];
    const named = new Map(response.payments.map((truth) => [truth.key, truth]));
    for (const attempt of await store.attemptsOfBatch(this.app.db, batch.id)) {
      const truth =
        named.get(attempt.attempt_key) ?? (response.all && { ...response.all, key: null, ref: null });
      if (truth) {
        await this.#statusUpdates.apply(attempt.id, truth);
        read += 1;
      } else open += 1;
    }
    await this.#statusUpdates.book();
    return { read, open };
  }

  /** A person enters that the bank has paid a file, or refused it. */
  async settleBatch(payoutId: number, batchId: number, as: 'paid' | 'failed', note: string): Promise<number> {
    const batch = await store.findBatch(this.app.db, batchId);
    if (batch?.payout_id !== payoutId) fail('payment_not_found');
    const method = await this.methods.find(batch.method);
    if (method?.fileOf === undefined) fail('payment_in_flight');
    await this.app.payouts.refuseUnapproved(payoutId);
    const own = await this.app.affiliates.ownForbidden();
    const open = (await store.attemptsOfBatch(this.app.db, batchId)).filter(({ state }) =>
      store.isOpen(state),
    );
    if (own !== null && open.some(({ affiliate_id: id }) => id === own)) fail('self_management_forbidden');
    if (open.length === 0) fail('payment_settled');
    for (const { id } of open) await this.#statusUpdates.settle(id, as, note);
    await this.#statusUpdates.book();
    return open.length;
  }

  /** The batches of a payout, for their files. */
  async batches(payoutId: number): Promise<BatchDto[]> {
    await this.app.payouts.get(payoutId);
    const batches = await store.batchesOfPayout(this.app.db, payoutId, 0, BATCHES_MAX);
    const keys = [...new Set(batches.map(({ method }) => method))];
    const methods = new Map(
      await Promise.all(keys.map(async (key) => [key, await this.methods.find(key)] as const)),
    );
    return batches.map((batch) => presentBatch(batch, methods.get(batch.method) ?? null));
  }

  // The affiliate's own methods.

  async ownMethods(affiliateId: number): Promise<OwnMethodDto[]> {
    const affiliate = await this.app.affiliates.get(affiliateId);
    const { offered } = await this.settings();
    const rows = await store.detailsOfAffiliate(this.app.db, affiliateId);
    const stored = new Map(rows.map((row) => [row.method, row]));
    const keys = [
      ...new Set([...offered, ...rows.filter(({ state }) => state !== 'ok').map(({ method }) => method)]),
    ];
    const found = await Promise.all(
      keys.map(async (key) => (await this.methods.find(key)) ?? this.app.payouts.method(key)),
    );
    return found
      .filter((method) => method !== undefined)
      .map((method) =>
        presentOwn(method, affiliate, stored.get(method.key) ?? null, offered.includes(method.key)),
      );
  }

  async saveOwn(affiliateId: number, key: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    const method = await this.#offered(key);
    await this.#details.save(affiliateId, method, details, (await this.#known(affiliateId, method)).details);
  }

  /** From now on the affiliate is paid by this method; null: by the method of each payout. */
  async choose(affiliateId: number, key: string | null): Promise<void> {
    const method = key === null ? null : await this.#offered(key);
    if (method !== null) {
      if ((await this.#known(affiliateId, method)).details === null)
        failFields({ method: { required: 'Enter the details of this method first.' } });
    }
    await this.app.transaction(async (trx) => {
      await store.chooseMethod(trx, affiliateId, key, this.app.clock.now());
      await this.app.audit.write(trx, 'affiliate.payout_method', ['affiliate', affiliateId], {
        after: { method: key },
      });
    });
  }

  /** The page of the payer where the affiliate connects an account. */
  async connect(affiliateId: number, key: string): Promise<string> {
    const method = await this.#offered(key);
    if (method.connect === undefined) fail('payer_not_ready');
    const affiliate = await this.app.affiliates.get(affiliateId);
    const user = (await this.app.users([affiliate.user_id])).get(affiliate.user_id ?? 0);
    const account = {
      details: (await this.#known(affiliateId, method)).details ?? {},
      email: user?.email ?? '',
      returnUrl: await this.app.settings.portalUrl(),
    };
    const response = await within(method, () => method.connect!(account)).catch((cause: unknown) =>
      fail('payer_failed', { cause }),
    );
    // until the payer reports that the account can be paid
    await this.app.transaction((trx) =>
      this.#details.store(trx, affiliateId, method, response.details, 'Finish the set-up at the payer.'),
    );
    return response.url;
  }

  async #known(affiliateId: number, method: PayoutMethod): Promise<{ readonly details: Details | null }> {
    const affiliates = new Map([[affiliateId, await this.app.affiliates.get(affiliateId)]]);
    return (await this.#details.of(method, affiliates)).get(affiliateId) ?? { details: null };
  }

  async #offered(key: string): Promise<PayoutMethod> {
    if (!(await this.settings()).offered.includes(key)) fail('payer_not_found');
    return (await this.methods.find(key)) ?? this.app.payouts.method(key) ?? fail('payer_not_found');
  }
}

const isList = (news: readonly string[] | PayerNews | null): news is readonly string[] => Array.isArray(news);

const isOtherSchedule = (before: Schedule | null, after: Schedule | null): boolean =>
  after !== null && (before === null || before.every !== after.every || before.day !== after.day);

function statesFrom(word: string | undefined): { readonly states?: readonly PaymentState[] } {
  const state = PAYMENT_STATES.find((known) => known === word);
  return state ? { states: [state] } : {};
}

function headersOf({ raw }: RequestInfo): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
