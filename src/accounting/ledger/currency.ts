import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.js';
import { minor, toDecimal } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { OperationRunner } from '../../program/operations/contributions.js';
import type { Deps } from './deps.js';
import {
  affiliatesAfter,
  countAffiliates,
  countInCurrency,
  markCurrency,
  nameCurrency,
  openPayouts,
  owedIn,
} from './currency-queries.js';
import { lockAffiliates } from './repository.js';

/** Affiliates of the first step. */
const FIRST_STEP = 200;
/** Open payouts that a refusal names. */
const PAYOUTS_LISTED = 5;
/** After this time every process has read the new currency, so none adds an amount in the former one. */
const KNOWN_EVERYWHERE_MS = 1100;

interface CurrencyProgress extends Record<string, unknown> {
  /**
   * `mark`: stores in each affiliate's row that it is counted in the former currency, before the program
   * changes. `count`: its earnings are computed in the new one.
   */
  readonly phase: 'mark' | 'count';
  readonly from: string;
  readonly to: string;
  /** The last affiliate that was done. */
  readonly after_id: number;
}

/**
 * Changes the program's currency: amounts without a currency get the old one, and earnings are computed again
 * in the new one, affiliate by affiliate in steps. Meanwhile each row has the currency it is counted in.
 */
export class CurrencyChange {
  constructor(private readonly app: Deps) {}

  async isUnderway(): Promise<boolean> {
    return (await this.app.operations.find('currency')) !== null;
  }

  /** Before the program changes: marks every affiliate. 409 `currency_changing` while another change is made. */
  async prepare(from: string, to: string): Promise<void> {
    await this.finish();
    if ((await this.app.affiliates.merger.merging()).length > 0) fail('merge_running');
    await this.app.transaction((trx) => this.#begin(trx, { phase: 'mark', from, to, after_id: 0 }));
    await this.finish();
  }

  /**
   * In the transaction that saves the setting; while a payout is open, or money is owed in the old currency, only
   * if that is confirmed.
   */
  async change(
    trx: Db,
    { from, to, confirm }: { readonly from: string; readonly to: string; readonly confirm: boolean },
  ): Promise<void> {
    if (!confirm) await this.#ask(trx, from);
    await nameCurrency(trx, from, null);
    await markCurrency(trx, from, null);
    await this.#begin(trx, { phase: 'count', from, to, after_id: 0 });
    await this.app.audit.write(trx, 'settings.currency_changed', ['settings', null], {
      before: { currency: from },
      after: { currency: to, confirmed: confirm },
    });
  }

  /** Throws `payout_open` or `currency_owed`, for a person to confirm. */
  async #ask(trx: Db, from: string): Promise<void> {
    const payouts = await openPayouts(trx, PAYOUTS_LISTED);
    if (payouts.length > 0)
      fail('payout_open', {
        message: `These payouts are still open: ${payouts.join(', ')}. Set \`confirm\` to change the currency anyway.`,
        data: { payouts },
      });
    const owed = await owedIn(trx, from);
    if (owed !== 0)
      fail('currency_owed', { data: { owed: [{ currency: from, amount: toDecimal(minor(owed), from) }] } });
  }

  /** Does what was begun until it has ended. */
  async finish(): Promise<void> {
    await this.app.operations.take('currency', 0);
    if (await this.isUnderway()) fail('currency_changing');
  }

  readonly work: OperationRunner = {
    kind: 'currency',
    lease: () => 'ledger.currency',
    size: FIRST_STEP,
    step: async ({ work, size, commit }) => {
      const changing = work.details as CurrencyProgress; // as #begin stored it
      const { phase, from, to, after_id: afterId } = changing;
      const ids = await affiliatesAfter(this.app.db, afterId, size);
      if (phase === 'count' && afterId === 0) await sleep(KNOWN_EVERYWHERE_MS);
      await commit(async (trx, afterCommit) => {
        await lockAffiliates(trx, ids);
        if (phase === 'mark') {
          await nameCurrency(trx, from, ids);
          await markCurrency(trx, from, ids);
        } else await countInCurrency(trx, to, ids);
        const hasEnded = ids.length === 0;
        if (hasEnded && phase === 'count')
          afterCommit(() => this.app.hooks.doAction('currency_changed', to, from));
        return { done: ids.length, details: { ...changing, after_id: ids.at(-1) ?? afterId }, hasEnded };
      });
    },
  };

  async #begin(trx: Db, details: CurrencyProgress): Promise<void> {
    const total = await countAffiliates(trx);
    await this.app.operations.begin(trx, { kind: 'currency', done: 0, total, details });
  }
}
