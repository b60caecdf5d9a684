import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { rewardWords } from '../../../src/core/rewards/terms.js';
import { boot, useMay } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { Money } from '../../shared/money.js';
import { Loaded, AppLink, Panel } from '../../shared/parts.js';
import { BonusState, GoalList, inOrder, LevelFacts, LevelHistory, sentenceIn } from '../../shared/rewards.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';

type Progress = AnswerOf<'affiliates.progress'>;

const EVENTS = ['sale', 'activation', 'renewal', 'lead'] as const;

/** What would count for new orders now, goals, bonuses and the level. */
export function AffiliateRewards({ id }: { id: string }): ReactNode {
  const reading = useRead('affiliates.progress', { params: { id } });
  return (
    <Loaded of={reading} lines={8}>
      {(answer) => <Content id={id} answer={answer} />}
    </Loaded>
  );
}

function Content({ id, answer: { terms, progress } }: { id: string; answer: Progress }): ReactNode {
  const { level, bonuses, currency } = progress;
  return (
    <div className="fa-stack">
      <Panel
        title={t('Current rates')}
        about={t('For new orders. The first rule that fits counts; else the rate beside it.')}
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
              { label: t('Date'), cell: (row) => <When at={row.created_at} /> },
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

/** What would count now, for each kind of order. */
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
          label: t('Rules, in their order'),
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
          label: t('Where no rule fits'),
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

/** Keeps the affiliate in its group, or lets levels move it again. */
function Pin({ id, pinned }: { id: string; pinned: 'yes' | 'no' }): ReactNode {
  const pin = useWrite('affiliates.pin_level');
  const may = useMay('affiliates', 'write');
  if (!may) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={pin.running}
      onClick={() =>
        void pin
          .run({ params: { id }, body: { pinned: pinned === 'yes' ? 'no' : 'yes' } })
          .catch(() => undefined)
      }
    >
      {pinned === 'yes' ? t('Let levels move the group') : t('Keep the group')}
    </Button>
  );
}
