import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { REWARD_SCOPES } from '../../src/core/rewards/types.js';
import { boot } from './boot.js';
import type { ResponseOf } from './data.js';
import { date } from './dates.js';
import { money } from './money.js';
import { Empty, Facts, Status } from './parts.js';
import { number, t, tn } from './texts.js';

export type RewardProgress = ResponseOf<'affiliates.progress'>['progress'];
type Goal = RewardProgress['goals'][number];
type Level = NonNullable<RewardProgress['level']>;
type Metric = Goal['metric'];

/** The translated sentence of a rule. */
export const sentenceIn = (sentences: Readonly<Record<string, string>>): string =>
  sentences[boot().locale] ?? sentences['en'] ?? '';

type TermRule = ResponseOf<'affiliates.progress'>['terms']['rules'][number];

/** The rules in order of priority. */
export const inOrder = (rules: readonly TermRule[]): readonly TermRule[] =>
  rules.toSorted(
    (a, b) => REWARD_SCOPES.indexOf(a.scope) - REWARD_SCOPES.indexOf(b.scope) || b.priority - a.priority,
  );

/** The threshold of a goal: a count or an amount. */
export function metricText(metric: Metric, value: string, currency: string): string {
  const count = Number(value);
  switch (metric) {
    case 'amount':
      return money(count, currency);
    case 'leads':
      return tn('{count} lead', '{count} leads', count);
    case 'customers':
      return tn('{count} customer', '{count} customers', count);
    default:
      return tn('{count} sale', '{count} sales', count);
  }
}

const shareOf = (value: string, of: string): number =>
  Number(of) <= 0 ? 100 : Math.max(0, Math.min(100, (Number(value) / Number(of)) * 100));

export const bonusStateText = (state: Goal['state']): string =>
  ({
    open: t('Not reached yet'),
    earned: t('Earned'),
    taken_back: t('Undone'),
    refused: t('Refused'),
  })[state];

export const BonusState = ({ of }: { of: Goal['state'] }): ReactNode => (
  <Status
    of={of}
    label={bonusStateText(of)}
    tone={({ open: 'gray', earned: 'green', taken_back: 'amber', refused: 'red' } as const)[of]}
  />
);

/** The next change of a goal, and the effect of refunds. */
function goalNote({ state, until, metric, at_least: least, value }: Goal, currency: string): string {
  const asked = metricText(metric, least, currency);
  if (state === 'earned')
    return t('A refund that leaves less than {goal} takes the bonus back.', { goal: asked });
  if (state === 'taken_back')
    return t('Refunds left {value}. The bonus comes back with {goal}.', {
      value: metricText(metric, value, currency),
      goal: asked,
    });
  return until === null ? t('No end') : t('Until {day}', { day: date(until) });
}

/** Goals with their progress. */
export function GoalList({ progress }: { progress: RewardProgress }): ReactNode {
  const { goals, currency } = progress;
  if (goals.length === 0) return <Empty title={t('No goals')} text={t('No reward goal applies here now.')} />;
  return (
    <ul className="fa-goals">
      {goals.map((goal) => (
        <li key={goal.key}>
          <div className="fa-goal-head">
            <strong>{goal.title}</strong>
            <BonusState of={goal.state} />
          </div>
          <p>{sentenceIn(goal.sentences)}</p>
          <Progress
            value={shareOf(goal.value, goal.at_least)}
            {...(goal.state === 'earned' && { color: 'green' })}
            aria-label={goal.title}
          />
          <div className="fa-goal-foot">
            <span>
              {t('{value} of {goal}', {
                value: goal.metric === 'amount' ? money(goal.value, currency) : number(Number(goal.value)),
                goal: metricText(goal.metric, goal.at_least, currency),
              })}
            </span>
            <span className="fa-faint">{goalNote(goal, currency)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

const nameOf = ({ name, group_id: id }: Level['steps'][number]): string => name ?? t('Group {id}', { id });

/** The current level, the next one, and when it is decided. */
export function LevelFacts({ level, currency }: { level: Level; currency: string }): ReactNode {
  const { steps, current, value, metric, until } = level;
  const next = steps[(current ?? -1) + 1];
  const own = current === null ? undefined : steps[current];
  return (
    <>
      <Facts
        facts={[
          { label: t('Level'), value: <strong>{own === undefined ? t('none') : nameOf(own)}</strong> },
          { label: t('In this period'), value: metricText(metric, value, currency) },
          next !== undefined && {
            label: t('Next level'),
            value: t('{name}, from {goal}', {
              name: nameOf(next),
              goal: metricText(metric, next.at_least, currency),
            }),
          },
          until !== null && { label: t('Decided on'), value: date(until) },
          level.pinned === 'yes' && {
            label: t('Pinned'),
            value: t('The group stays the same at every level.'),
          },
        ]}
      />
      {next !== undefined && (
        <Progress mt="sm" value={shareOf(value, next.at_least)} aria-label={t('Next level')} />
      )}
    </>
  );
}

/** Changes of the level, newest first. */
export const LevelHistory = ({ level, currency }: { level: Level; currency: string }): ReactNode => (
  <ul className="fa-moves">
    {level.history.map((move) => (
      <li key={`${move.window}${String(move.created_at)}`}>
        <span>
          {t('{from} → {to}', {
            from: move.from_name ?? t('none'),
            to: move.to_name ?? t('none'),
          })}
        </span>
        <span className="fa-faint">
          {t('{day}, with {value}', {
            day: date(move.created_at as string),
            value: metricText(move.metric, move.value, currency),
          })}
        </span>
      </li>
    ))}
  </ul>
);
