import type { ReactNode } from 'react';
import type { ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { Money } from '../../shared/money.js';
import { AppLink, PageHead, Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { BonusState, GoalList, inOrder, LevelFacts, LevelHistory, sentenceIn } from '../../shared/rewards.js';
import { t } from '../../shared/texts.js';
import { Deal } from '../deal/deal.js';

type Rewards = ResponseOf<'portal.rewards'>;

/** The current terms of the affiliate: rules, goals, level and bonuses. */
export const Terms = (): ReactNode => (
  <>
    <PageHead title={t('Terms')} about={t('Your rates and goals for new orders. Earned commissions stay.')} />
    <div className="fa-stack">
      <QueryView of="portal.rewards" lines={6}>
        {(rewards) => <TermsPanels rewards={rewards} />}
      </QueryView>
      <Deal />
    </div>
  </>
);

function TermsPanels({ rewards: { terms, progress } }: { rewards: Rewards }): ReactNode {
  const rules = inOrder(terms.rules).filter(({ event }) => event !== 'bonus');
  return (
    <>
      {rules.length > 0 && (
        <Panel
          title={t('Rules for your commissions')}
          about={t('The first matching rule applies. If none matches, your share below applies.')}
        >
          <ul className="fa-rules">
            {rules.map((rule) => (
              <li key={rule.key}>
                {rule.title !== '' && <strong>{rule.title}</strong>}
                <span>{sentenceIn(rule.sentences)}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {progress.goals.length > 0 && (
        <Panel title={t('Goals')}>
          <GoalList progress={progress} />
        </Panel>
      )}
      {progress.level !== null && (
        <Panel title={t('Your level')}>
          <LevelFacts level={progress.level} currency={progress.currency} />
          <LevelHistory level={progress.level} currency={progress.currency} />
        </Panel>
      )}
      {progress.bonuses.length > 0 && (
        <Panel title={t('Your bonuses')}>
          <ul className="fa-moves">
            {progress.bonuses.map((bonus) => (
              <li key={bonus.referral_id}>
                <span>
                  <AppLink href={`/earnings?search=${encodeURIComponent(bonus.title)}`}>
                    {bonus.title}
                  </AppLink>{' '}
                  <BonusState of={bonus.state} />
                </span>
                <span>
                  <Money amount={bonus.amount} currency={bonus.currency} />{' '}
                  <span className="fa-faint">
                    <DateTime at={bonus.created_at} />
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
