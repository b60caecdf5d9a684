import { createdOf } from '../../records/filters.js';
import type { HostUser } from '../../../adapters/host.js';
import { toIso, toSite } from '../../core/dates.js';
import { minor, toWire } from '../../core/money.js';
import { offsetOf, type Page } from '../../core/page.js';
import { fail } from '../../errors.js';
import type { ExportSource } from '../../platform/http/export.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { countPayments, listPayments, paidCommissions } from './money-queries.js';
import { PAYMENT_COLUMNS, type Payment, type PaymentResponse } from './schemas.js';
import type { PageQuery, PaymentRow } from './types.js';

const FIELDS = { paypal: 'payment_email', bank_transfer: 'bank_details' } as const;
const OTHER = { payment_email: 'bank_details', bank_details: 'payment_email' } as const;
const EXPORT_PAGE = 250;

/** Payments to an affiliate, and the statement of each: payer, payee, amount and commissions. */
export class Payments {
  constructor(private readonly app: Deps) {}

  async list(affiliate: Affiliate, query: PageQuery): Promise<Page<Payment>> {
    const created = createdOf(query, this.app.host.site().timeZone);
    const rows = await listPayments(this.app.db, affiliate.id, {
      created,
      limit: query.per_page,
      offset: offsetOf(query),
    });
    const { currency } = await this.app.settings.referralConfig();
    return {
      rows: rows.map((row) => present(row, currency)),
      total: await countPayments(this.app.db, affiliate.id, created),
      page: query.page,
      per_page: query.per_page,
    };
  }

  async statement(
    affiliate: Affiliate,
    user: HostUser,
    id: number,
    query: PageQuery,
  ): Promise<PaymentResponse> {
    const row = await this.#own(affiliate, id);
    const {
      currency,
      payout_method: method,
      ask_invoice_details: asked,
      show_products,
    } = await this.app.settings.referralConfig();
    const sent = await this.app.payers.sentOf(id);
    const { name, url } = this.app.host.site();
    const lines = await paidCommissions(
      this.app.db,
      { affiliateId: affiliate.id, id },
      { limit: query.per_page, offset: offsetOf(query) },
    );
    return {
      payment: present(row, currency),
      payer: { name, url },
      payee: {
        name: user.full_name,
        email: user.email,
        details: sent?.to || (await this.#detailsOf(affiliate, row, { sent, method })),
        invoice: asked === 'yes' ? (affiliate.settings.invoice ?? null) : null,
      },
      sent,
      commissions: {
        data: lines.map((line) => ({
          id: line.referral_id,
          description: line.description ?? '',
          order_number: line.order_number,
          products: show_products === 'yes' ? [...line.products] : [],
          note: line.note,
          earned_at: toIso(line.earned_at),
          amount: toWire(minor(line.amount_minor), line.currency),
          currency: line.currency,
        })),
        total: row.commissions,
        per_page: query.per_page,
        current_page: query.page,
      },
    };
  }

  /** Where the payment went: the method's own form, else the details of the profile that it uses. */
  async #detailsOf(
    affiliate: Affiliate,
    { id, payout_method }: Parameters<typeof present>[0],
    {
      sent,
      method,
    }: { readonly sent: { readonly method: string } | null; readonly method: keyof typeof FIELDS },
  ): Promise<string> {
    const { payouts } = this.app;
    const used = sent?.method ?? payout_method;
    const form = await payouts.formOf(id, used);
    if (form?.label) return form.label;
    // the affiliate's own choice comes before the method of the payout
    const field = payouts.profileField(used) ?? (sent === null ? FIELDS[method] : null);
    if (field === null) return '';
    const payee = await payouts.payeeOf(id, affiliate);
    // a payment by hand went to what the program asked for then
    return payee[field] || (sent === null && used === 'manual' ? payee[OTHER[field]] : '');
  }

  async export(affiliate: Affiliate, id: number): Promise<ExportSource> {
    const { commissions } = await this.#own(affiliate, id);
    return {
      name: 'commissions',
      file: `payment_${id}.csv`,
      columns: PAYMENT_COLUMNS,
      escaped: ['description', 'order_number', 'products', 'note'],
      total: commissions,
      rows: this.#exported({ affiliateId: affiliate.id, id }),
    };
  }

  async *#exported(payment: {
    readonly affiliateId: number;
    readonly id: number;
  }): AsyncGenerator<Record<string, string | number | null>[]> {
    const { timeZone } = this.app.host.site();
    const { show_products } = await this.app.settings.referralConfig();
    for (let after = 0; ;) {
      const lines = await paidCommissions(this.app.db, payment, { after, limit: EXPORT_PAGE });
      yield lines.map((line) => ({
        commission_id: line.referral_id,
        date: line.earned_at === null ? null : toSite(line.earned_at, timeZone),
        description: line.description ?? '',
        order_number: line.order_number,
        amount: toWire(minor(line.amount_minor), line.currency),
        currency: line.currency,
        products: show_products === 'yes' ? line.products.join('; ') : '',
        note: line.note,
      }));
      after = lines.at(-1)?.referral_id ?? after;
      if (lines.length < EXPORT_PAGE) return;
    }
  }

  async #own(affiliate: Affiliate, id: number): Promise<PaymentRow> {
    const [row] = await listPayments(this.app.db, affiliate.id, { id });
    return row ?? fail('transaction_not_found');
  }
}

const present = (row: PaymentRow, program: string): Payment => {
  const currency = row.currency ?? program;
  return {
    id: row.id,
    reference: `P${row.payout_id}-T${row.id}`,
    title: row.title ?? '',
    status: row.status === 'paid' ? 'paid' : 'processing',
    method: row.payout_method,
    amount: toWire(minor(row.amount_minor), currency),
    currency,
    commissions: row.commissions,
    created_at: toIso(row.created_at),
    paid_at: row.status === 'paid' ? toIso(row.updated_at) : null,
  };
};
