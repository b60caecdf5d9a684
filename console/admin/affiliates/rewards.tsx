import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMay } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { Money } from '../../shared/money.js';
import { Loaded, AppLink, Empty, Panel } from '../../shared/parts.js';
import { BonusState, GoalList, LevelFacts, LevelHistory, sentenceIn } from '../../shared/rewards.js';
import { Sheet } from '../../shared/sheet.js';
import { t } from '../../shared/texts.js';
import { rateText } from '../rates.js';

type Progress = AnswerOf<'affiliates.progress'>;

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
  const rules = terms.rules.filter(({ event }) => event !== 'bonus');
  const { level, bonuses, currency } = progress;
  return (
    <div className="fa-stack">
      <Panel
        title={t('Current rates')}
        about={t('For new orders. The first rule that fits counts; else {rate}.', {
          rate: rateText(terms.base),
        })}
      >
        {rules.length === 0 ? (
          <Empty title={t('No reward rule counts here')} />
        ) : (
          <ul className="fa-rules">
            {rules.map((rule) => (
              <li key={rule.key}>
                {rule.title !== '' && <strong>{rule.title}</strong>}
                <span>{sentenceIn(rule.sentences)}</span>
              </li>
            ))}
          </ul>
        )}
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
