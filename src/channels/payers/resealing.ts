import { DETAILS_PURPOSE } from '../../core/details-purpose.js';
import type { ResealReport } from '../../platform/secrets.js';
import type { Deps } from './deps.js';
import type { Details, PaymentDetailsStore } from './details.js';
import type { Payers } from './registry.js';
import * as store from './repository.js';
import { FROZEN } from './sending.js';

const DETAILS = (text: string): Details => JSON.parse(text) as Details; // sealed by PaymentDetailsStore
const TABLES = [
  { table: 'payment_details', purpose: DETAILS_PURPOSE, mark: 'mark', detailsOf: DETAILS },
  { table: 'payout_payee_forms', purpose: DETAILS_PURPOSE, mark: 'mark', detailsOf: DETAILS },
  {
    table: 'payout_attempts',
    purpose: FROZEN,
    mark: 'details_mark',
    detailsOf: (text: string) => (JSON.parse(text) as { details: Details }).details, // sealed by Sending
  },
] as const;

/** After the secret was replaced: the details of payments are sealed and marked with the current one, page by page. */
export class Resealing {
  constructor(
    private readonly app: Deps,
    private readonly parts: { readonly payers: Payers; readonly details: PaymentDetailsStore },
  ) {}

  async run(): Promise<ResealReport> {
    const total = { renewed: 0, lost: 0 };
    for (const each of TABLES)
      for (let after = 0; ;) {
        const rows = await store.sealedAfter(this.app.db, each.table, after);
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
        const { renewed, lost } = await this.#page(each, rows);
        total.renewed += renewed;
        total.lost += lost;
      }
    await this.#markProfiles();
    return total;
  }

  async #page(
    { table, purpose, mark, detailsOf }: (typeof TABLES)[number],
    rows: readonly store.SealedRow[],
  ): Promise<ResealReport> {
    const { secrets } = this.app;
    const texts = rows.map((row) => ({ ...row, renewed: secrets.renewed(purpose, row.sealed) }));
    const changed = texts.filter(({ sealed, renewed }) => renewed !== null && renewed !== sealed);
    if (changed.length > 0)
      await this.app.transaction(async (trx) => {
        for (const { id, method, sealed, renewed } of changed) {
          const details = detailsOf(secrets.open(purpose, renewed!)!); // sealed above
          const fresh = { sealed: renewed!, [mark]: this.parts.details.mark(method, details) };
          await store.reseal(trx, table, { id, sealed }, fresh);
        }
      });
    return { renewed: changed.length, lost: texts.filter(({ renewed }) => renewed === null).length };
  }

  /** Of details that are in the profile only a mark is stored here. */
  async #markProfiles(): Promise<void> {
    const methods = new Map((await this.parts.payers.list()).map((method) => [method.key, method]));
    for (let after = 0; ;) {
      const rows = await store.profileMarksAfter(this.app.db, after);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
      const affiliates = await this.app.affiliates.findMany(rows.map((row) => row.affiliate_id));
      for (const { id, affiliate_id, method: key, mark } of rows) {
        const [method, affiliate] = [methods.get(key), affiliates.get(affiliate_id)];
        const details = method && affiliate ? this.parts.details.ofProfile(method, affiliate) : null;
        const fresh = details && this.parts.details.mark(key, details);
        if (fresh !== null && fresh !== mark) await store.remark(this.app.db, { id, mark, fresh });
      }
    }
  }
}
