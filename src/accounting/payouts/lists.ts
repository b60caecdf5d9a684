import { siteOffsets, toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import type { Page } from '../../core/page.js';
import type { ListQuery } from '../../platform/http/schema.js';
import type { PayoutWithCountsDto, TransactionDto, TransactionOfAffiliateDto } from '../../api-schemas.js';
import type { Deps } from './deps.js';
import { changedTransactions } from './changed-queries.js';
import { createdOf, type RecordQuery } from '../../records/filters.js';
import { countRows, orderOf, readAll, readPage } from '../../records/list.js';
import { isTimeText, type Search } from '../../records/search.js';
import {
  payoutsMatching,
  sumPayouts,
  timesOf,
  transactionsMatching,
  type ListFilter,
} from './list-queries.js';
import { presentPayout, presentTransaction, presentWithCounts, symbolOf } from './presenter.js';
import { payouts as payoutRecord, transactions as transactionRecord } from './record.js';
import { countProcessing, countReferralsOf, countsOf, findPayouts } from './repository.js';
import { readPaidTo } from './paid-to.js';
import { paymentLines } from './payment-lines.js';
import { PAYOUT_COLUMNS, type PayoutTotal, type ListedTransactionDto } from './schemas.js';
import type { PaymentLine, Payout, PayoutTransaction } from './types.js';

export interface StatusQuery extends ListQuery, RecordQuery {
  readonly status?: unknown;
}
/** The payout or the affiliate whose transactions are listed. */
type Owner = Pick<ListFilter, 'payoutId' | 'affiliateId'>;
export type ExportRow = Readonly<Record<string, string | number | null>>;

export const FOUND_USERS = 200;

/** Lists of payouts and transactions: a fixed number of queries per page. */
export class PayoutLists {
  constructor(private readonly app: Deps) {}

  async payouts(query: StatusQuery): Promise<Page<PayoutWithCountsDto>> {
    const { db } = this.app;
    const filter = await this.#filter(query, {});
    const order = orderOf(payoutRecord, query);
    const page = await readPage(db, payoutRecord, payoutsMatching(db, filter), { ...query, order });
    const counts = await countsOf(
      db,
      page.rows.map((payout) => payout.id),
    );
    return { ...page, rows: page.rows.map((payout) => presentWithCounts(payout, counts.get(payout.id))) };
  }

  async exportPayouts(
    query: StatusQuery,
  ): Promise<{ total: number; rows: AsyncIterable<readonly ExportRow[]> }> {
    const { db } = this.app;
    const matching = payoutsMatching(db, await this.#filter(query, {}));
    const pages = readAll(db, payoutRecord, matching, orderOf(payoutRecord, query));
    return { total: await countRows(db, payoutRecord, matching), rows: this.#payoutRows(pages) };
  }

  async *#payoutRows(pages: AsyncIterable<readonly Payout[]>): AsyncGenerator<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    for await (const payouts of pages) {
      const counts = await countsOf(
        this.app.db,
        payouts.map(({ id }) => id),
      );
      yield payouts.map((payout) => {
        const wire = presentWithCounts(payout, counts.get(payout.id));
        const shown = { ...wire, created_at: toSite(payout.created_at, timeZone) };
        return Object.fromEntries(PAYOUT_COLUMNS.map((column) => [column, shown[column]]));
      });
    }
  }

  /** The sums over the rows of the list, in each currency. */
  async totals(query: StatusQuery): Promise<readonly PayoutTotal[]> {
    const { db } = this.app;
    const filter = await this.#filter(query, {});
    const sums = await sumPayouts(db, payoutsMatching(db, filter));
    return sums.map(({ currency, count, amount, open }) => {
      const code = currency ?? filter.search.currency;
      const money = (sum: number): number => toWire(minor(sum), code);
      return { currency: code, count, amount: money(amount), open_amount: money(open) };
    });
  }

  /** A page, with the number of open transactions of the whole payout. */
  async transactions(
    payoutId: number,
    query: StatusQuery,
  ): Promise<{ page: Page<ListedTransactionDto>; processing: number }> {
    const page = await this.#page(query, { payoutId });
    const transactions = page.rows;
    const affiliates = await this.app.affiliates.embed(
      transactions.map((transaction) => transaction.affiliate_id),
      { bankDetails: true },
    );
    const { db } = this.app;
    const paid = await readPaidTo(this.app, db, transactions);
    const [changed, processing] = await db.pipeline(
      () => changedTransactions(db, { ids: transactions.map(({ id }) => id) }),
      () => countProcessing(db, payoutId),
    );
    const rows = transactions.map((transaction, at) => ({
      ...presentTransaction(transaction),
      affiliate: affiliates.get(transaction.affiliate_id ?? 0) ?? null,
      paid_to: paid[at]?.text ?? '',
      changed_count: changed.get(transaction.id)?.changed_count ?? 0,
      payee_changed: transaction.status === 'processing' && paid[at]?.changed === true,
      not_due_amount: toWire(
        changed.get(transaction.id)?.not_due_minor ?? minor(0),
        transaction.currency ?? '',
      ),
    }));
    return { page: { ...page, rows }, processing };
  }

  /** One transaction with its affiliate, as in the list. */
  async whole(transaction: PayoutTransaction): Promise<TransactionDto> {
    const affiliates = await this.app.affiliates.embed([transaction.affiliate_id]);
    return {
      ...presentTransaction(transaction),
      affiliate: affiliates.get(transaction.affiliate_id ?? 0) ?? null,
    };
  }

  /** `GET /affiliates/{id}/transactions` (docs/interface.md §6.7). */
  async ofAffiliate(affiliateId: number, query: StatusQuery): Promise<Page<TransactionOfAffiliateDto>> {
    const page = await this.pageOfAffiliate(affiliateId, query);
    const transactions = page.rows;
    const { db } = this.app;
    const [found, counts] = await db.pipeline(
      () => findPayouts(db, [...new Set(transactions.map((each) => each.payout_id))]),
      () =>
        countReferralsOf(
          db,
          transactions.map(({ id }) => id),
        ),
    );
    const payouts = new Map(found.map((payout) => [payout.id, payout]));
    return {
      ...page,
      rows: transactions.map((transaction) => {
        const payout = payouts.get(transaction.payout_id);
        return {
          ...presentTransaction(transaction),
          payout: payout ? presentPayout(payout) : null,
          currency_symbol: symbolOf(transaction),
          referrals_count: counts.get(transaction.id) ?? 0,
        };
      }),
    };
  }

  /** The records of a page of an affiliate's transactions; the portal shows them in its own form. */
  pageOfAffiliate(affiliateId: number, query: StatusQuery): Promise<Page<PayoutTransaction>> {
    return this.#page(query, { affiliateId });
  }

  async export(
    payoutId: number,
    query: StatusQuery,
  ): Promise<{ total: number; rows: AsyncIterable<readonly ExportRow[]> }> {
    const filter = await this.#filter(query, { payoutId });
    return {
      total: await countRows(this.app.db, transactionRecord, transactionsMatching(this.app.db, filter)),
      rows: this.#exportRows(filter, query),
    };
  }

  /** Every matching transaction, with the details a payment needs. */
  async paymentLines(payoutId: number, key: string, query: StatusQuery): Promise<PaymentLine[]> {
    const filter = await this.#filter(query, { payoutId });
    const lines: PaymentLine[] = [];
    for await (const page of this.#linePages(filter, query, key)) lines.push(...page);
    return lines;
  }

  async *#exportRows(filter: ListFilter, query: ListQuery): AsyncGenerator<readonly ExportRow[]> {
    for await (const lines of this.#linePages(filter, query)) {
      yield lines.map((line) => ({
        affiliate_id: line.transaction.affiliate_id,
        affiliate_name: line.affiliate_name,
        email: line.email,
        payout_email: line.payment_email,
        amount: toWire(line.transaction.total_amount_minor, line.currency),
        currency: line.currency,
        paid_to: line.paid_to,
        payee_changed: line.payee_changed ? 'yes' : 'no',
      }));
    }
  }

  async *#linePages(filter: ListFilter, query: ListQuery, key?: string): AsyncGenerator<PaymentLine[]> {
    const matching = transactionsMatching(this.app.db, filter);
    const pages = readAll(this.app.db, transactionRecord, matching, orderOf(transactionRecord, query));
    for await (const transactions of pages) yield await paymentLines(this.app, transactions, key);
  }

  async #page(query: StatusQuery, of: Owner): Promise<Page<PayoutTransaction>> {
    const matching = transactionsMatching(this.app.db, await this.#filter(query, of));
    return readPage(this.app.db, transactionRecord, matching, {
      ...query,
      order: orderOf(transactionRecord, query),
    });
  }

  async #filter(query: StatusQuery, of: Owner): Promise<ListFilter> {
    const { search } = query;
    const { host } = this.app;
    const status = typeof query.status === 'string' ? query.status.trim() : '';
    const users = search === '' ? [] : await host.users.search(search, FOUND_USERS);
    const { affiliate_id: affiliateId } = query;
    return {
      status: status === '' || status === 'all' ? null : status,
      ...(affiliateId !== undefined && { affiliateId }),
      ...of,
      created: createdOf(query, host.site().timeZone),
      userIds: users.map((user) => user.id),
      search: {
        text: search,
        currency: (await this.app.settings.referralConfig()).currency,
        offsets: isTimeText(search.replace(/^created_at:/u, '')) ? await this.#offsets(of) : [],
      },
    };
  }

  async #offsets(of: Owner): Promise<NonNullable<Search['offsets']>> {
    const times = await timesOf(this.app.db, of);
    return times ? siteOffsets(times.from, times.to, this.app.host.site().timeZone) : [];
  }
}
