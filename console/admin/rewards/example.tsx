import { Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { rewardWords } from '../../../src/core/rewards/terms.js';
import { boot } from '../../shared/boot.js';
import { useRead, type AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Panel, Problem, Waiting } from '../../shared/parts.js';
import { AmountInput, readTyped } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser } from '../people.js';
import { RuleList } from '../rule-list.js';
import type { Rule } from './draft.js';

type Tried = AnswerOf<'rewards.try'>['tried'];

/** What these rules give for one order, as they are typed. */
export function Example({ rules }: { rules: readonly Rule[] }): ReactNode {
  const { currency } = boot().program;
  const [affiliate, setAffiliate] = useState('');
  const [total, setTotal] = useState('100');
  const [kind, setKind] = useState<'sale' | 'renewal' | 'lead'>('sale');
  const [coupon, setCoupon] = useState('');
  const subtotal = readTyped(total, currency);
  const order =
    kind === 'lead'
      ? { type: 'lead' }
      : {
          order: { subtotal },
          ...(coupon !== '' && { coupon }),
          ...(kind === 'renewal' && { subscription: { id: 'example', phase: 'renewal' } }),
        };
  const [body] = useDebouncedValue(JSON.stringify({ affiliate_id: Number(affiliate), order, rules }), 300);
  const isReady = affiliate !== '' && (kind === 'lead' || subtotal !== null);
  const reading = useRead('rewards.try', { body: JSON.parse(body) as never }, { enabled: isReady });
  return (
    <Panel title={t('Try it')} about={t('One order by the rules on this page. Nothing is stored.')}>
      <div className="fa-stack">
        <AffiliateChooser label={t('Affiliate')} value={affiliate} onChange={setAffiliate} />
        <div className="fa-rule-grid">
          <Select
            label={t('For')}
            allowDeselect={false}
            data={(['sale', 'lead'] as const).map((value) => ({
              value,
              label: rewardWords(boot().locale).events[value],
            }))}
            value={kind}
            onChange={(next) => next && setKind(next)}
          />
          {kind !== 'lead' && <AmountInput label={t('Order value')} value={total} onChange={setTotal} />}
          {kind !== 'lead' && (
            <TextInput
              label={t('Coupon')}
              value={coupon}
              onChange={(event) => setCoupon(event.currentTarget.value)}
            />
          )}
        </div>
        {affiliate === '' ? (
          <p className="fa-faint">{t('Choose an affiliate to see what the order earns.')}</p>
        ) : reading.error ? (
          <Problem error={reading.error} />
        ) : reading.data ? (
          <Outcome tried={reading.data.tried} />
        ) : (
          <Waiting lines={3} />
        )}
      </div>
    </Panel>
  );
}

function Outcome({ tried }: { tried: Tried }): ReactNode {
  const { counted } = tried.rules;
  return (
    <div className="fa-stack" role="status">
      <p className="fa-outcome">
        {t('Commission')} <strong>{money(tried.amount, tried.currency)}</strong>
      </p>
      {counted.every(({ from }) => from === 'settings') && (
        <p>{t('No rule counts, so the rate of the affiliate, the group or the program does.')}</p>
      )}
      <RuleList rules={tried.rules} />
    </div>
  );
}
