import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { rewardWords } from '../../../src/core/rewards/terms.js';
import { boot, useMay } from '../../shared/boot.js';
import { useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { Money } from '../../shared/money.js';
import { AppLink, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { BonusState, GoalList, inOrder, LevelFacts, LevelHistory, sentenceIn } from '../../shared/rewards.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';

type Progress = ResponseOf<'affiliates.progress'>;

const EVENTS = ['sale', 'activation', 'renewal', 'lead'] as const;

/** Current rates for new orders, goals, bonuses and the level. */
export const AffiliateRewards = ({ id }: { id: string }): ReactNode => (
  <QueryView of="affiliates.progress" input={{ params: { id } }} lines={8}>
    {(answer) => <Content id={id} answer={answer} />}
  </QueryView>
);

function Content({ id, answer: { terms, progress } }: { id: string; answer: Progress }): ReactNode {
  const { level, bonuses, currency } = progress;
  return (
    <div className="fa-stack">
      <Panel
        title={t('Current rates')}
        about={t('For new orders. The first matching rule applies, otherwise the rate next to it.')}
        flush
      >
        <Rates terms={terms} />
      </Panel>
      <Panel title={t('Goals')}>
        <GoalList progress={progress} />
      </Panel>
      {level !== null && (
        <Panel title={t('Level')} actions={<Pin id={id} pinned={level.pinned} />}>
          <LevelFacts level={level} currency={currency} />
          <LevelHistory level={level} currency={currency} />
        </Panel>
      )}
      {bonuses.length > 0 && (
        <Panel title={t('Bonuses')} flush>
          <Sheet
            rows={bonuses}
            rowKey={({ referral_id: referral }) => String(referral)}
            columns={[
              {
                label: t('Goal'),
                cell: (row) => <AppLink href={`/referrals/${row.referral_id}`}>{row.title}</AppLink>,
              },
              { label: t('Status'), cell: (row) => <BonusState of={row.state} /> },
              { label: t('Date'), cell: (row) => <DateTime at={row.created_at} /> },
              {
                label: t('Amount'),
                number: true,
                cell: (row) => <Money amount={row.amount} currency={row.currency} />,
              },
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

/** The current rate per kind of order. */
function Rates({ terms }: { terms: Progress['terms'] }): ReactNode {
  const { rates } = terms;
  const rules = inOrder(terms.rules);
  const { events } = rewardWords(boot().locale);
  const ofEvent = <T extends { readonly event: string }>(list: readonly T[], event: string): readonly T[] =>
    list.filter((each) => each.event === event);
  const rows = EVENTS.filter((event) => event !== 'activation' || ofEvent(rules, event).length > 0);
  return (
    <Sheet
      rows={rows}
      rowKey={(event) => event}
      columns={[
        { label: t('For'), cell: (event) => <strong>{events[event]}</strong> },
        {
          label: t('Rules, in order'),
          cell: (event) =>
            ofEvent(rules, event).length === 0 ? (
              '—'
            ) : (
              <ol className="fa-rules">
                {ofEvent(rules, event).map((rule) => (
                  <li key={rule.key}>
                    {rule.title !== '' && <strong>{rule.title}</strong>}
                    <span>{sentenceIn(rule.sentences)}</span>
                  </li>
                ))}
              </ol>
            ),
        },
        {
          label: t('If no rule matches'),
          cell: (event) =>
            ofEvent(rates, event === 'activation' ? 'sale' : event).length === 0
              ? t('Nothing')
              : ofEvent(rates, event === 'activation' ? 'sale' : event).map((rate) => (
                  <div key={rate.source}>{sentenceIn(rate.sentences)}</div>
                )),
        },
      ]}
    />
  );
}

/** Pins the affiliate to its group, so that levels do not move it, or unpins it. */
function Pin({ id, pinned }: { id: string; pinned: 'yes' | 'no' }): ReactNode {
  const pin = useWrite('affiliates.pin_level');
  const may = useMay('affiliates', 'write');
  if (!may) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={pin.running}
      onClick={() => pin.press({ params: { id }, body: { pinned: pinned === 'yes' ? 'no' : 'yes' } })}
    >
      {pinned === 'yes' ? t('Unpin the group') : t('Pin the group')}
    </Button>
  );
}
