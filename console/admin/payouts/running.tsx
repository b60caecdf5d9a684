import { Alert, Progress } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { queries, useRead, type AnswerOf, type UseQueryResult } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { AppLink } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';

type Work = AnswerOf<'payouts.running'>['works'][number];

/** Payouts that are being made or undone, read again while there are any. */
export function useRunning(): UseQueryResult<AnswerOf<'payouts.running'>> {
  const reading = useRead('payouts.running', undefined, { every: ({ works }) => works.length > 0 && 1500 });
  const count = reading.data?.works.length ?? 0;
  const [before, setBefore] = useState(count);
  useEffect(() => {
    if (count < before) void queries.invalidateQueries(); // one is finished: the lists have changed
    setBefore(count);
  }, [before, count]);
  return reading;
}

/** How much of it is done in a second. */
export function workRate({ done, started_at: from, seen_at: until }: Work): number {
  const seconds = (Date.parse(until ?? '') - Date.parse(from ?? '')) / 1000;
  return seconds > 0 ? done / seconds : 0;
}

/** How many are done, how fast, and how long it still takes. */
export function HowFar({
  done,
  total,
  perSecond,
}: {
  done: number;
  total: number;
  perSecond: number;
}): ReactNode {
  const left = perSecond === 0 ? 0 : Math.ceil((total - done) / perSecond);
  return (
    <div className="fa-stack" role="status">
      <Progress size={4} value={(done / total) * 100} aria-label={t('Progress')} />
      <span className="fa-number">
        {t('{done} of {total} payments', { done: number(done), total: number(total) })}
        {perSecond > 0 && `, ${t('{rate} per second', { rate: number(Math.round(perSecond)) })}`}
        {left > 0 && `, ${tn('{count} second left', '{count} seconds left', left)}`}
      </span>
    </div>
  );
}

/** Payouts that are being made or undone now, whoever began it. */
export function RunningPayouts(): ReactNode {
  const works = useRunning().data?.works ?? [];
  if (works.length === 0) return null;
  return (
    <div className="fa-notes" style={{ marginBlockEnd: 20 }}>
      {works.map((work) => (
        <Running key={`${work.kind} ${work.payout_id}`} work={work} />
      ))}
    </div>
  );
}

function Running({ work }: { work: Work }): ReactNode {
  if (work.kind === 'payout')
    return (
      <Making
        referrals={work.total}
        text={
          <>
            {t('Started')} <When at={work.started_at} full />
          </>
        }
      />
    );
  return (
    <Alert
      color="yellow"
      title={work.running ? t('A payout is being undone') : t('A payout is undone in part only')}
    >
      <div className="fa-stack">
        <HowFar done={work.done} total={work.total} perSecond={work.running ? workRate(work) : 0} />
        <AppLink href={`/payouts/${work.payout_id}`}>{t('Open the payout')}</AppLink>
      </div>
    </Alert>
  );
}

/** A payout run: all or nothing, so there is no part of it to count. */
export const Making = ({ referrals, text }: { referrals: number; text: ReactNode }): ReactNode => (
  <Alert color="blue" title={t('A payout is being made')} role="status">
    <div className="fa-stack">
      <Progress size={4} value={100} animated aria-label={t('Progress')} />
      <span className="fa-number">
        {tn('{count} referral', '{count} referrals', referrals)} · {text}
      </span>
    </div>
  </Alert>
);
