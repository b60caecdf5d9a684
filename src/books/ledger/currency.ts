import type { AfterCommit, Db } from '../../platform/database/db.js';
import { minor, toDecimal } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { Needs } from './needs.js';
import {
  countInCurrency,
  hasOpenPayout,
  lockAllAffiliates,
  nameCurrency,
  owedIn,
} from './currency-queries.js';

interface CurrencyChange {
  readonly from: string;
  readonly to: string;
  readonly confirm: boolean;
  readonly afterCommit: AfterCommit;
}

/**
 * Changes the program's currency: earnings are computed again in the new one, and amounts without a currency
 * get the old one. Runs in the transaction that saves the setting; while a payout is open, or money is owed in
 * the old currency, only if that is confirmed.
 */
export async function changeCurrency(
  app: Needs,
  trx: Db,
  { from, to, confirm, afterCommit }: CurrencyChange,
): Promise<void> {
  await lockAllAffiliates(trx);
  if (!confirm && (await hasOpenPayout(trx))) fail('payout_open');
  const owed = await owedIn(trx, from);
  if (!confirm && owed !== 0)
    fail('currency_owed', { data: { owed: [{ currency: from, amount: toDecimal(minor(owed), from) }] } });
  await nameCurrency(trx, from);
  await countInCurrency(trx, to);
  await app.audit.write(trx, {
    action: 'settings.currency_changed',
    object_type: 'settings',
    object_id: null,
    before: { currency: from },
    after: { currency: to, confirmed: confirm },
  });
  afterCommit(() => app.hooks.doAction('currency_changed', to, from));
}
