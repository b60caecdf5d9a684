import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { rewardWords } from '../../../src/core/rewards/terms.js';
import { boot } from '../../shared/boot.js';
import { ChoiceInput } from '../../shared/choice-input.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { Panel, Problem, Waiting } from '../../shared/parts.js';
import { AmountInput, parseInput } from '../../shared/typed.js';
import { t } from '../../shared/texts.js';
import { AffiliateChooser } from '../people.js';
import { RuleList } from '../rule-list.js';
import type { Rule } from './draft.js';
import { areAllPlaced } from './faults.js';

type ExampleResult = ResponseOf<'rewards.try'>['tried'];

/** The commission of an example order with the rules as entered. */
export function Example({ rules }: { rules: readonly Rule[] }): ReactNode {
  const { currency } = boot().program;
  const [affiliate, setAffiliate] = useState('');
  const [total, setTotal] = useState('100');
  const [kind, setKind] = useState<'sale' | 'renewal' | 'lead'>('sale');
  const [coupon, setCoupon] = useState('');
  const subtotal = parseInput(total, currency);
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
          <ChoiceInput
            label={t('For')}
            data={(['sale', 'lead'] as const).map((value) => ({
              value,
              label: rewardWords(boot().locale).events[value],
            }))}
            value={kind}
            onChange={(next) => setKind(next)}
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
        ) : areAllPlaced(reading.error) ? (
          <p className="fa-faint">{t('A field of the rules is not right yet. “Save the draft” marks it.')}</p>
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

function Outcome({ tried }: { tried: ExampleResult }): ReactNode {
  const { counted } = tried.rules;
  return (
    <div className="fa-stack" role="status">
      <p className="fa-outcome">
        {t('Commission')} <strong>{money(tried.amount, tried.currency)}</strong>
      </p>
      {counted.every(({ from }) => from === 'settings') && (
        <p>{t('No rule matches, so the affiliate, group or program rate applies.')}</p>
      )}
      <RuleList rules={tried.rules} />
    </div>
  );
}
