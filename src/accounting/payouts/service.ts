import { minor, toWire } from '../../core/money.js';
import type { ExportPages, Page } from '../../core/page.js';
import { AffiliateError, fail, failFields } from '../../errors.js';
import type { Deps } from './deps.js';
import { refuseUnapproved } from './approval.js';
import { changedItems, changedTransactions } from './changed-queries.js';
import { refuseDraft, TransactionChanges } from './changes.js';
import { readConfig } from './config.js';
import { FOUND_USERS, PayoutLists, type StatusQuery } from './lists.js';
import { linesOf, pageOfItems, type ItemQuery } from './item-queries.js';
import {
  findDoublePayments,
  hasOpenPayment,
  joinPayments,
  movePaymentRows,
  paymentsAfter,
  referralsOf,
} from './merge-queries.js';
import { readInFlight } from './in-flight-queries.js';
import { methodKeys, methodOf, makerOf, methodsOf, profileDetails, splitLines } from './methods.js';
import { formsOf, payeesOf } from './payee-queries.js';
import { checkFile, filePart, type FilePart } from './payment-file.js';
import { previewPayout } from './preview.js';
import {
  presentCreator,
  presentMethod,
  presentPayout,
  presentTransaction,
  presentWithCounts,
} from './presenter.js';
import {
  countProcessing,
  countsOf,
  findPayout,
  findPayouts,
  findTransactionById,
  openByDetails,
  updatePayout,
} from './repository.js';
import { payoutOperation } from './claiming.js';
import { openForm, readPaidTo } from './paid-to.js';
import { payeeOf } from './payees.js';
import { notPaid } from './plan-queries.js';
import { outdated, runPayout } from './run.js';
import { appendUpdated } from './releasing.js';
import { releaseStranded } from './stranded.js';
import { beginUndo, undoOperation } from './undo-operation.js';
import { appendUndo, operationsOfPayouts, readUndone, undoPart, undoPreview } from './undo.js';
import type {
  PaidTo,
  Payee,
  PayeeForm,
  PaymentBatch,
  PaymentDetails,
  PaymentFile,
  Payout,
  PayoutConfig,
  PayoutConfigInput,
  PayoutMethod,
  PayoutTransaction,
  TransactionStatus,
} from './types.js';
import type { Db, Row } from '../../platform/database/db.js';
import type { Affiliate, AffiliateMerge, Slice, SliceAt } from '../../program/affiliates/types.js';
import type { ReferralListQuery } from '../referrals/types.js';
import type {
  PayoutDto,
  PayoutWithCountsDto,
  ReferralWithAffiliateDto,
  TransactionDto,
  TransactionColumnsDto,
} from '../api-schemas.js';
import type { NestedAffiliateDto } from '../../program/api-schemas.js';
import type {
  ChangedSinceDto,
  ListedTransactionDto,
  NotPaidDto,
  PayoutDetailsDto,
  PayoutItemDto,
  MethodChoiceDto,
  PayoutMethodDto,
  PreviewDto,
  UndoDto,
  UndoneDto,
  RunningDto,
} from './schemas.js';
import { transactions as transactionRecord } from './record.js';

/** How many of the skipped affiliates a response names. */
const NOT_PAID_MAX = 1000;

/** Has a person confirmed that commissions were refunded or disputed since they were claimed? */
export interface Confirmation {
  readonly confirm?: boolean;
}

/** Payouts: who would be paid, the run itself, and what happens to its transactions afterwards. */
export class PayoutsService {
  readonly lists: PayoutLists;
  /** What happens to transactions after the run. */
  readonly changes: TransactionChanges;

  #setUp: () => Promise<readonly PayoutMethod[]> = async () => [];

  constructor(private readonly app: Deps) {
    this.lists = new PayoutLists(app);
    this.changes = new TransactionChanges(app);
    app.operations.add(payoutOperation(app));
    app.operations.add(undoOperation(app));
    app.operations.add(this.changes.paidOperation);
    app.affiliates.addPart({
      refusal: async (db, merging) => ((await hasOpenPayment(db, merging)) ? 'merge_payout_open' : null),
      moveSlice: (trx, merging, at) => this.#movePayments(trx, merging, at),
      move: (trx, merging) => this.#joinPayments(trx, merging),
    });
    app.affiliates.addRows('payout_transactions', { name: 'payments' });
    app.affiliates.addRows('payout_items');
    app.affiliates.addRows('payout_payees');
    app.affiliates.addRows('payout_payee_forms');
    app.referrals.contribute({
      payout: async (id) => {
        const payout = (await this.findMany([id])).get(id);
        return payout ? this.present(payout) : null;
      },
    });
  }

  /** Whole payments, each with its commissions. */
  async #movePayments(trx: Db, merging: AffiliateMerge, at: SliceAt): Promise<Slice> {
    const ids = await paymentsAfter(trx, merging.from, at);
    if (ids.length === 0) return { moved: 0, afterId: null };
    const referralIds = await referralsOf(trx, ids);
    const moved = { transactionIds: ids, into: merging.into };
    await movePaymentRows(trx, ['payout_items', 'payout_payees', 'payout_payee_forms'], moved);
    await this.#joinPayments(trx, merging, ids);
    await movePaymentRows(trx, ['payout_transactions'], moved);
    await this.app.referrals.moveReferrals(trx, merging, referralIds);
    return { moved: referralIds.length, afterId: ids.at(-1)! };
  }

  async #joinPayments(trx: Db, merging: AffiliateMerge, ids?: readonly number[]): Promise<void> {
    for (const double of await findDoublePayments(trx, merging, ids)) {
      await joinPayments(trx, double, this.app.clock.now());
      await this.app.audit.write(trx, 'payout_transaction.merged', ['payout', double.payoutId], {
        before: {
          transaction_id: double.gone,
          affiliate_id: merging.from,
          total_amount_minor: double.amount,
        },
        after: { transaction_id: double.kept, affiliate_id: merging.into },
      });
    }
  }

  async find(id: number): Promise<Payout | null> {
    return findPayout(this.app.db, id);
  }

  async get(id: number): Promise<Payout> {
    return (await this.find(id)) ?? fail('payout_not_found');
  }

  async findMany(ids: Iterable<number | null>): Promise<ReadonlyMap<number, Payout>> {
    const wanted = [...new Set(ids)].filter((id) => id !== null);
    return new Map((await findPayouts(this.app.db, wanted)).map((payout) => [payout.id, payout]));
  }

  /** Payouts for use inside other records. */
  async embed(ids: Iterable<number | null>): Promise<ReadonlyMap<number, PayoutDto>> {
    return new Map(
      [...(await this.findMany(ids)).values()].map((payout) => [payout.id, presentPayout(payout)]),
    );
  }

  async view(id: number): Promise<PayoutDetailsDto> {
    const payout = await this.get(id);
    const users = await this.app.users([payout.created_by]);
    const presented = await this.present(payout);
    const isUndone = payout.status !== 'draft' && presented.transactions_count === 0;
    return {
      ...presented,
      was: isUndone ? await readUndone(this.app, payout) : null,
      creator: presentCreator(users.get(payout.created_by ?? 0)),
      changed: await this.#changedSince(payout),
      ...(await this.notPaid(payout)),
    };
  }

  /** What was refunded or disputed since an open payout claimed it. */
  async #changedSince({ id, status, currency }: Payout): Promise<ChangedSinceDto> {
    const open = status === 'processing' ? await changedTransactions(this.app.db, { payoutId: id }) : null;
    const changed = [...(open?.values() ?? [])];
    const total = changed.reduce((sum, each) => sum + each.not_due_minor, 0);
    return {
      transactions_count: changed.length,
      referrals_count: changed.reduce((sum, each) => sum + each.changed_count, 0),
      not_due_amount: toWire(minor(total), currency ?? ''),
    };
  }

  /** A payout for responses, with its counts. */
  async present(payout: Payout): Promise<PayoutWithCountsDto> {
    return presentWithCounts(payout, (await countsOf(this.app.db, [payout.id])).get(payout.id));
  }

  /** What a run would pay; changes nothing. */
  async preview(config: PayoutConfigInput): Promise<PreviewDto> {
    return previewPayout(this.app, await this.#read(config));
  }

  /**
   * Gathers the payable referrals into one transaction per affiliate, a large payout in steps. Affiliates
   * whose commissions change meanwhile are skipped. With `later`, returns the draft and continues in the
   * background.
   */
  async process(
    config: PayoutConfigInput,
    { later = false }: { readonly later?: boolean } = {},
  ): Promise<Payout> {
    const checked = await this.#read(config);
    const { preview_token: _, ...submitted } = config;
    const id = await runPayout(this.app, checked, { submitted, later });
    return (await this.find(id)) ?? outdated(this.app, checked);
  }

  /** The affiliates that a payout skipped because their commissions changed while it was made. */
  async notPaid({
    id,
    currency,
  }: Payout): Promise<{ readonly left_out_count: number; readonly left_out: NotPaidDto[] }> {
    const { count, rows } = await notPaid(this.app.db, id, NOT_PAID_MAX);
    return {
      left_out_count: count,
      left_out: rows.map(({ amount_minor: amount, ...row }) => ({
        ...row,
        amount: toWire(amount, currency ?? ''),
      })),
    };
  }

  /** The details of the profile that this method pays to. */
  profileField(key: string): PaymentDetails | null {
    return profileDetails(methodOf(this.app, key) ?? {});
  }

  /** Where this payment went or goes; the affiliate's current details where none were stored. */
  async payeeOf(transactionId: number, affiliate: Affiliate): Promise<Payee> {
    return (await payeesOf(this.app.db, [transactionId])).get(transactionId) ?? payeeOf(affiliate);
  }

  /** The first lines of these payments and how many there are, by transaction. */
  linesOf(transactionIds: readonly number[]): ReturnType<typeof linesOf> {
    return linesOf(this.app.db, transactionIds);
  }

  /** What responses count for these payouts, by id. */
  countsOf(ids: readonly number[]): ReturnType<typeof countsOf> {
    return countsOf(this.app.db, ids);
  }

  /** The record of a stored transaction, for events. */
  transactionDto(row: Row): TransactionColumnsDto {
    return presentTransaction(transactionRecord.fromRow(row));
  }

  async update(
    id: number,
    changes: { readonly title?: string | undefined; readonly description?: string | undefined },
  ): Promise<Payout> {
    const before = await this.get(id);
    const { title, description } = changes;
    if (title === undefined && description === undefined) {
      failFields({
        title: { required: 'Enter a title or a description.' },
        description: { required: 'Enter a title or a description.' },
      });
    }
    return this.app.transaction(async (trx, afterCommit) => {
      const row = {
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        updated_at: this.app.clock.now(),
      };
      await updatePayout(trx, id, row);
      const after = (await findPayout(trx, id)) ?? fail('payout_not_found');
      await appendUpdated(this.app, trx, { before, payout: after });
      afterCommit(() =>
        this.app.hooks.doAction('payout/updated', after, {
          title: before.title,
          description: before.description,
        }),
      );
      return after;
    });
  }

  /** The page of a payout's referrals, with the affiliates in it when asked for (docs/interface.md §9.3). */
  async referrals(id: number, query: ReferralListQuery): Promise<Page<ReferralWithAffiliateDto>> {
    await this.get(id);
    return this.app.referrals.lists.ofPayout(id, query);
  }

  /** The lines of a payout, each with its referral as it is now, or null when it was deleted. */
  async items(
    id: number,
    query: Omit<ItemQuery, 'transaction_id' | 'affiliate_id' | 'userIds'> & {
      readonly transaction_id?: number;
      readonly affiliate_id?: number;
    },
  ): Promise<Page<PayoutItemDto>> {
    await this.get(id);
    const users = query.search === '' ? [] : await this.app.host.users.search(query.search, FOUND_USERS);
    const page = await pageOfItems(this.app.db, id, {
      ...query,
      transaction_id: query.transaction_id || null, // 0 means any, as in the other lists
      affiliate_id: query.affiliate_id || null,
      userIds: users.map((user) => user.id),
    });
    const referrals = await this.app.referrals.findMany(page.rows.map((item) => item.referral_id));
    const dtos = await this.app.referrals.lists.present([...referrals.values()]);
    const byId = new Map(dtos.map((wire) => [wire.id, wire]));
    const changed = await changedItems(
      this.app.db,
      page.rows.map((item) => item.referral_id),
    );
    const rows = page.rows.map(({ amount_minor: amount, ...item }) => ({
      ...item,
      amount: toWire(amount, item.currency),
      due_amount: toWire(changed.get(item.referral_id)?.due_minor ?? amount, item.currency),
      change: changed.get(item.referral_id)?.change ?? null,
      referral: byId.get(item.referral_id) ?? null,
    }));
    return { ...page, rows };
  }

  async affiliatesOf(id: number): Promise<NestedAffiliateDto[]> {
    const ids = await this.app.referrals.lists.affiliateIdsOfPayout(id);
    return [...(await this.app.affiliates.embed(ids, { bankDetails: true })).values()];
  }

  async transactions(
    id: number,
    query: StatusQuery,
  ): Promise<{ page: Page<ListedTransactionDto>; processing: number }> {
    await this.get(id);
    return this.lists.transactions(id, query);
  }

  async exportTransactions(id: number, query: StatusQuery): Promise<ExportPages> {
    await this.#refuseEarlyFile(await this.get(id));
    return this.lists.exportTransactions(id, query);
  }

  /**
   * The payment file of a method. Unless a status is given, it contains open transactions only, so that
   * nothing is paid twice.
   */
  async paymentFile(
    id: number,
    key: string,
    query: StatusQuery & { readonly part?: number },
  ): Promise<FilePart & { readonly total: number; readonly left_out: number }> {
    const payout = await this.get(id);
    await this.#refuseEarlyFile(payout);
    const method =
      methodOf(this.app, key) ??
      failFields({ method: { in: `The payout method must be one of: ${methodKeys(this.app)}.` } });
    const asked =
      query.status === undefined || query.status === '' ? { ...query, status: 'processing' } : query;
    const lines = await this.lists.paymentLines(id, key, asked);
    // what a payer was asked to pay is in no file
    const sent = await readInFlight(
      this.app.db,
      lines.map(({ transaction }) => transaction.id),
    );
    const { payable, leftOut } = splitLines(
      method,
      lines.filter(({ transaction }) => !sent.has(transaction.id)),
    );
    const file = await this.#prepared(method, { payout, lines: payable });
    return { ...filePart(file, query.part ?? 1), total: payable.length, left_out: leftOut.length };
  }

  /** Who may not confirm a payout above the limit cannot take a file to pay it by either. */
  async #refuseEarlyFile(payout: Payout): Promise<void> {
    refuseDraft(payout);
    if (payout.status === 'processing') await refuseUnapproved(this.app, payout);
  }

  async #prepared(method: PayoutMethod, batch: PaymentBatch): Promise<PaymentFile> {
    const maker =
      makerOf(method) ?? failFields({ method: { in: 'This payout method does not create files.' } });
    try {
      return checkFile(await maker.prepare(batch));
    } catch (error) {
      if (error instanceof AffiliateError) throw error;
      return fail('payout_method_failed', { cause: error });
    }
  }

  /** A later module registers the built-in methods that are set up in the settings. */
  contribute({ methods }: { readonly methods: () => Promise<readonly PayoutMethod[]> }): void {
    this.#setUp = methods;
  }

  /** What a payout can be made for: the host's own methods, those that are set up, and files. */
  async choices(): Promise<MethodChoiceDto[]> {
    const ready = await this.#setUp();
    const taken = new Set(ready.map(({ key }) => key));
    return [...ready, ...methodsOf(this.app).filter(({ key }) => !taken.has(key))].map((method) => ({
      key: method.key,
      title: method.title,
      details: profileDetails(method),
      sandbox: method.sandbox === true,
    }));
  }

  /** The payout methods: the host's own and the built-in ones. */
  methods(): readonly {
    readonly key: string;
    readonly title: string;
    readonly details: PaymentDetails | null;
  }[] {
    return methodsOf(this.app).map((method) => ({
      key: method.key,
      title: method.title,
      details: profileDetails(method),
    }));
  }

  /**
   * For each method: how many open transactions of a payout it can pay, and which affiliates lack the details
   * it needs.
   */
  async methodsFor(id: number): Promise<PayoutMethodDto[]> {
    const payout = await this.get(id);
    const open = await openByDetails(this.app.db, id);
    const names = await this.app.affiliates.embed(
      open.without.map(({ affiliate_id: affiliate }) => affiliate),
    );
    return this.methods().map((method) => presentMethod(method, payout, open, names));
  }

  async setTransactionStatus(
    id: number,
    transactionId: number,
    status: TransactionStatus,
    { confirm = false }: Confirmation = {},
  ): Promise<{ transaction: TransactionDto; processing_count: number }> {
    const transaction = await this.changes.setStatus(id, transactionId, { status, confirm });
    return {
      transaction: await this.lists.whole(transaction),
      processing_count: await countProcessing(this.app.db, id),
    };
  }

  /** Pays an open transaction to where its affiliate wants the money now. */
  async takePayee(id: number, transactionId: number): Promise<TransactionDto> {
    return this.lists.whole(await this.changes.takePayee(id, transactionId));
  }

  /** Throws `approval_required` when another user has to confirm this payout. */
  async refuseUnapproved(id: number): Promise<void> {
    await refuseUnapproved(this.app, await this.get(id));
  }

  /** Those of the transactions whose commissions were refunded or disputed since they were claimed. */
  async changedAmong(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return new Set((await changedTransactions(db, { ids })).keys());
  }

  /** Where this method pays these open transactions, by id. */
  async payeesAmong(
    db: Db,
    open: readonly { readonly id: number; readonly affiliate_id: number | null }[],
    key: string,
  ): Promise<ReadonlyMap<number, PaidTo>> {
    const paid = await readPaidTo(
      this.app,
      db,
      open.map((each) => ({ ...each, payout_method: key })),
      key,
    );
    return new Map(open.map(({ id }, at) => [id, paid[at]!]));
  }

  /** The details of a form that a payout stored; null: they cannot be read with this secret. */
  openForm(form: PayeeForm): Readonly<Record<string, string>> | null {
    return openForm(this.app, form);
  }

  /** The details that the affiliate entered for this method, as the payout stored them. */
  async formOf(transactionId: number, method: string): Promise<PayeeForm | null> {
    const forms = (await formsOf(this.app.db, [transactionId])).get(transactionId) ?? [];
    return forms.find((form) => form.method === method) ?? null;
  }

  /** The method with this key, also a built-in one that is not set up. */
  method(key: string): PayoutMethod | undefined {
    return methodOf(this.app, key);
  }

  async findTransaction(id: number): Promise<PayoutTransaction | null> {
    return findTransactionById(this.app.db, id);
  }

  /** What `undo` would release. */
  async undoPreview(id: number): Promise<UndoDto> {
    return undoPreview(this.app.db, await this.get(id));
  }

  /**
   * Deletes a part of the open transactions after this one; the caller repeats it with `next_after_id`. With
   * `later`, all of it is done in the background. A payout that is still being made is undone at once.
   */
  async undo(
    id: number,
    { after_id: afterId = 0, later = false }: { readonly after_id?: number; readonly later?: boolean } = {},
  ): Promise<UndoneDto> {
    const payout = await this.get(id);
    if (later || payout.status === 'draft') return this.#undoAll(payout, later);
    const done = await undoPart(this.app, this.changes, payout, afterId);
    const processing = await countProcessing(this.app.db, id);
    await appendUndo(this.app, payout, { afterId, done, processing });
    const { released_minor: _, ...shown } = done;
    return {
      ...shown,
      processing_count: processing,
      payout: await this.present(await this.get(id)),
      message: `${done.released_count} payments deleted.`,
    };
  }

  async #undoAll(payout: Payout, later: boolean): Promise<UndoneDto> {
    const { id, currency } = payout;
    const before = await undoPreview(this.app.db, payout);
    await beginUndo(this.app, payout, before.transactions_count);
    if (later) await this.app.operations.start('payout_undo', id);
    else await this.app.operations.take('payout_undo', id);
    const now = (await this.find(id)) ?? { ...payout, total_amount_minor: minor(0) }; // a draft no longer exists then
    const after = await undoPreview(this.app.db, now);
    return {
      released_count: before.transactions_count - after.transactions_count,
      released_amount: toWire(minor(payout.total_amount_minor - now.total_amount_minor), currency ?? ''),
      left_out: [],
      next_after_id: null,
      processing_count: after.transactions_count,
      payout: await this.present(now),
      message: later ? 'The payout is being undone.' : 'Payout undone.',
    };
  }

  /** Stops the making of a payout after the current step; it can be continued later, or undone. */
  async stop(id: number): Promise<void> {
    if (!(await this.app.operations.stop('payout', id))) fail('work_not_found');
  }

  /** Continues in the background what was stopped: making the payout, marking it paid, or its undo. */
  async goOn(id: number): Promise<void> {
    for (const kind of ['payout', 'payout_paid', 'payout_undo'] as const)
      if (await this.app.operations.goOn(kind, id)) return;
    fail('work_not_found');
  }

  /** Payouts that are being made, and those whose undo was begun and is not finished. */
  running(): Promise<RunningDto[]> {
    return operationsOfPayouts(this.app);
  }

  /**
   * Job: claimed referrals of an import that never became part of a payout are unpaid again. Returns how
   * many.
   */
  async releaseStranded(now: number = this.app.clock.now()): Promise<number> {
    return releaseStranded(this.app, now);
  }

  async #read(config: PayoutConfigInput): Promise<PayoutConfig> {
    const { currency } = await this.app.settings.referralConfig();
    return readConfig(config, {
      currency,
      timeZone: this.app.host.site().timeZone,
      now: this.app.clock.now(),
      floor: (await this.app.settings.rules()).minPayout,
      methodKey: (name) => methodOf(this.app, name)?.key ?? null,
      methodKeys: methodKeys(this.app),
    });
  }
}
