import { siteOffsets, toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import { cells } from '../../core/csv.js';
import type { ExportPages, ExportRow, Page } from '../../core/page.js';
import type { ListQuery } from '../../platform/http/schema.js';
import type { PayoutWithCountsDto, TransactionDto, TransactionOfAffiliateDto } from '../api-schemas.js';
import type { Deps } from './deps.js';
import { changedTransactions } from './changed-queries.js';
import { createdOf, type RecordQuery } from '../../records/filters.js';
import { exportPages, orderOf, readAll, readPage } from '../../records/list.js';
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
import type { PayoutTotal, ListedTransactionDto } from './schemas.js';
import type { PaymentLine, Payout, PayoutTransaction } from './types.js';

export interface StatusQuery extends ListQuery, RecordQuery {
  readonly status?: unknown;
}
/** The payout or the affiliate whose transactions are listed. */
type Owner = Pick<ListFilter, 'payoutId' | 'affiliateId'>;

export const FOUND_USERS = 200;

/** Lists of payouts and transactions: a fixed number of queries per page. */
export class PayoutLists {
  constructor(private readonly app: Deps) {}

  async list(query: StatusQuery): Promise<Page<PayoutWithCountsDto>> {
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

  async export(query: StatusQuery): Promise<ExportPages> {
    const list = {
      matching: payoutsMatching(this.app.db, await this.#filter(query, {})),
      order: orderOf(payoutRecord, query),
    };
    return exportPages(this.app.db, payoutRecord, list, (payouts) => this.#payoutRows(payouts));
  }

  async #payoutRows(payouts: readonly Payout[]): Promise<ExportRow[]> {
    const { timeZone } = this.app.host.site();
    const ids = payouts.map(({ id }) => id);
    const counts = await countsOf(this.app.db, ids);
    return payouts.map((payout) => ({
      ...cells(presentWithCounts(payout, counts.get(payout.id))),
      created_at: toSite(payout.created_at, timeZone),
    }));
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

  async exportTransactions(payoutId: number, query: StatusQuery): Promise<ExportPages> {
    const filter = await this.#filter(query, { payoutId });
    const list = {
      matching: transactionsMatching(this.app.db, filter),
      order: orderOf(transactionRecord, query),
    };
    return exportPages(this.app.db, transactionRecord, list, async (transactions) =>
      (await paymentLines(this.app, transactions)).map(exportRow),
    );
  }

  /** Every matching transaction, with the details a payment needs. */
  async paymentLines(payoutId: number, key: string, query: StatusQuery): Promise<PaymentLine[]> {
    const filter = await this.#filter(query, { payoutId });
    const matching = transactionsMatching(this.app.db, filter);
    const lines: PaymentLine[] = [];
    for await (const page of readAll(
      this.app.db,
      transactionRecord,
      matching,
      orderOf(transactionRecord, query),
    ))
      lines.push(...(await paymentLines(this.app, page, key)));
    return lines;
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

const exportRow = (line: PaymentLine): ExportRow => ({
  affiliate_id: line.transaction.affiliate_id,
  affiliate_name: line.affiliate_name,
  email: line.email,
  payout_email: line.payment_email,
  amount: toWire(line.transaction.total_amount_minor, line.currency),
  currency: line.currency,
  paid_to: line.paid_to,
  payee_changed: line.payee_changed ? 'yes' : 'no',
});
