import type { ReactNode } from 'react';
import { useRead, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { Money } from '../../shared/money.js';
import { Loaded, AppLink, PageHead, Panel } from '../../shared/parts.js';
import { BonusState, GoalList, inOrder, LevelFacts, LevelHistory, sentenceIn } from '../../shared/rewards.js';
import { t } from '../../shared/texts.js';
import { Deal } from '../deal/deal.js';

type Rewards = AnswerOf<'portal.rewards'>;

/** What counts for this affiliate now: rules, goals, level and bonuses. */
export function Terms(): ReactNode {
  const reading = useRead('portal.rewards');
  return (
    <>
      <PageHead
        title={t('Terms')}
        about={t('What you earn for new orders, and what you can reach. What you have earned stays.')}
      />
      <div className="fa-stack">
        <Loaded of={reading} lines={6}>
          {(rewards) => <Own rewards={rewards} />}
        </Loaded>
        <Deal />
      </div>
    </>
  );
}

function Own({ rewards: { terms, progress } }: { rewards: Rewards }): ReactNode {
  const rules = inOrder(terms.rules).filter(({ event }) => event !== 'bonus');
  return (
    <>
      {rules.length > 0 && (
        <Panel
          title={t('Rules for your commissions')}
          about={t('The first rule that fits counts. Where none fits, your share below counts.')}
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
                    <When at={bonus.created_at} />
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
