import type { App } from '../../app.js';
import { siteOffsets } from '../../core/dates.js';
import { toDecimal, minor, toWire } from '../../core/money.js';
import type { Page } from '../../core/page.js';
import type { Row } from '../../database/db.js';
import type { ListQuery } from '../../http/schema.js';
import { changedTransactions } from './changed-queries.js';
import {
  countRows,
  isTimeText,
  pageOfRows,
  rowsAfter,
  timesOf,
  type ListFilter,
  type ListSpec,
} from './list-queries.js';
import { presentPayout, presentTransaction, presentWithCounts, symbolOf } from './presenter.js';
import {
  countProcessing,
  countReferralsOf,
  countsOf,
  findPayouts,
  PAYOUT_COLUMNS,
  toPayout,
  toTransaction,
  TRANSACTION_COLUMNS,
} from './repository.js';
import type { PaymentLine, PayoutTransaction } from './types.js';

type Wire = Record<string, unknown>;
export interface StatusQuery extends ListQuery {
  readonly status?: unknown;
}
export type ExportRow = Readonly<Record<string, string | number | null>>;

const EXPORT_PAGE = 1000;

const PAYOUTS: ListSpec = {
  table: 'payouts',
  columns: PAYOUT_COLUMNS,
  anywhere: { title: 'text', description: 'text', total_amount: 'amount', id: 'id' },
  searchable: {
    created_by: 'id',
    total_amount: 'amount',
    payout_method: 'text',
    status: 'text',
    title: 'text',
    description: 'text',
    currency: 'text',
  },
  sortable: ['id', 'total_amount', 'title', 'created_at', 'status'],
};

const TRANSACTIONS: ListSpec = {
  table: 'payout_transactions',
  columns: TRANSACTION_COLUMNS,
  anywhere: { total_amount: 'amount', created_at: 'time', id: 'id' },
  searchable: {
    created_by: 'id',
    affiliate_id: 'id',
    payout_id: 'id',
    total_amount: 'amount',
    payout_method: 'text',
    status: 'text',
    currency: 'text',
    created_at: 'time',
  },
  sortable: ['id', 'total_amount', 'status', 'created_at', 'affiliate_id'],
};

/** Lists of payouts and transactions: a fixed number of queries per page. */
export class PayoutLists {
  constructor(private readonly app: App) {}

  async payouts(query: StatusQuery): Promise<Page<Wire>> {
    const page = await pageOfRows(this.app.db, PAYOUTS, await this.#filter(query, {}), query);
    const payouts = page.rows.map(toPayout);
    const counts = await countsOf(
      this.app.db,
      payouts.map((payout) => payout.id),
    );
    return { ...page, rows: payouts.map((payout) => presentWithCounts(payout, counts.get(payout.id))) };
  }

  /** With the number of open transactions of the whole payout, whatever the page shows. */
  async transactions(
    payoutId: number,
    query: StatusQuery,
  ): Promise<{ page: Page<Wire>; processing: number }> {
    const page = await pageOfRows(
      this.app.db,
      TRANSACTIONS,
      await this.#filter(query, { payout_id: payoutId }),
      query,
    );
    const transactions = page.rows.map(toTransaction);
    const affiliates = await this.app.affiliates.embed(
      transactions.map((transaction) => transaction.affiliate_id),
      { bankDetails: true },
    );
    const changed = await changedTransactions(this.app.db, { ids: transactions.map(({ id }) => id) });
    const rows = transactions.map((transaction) => ({
      ...presentTransaction(transaction),
      affiliate: affiliates.get(transaction.affiliate_id ?? 0) ?? null,
      changed_count: changed.get(transaction.id)?.changed_count ?? 0,
      not_due_amount: toWire(
        changed.get(transaction.id)?.not_due_minor ?? minor(0),
        transaction.currency ?? '',
      ),
    }));
    return { page: { ...page, rows }, processing: await countProcessing(this.app.db, payoutId) };
  }

  /** One transaction with its affiliate, as in the list. */
  async whole(transaction: PayoutTransaction): Promise<Wire> {
    const affiliates = await this.app.affiliates.embed([transaction.affiliate_id]);
    return {
      ...presentTransaction(transaction),
      affiliate: affiliates.get(transaction.affiliate_id ?? 0) ?? null,
    };
  }

  /** `GET /affiliates/{id}/transactions` (affiliates §5.10). */
  async ofAffiliate(affiliateId: number, query: StatusQuery): Promise<Page<Wire>> {
    const { page, transactions } = await this.pageOfAffiliate(affiliateId, query);
    const payouts = new Map(
      (await findPayouts(this.app.db, [...new Set(transactions.map((each) => each.payout_id))])).map(
        (payout) => [payout.id, payout],
      ),
    );
    const counts = await countReferralsOf(
      this.app.db,
      transactions.map((transaction) => transaction.id),
    );
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

  /** The records behind a page of an affiliate's transactions; the portal shows them in its own way. */
  async pageOfAffiliate(
    affiliateId: number,
    query: StatusQuery,
  ): Promise<{ page: Page<Row>; transactions: PayoutTransaction[] }> {
    const page = await pageOfRows(
      this.app.db,
      TRANSACTIONS,
      await this.#filter(query, { affiliate_id: affiliateId }),
      query,
    );
    return { page, transactions: page.rows.map(toTransaction) };
  }

  async export(
    payoutId: number,
    query: StatusQuery,
  ): Promise<{ total: number; rows: AsyncIterable<readonly ExportRow[]> }> {
    const filter = await this.#filter(query, { payout_id: payoutId });
    return {
      total: await countRows(this.app.db, TRANSACTIONS, filter),
      rows: this.#exportRows(filter, query),
    };
  }

  /** Every matching transaction with what a payment needs to know. */
  async paymentLines(payoutId: number, query: StatusQuery): Promise<PaymentLine[]> {
    const filter = await this.#filter(query, { payout_id: payoutId });
    const lines: PaymentLine[] = [];
    for await (const page of this.#linePages(filter, query)) lines.push(...page);
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
      }));
    }
  }

  async *#linePages(filter: ListFilter, query: ListQuery): AsyncGenerator<PaymentLine[]> {
    for (let after: Row | null = null; ;) {
      const rows: Row[] = await rowsAfter(this.app.db, TRANSACTIONS, filter, {
        query,
        after,
        limit: EXPORT_PAGE,
      });
      if (rows.length === 0) return;
      yield await this.#lines(rows.map(toTransaction));
      after = rows.at(-1) ?? null;
    }
  }

  async #lines(transactions: readonly PayoutTransaction[]): Promise<PaymentLine[]> {
    const affiliates = await this.app.affiliates.findMany(
      transactions.flatMap(({ affiliate_id: id }) => (id === null ? [] : [id])),
    );
    const users = await this.app.users([...affiliates.values()].map((affiliate) => affiliate.user_id));
    return transactions.map((transaction) => {
      const affiliate = affiliates.get(transaction.affiliate_id ?? 0);
      const user = users.get(affiliate?.user_id ?? 0);
      const currency = transaction.currency ?? '';
      return {
        transaction,
        affiliate_name: user?.full_name ?? '',
        email: user?.email ?? '',
        payment_email: affiliate?.payment_email ?? '',
        bank_details: affiliate?.settings.bank_details ?? '',
        amount: toDecimal(transaction.total_amount_minor, currency),
        currency,
      };
    });
  }

  async #filter(query: StatusQuery, equals: Readonly<Record<string, number>>): Promise<ListFilter> {
    const status = typeof query.status === 'string' ? query.status.trim() : '';
    return {
      equals: status === '' || status === 'all' ? equals : { ...equals, status },
      search: query.search,
      currency: (await this.app.settings.referralConfig()).currency,
      offsets: isTimeText(query.search.replace(/^created_at:/u, '')) ? await this.#offsets(equals) : [],
    };
  }

  async #offsets(equals: ListFilter['equals']): Promise<ListFilter['offsets']> {
    const times = await timesOf(this.app.db, TRANSACTIONS.table, equals);
    return times ? siteOffsets(times.from, times.to, this.app.host.site().timeZone) : [];
  }
}
