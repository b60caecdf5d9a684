import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { money } from '../../shared/money.js';
import { stateText } from '../../shared/money-states.js';
import { AppLink } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';
import { nameOf } from '../people.js';
import type { Preview } from './preview.js';

/** Excluded affiliates with the reasons, and warnings. */
export function LeftOut({ preview }: { preview: Preview }): ReactNode {
  const people = new Map(preview.payable_affiliates.map((row) => [row.id, nameOf(row)]));
  const missing = preview.warnings.filter(({ code }) => code === 'missing_payment_details');
  const unpaid = preview.unpaid.filter(({ reason }) => reason !== 'paid_now');
  const inactive = preview.warnings.filter(({ code }) => code === 'affiliate_inactive');
  const changed = preview.warnings.filter(({ code }) => code === 'payee_changed');
  const names = (rows: readonly { affiliate_id: number }[]): ReactNode =>
    rows.slice(0, 10).map(({ affiliate_id: id }, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <AppLink href={`/affiliates/${id}?tab=settings`}>{people.get(id) ?? `#${id}`}</AppLink>
      </span>
    ));
  return (
    <div className="fa-notes">
      {missing.length > 0 && (
        <Alert
          color="yellow"
          title={tn(
            '{count} affiliate has no payment details',
            '{count} affiliates have no payment details',
            missing.length,
          )}
        >
          {names(missing)}
        </Alert>
      )}
      {inactive.length > 0 && (
        <Alert
          color="yellow"
          title={tn('{count} affiliate is not active', '{count} affiliates are not active', inactive.length)}
        >
          {names(inactive)}
        </Alert>
      )}
      {changed.length > 0 && (
        <Alert color="yellow" title={t('New payment details since the last payment')}>
          {names(changed)}
        </Alert>
      )}
      {unpaid.length > 0 && (
        <Alert color="gray" title={t('Unpaid and not in this payout')}>
          <ul className="fa-plain-list">
            {unpaid.map((row) => (
              <li key={row.reason + row.currency}>
                <strong className="fa-number">{money(row.amount, row.currency)}</strong>{' '}
                {leftOutText(row.reason)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {preview.unknown_affiliate_ids.length > 0 && (
        <Alert
          color="yellow"
          title={t('Not found: {ids}', { ids: preview.unknown_affiliate_ids.join(', ') })}
        />
      )}
    </div>
  );
}

function leftOutText(reason: string): string {
  const texts: Readonly<Record<string, string>> = {
    held: stateText('held'),
    until: stateText('waiting'),
    other_currency: t('is in another currency'),
    outside_range: t('is outside the range'),
    not_selected: t('belongs to affiliates you didn’t choose'),
    inactive: t('belongs to inactive affiliates'),
    no_payment_details: t('belongs to affiliates without payment details'),
    below_minimum: t('is below the minimum'),
    user_missing: t('belongs to deleted users'),
  };
  return texts[reason] ?? reason;
}
