import { Alert, Button, Progress } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useMay } from '../../shared/boot.js';
import { queries, useRead, useWrite, type AnswerOf, type UseQueryResult } from '../../shared/data.js';
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
  referrals = false,
}: {
  done: number;
  total: number;
  perSecond: number;
  /** It counts referrals, not payments. */
  referrals?: boolean;
}): ReactNode {
  const said = { done: number(done), total: number(total) };
  const left = perSecond === 0 ? 0 : Math.ceil((total - done) / perSecond);
  return (
    <div className="fa-stack" role="status">
      <Progress size={4} value={(done / total) * 100} aria-label={t('Progress')} />
      <span className="fa-number">
        {referrals ? t('{done} of {total} referrals', said) : t('{done} of {total} payments', said)}
        {perSecond > 0 && `, ${t('{rate} per second', { rate: number(Math.round(perSecond)) })}`}
        {left > 0 && `, ${tn('{count} second left', '{count} seconds left', left)}`}
      </span>
    </div>
  );
}

/** Payouts that are being made, marked paid or undone now, whoever began it; with `of`, those of one payout. */
export function RunningPayouts({ of }: { of?: number }): ReactNode {
  const all = useRunning().data?.works ?? [];
  // the undo of a payout is shown by UndoCourse on its own page
  const works = of === undefined ? all : all.filter((work) => work.payout_id === of && work.kind !== 'undo');
  if (works.length === 0) return null;
  return (
    <div className="fa-notes" style={{ marginBlockEnd: 20 }}>
      {works.map((work) => (
        <Running key={`${work.kind} ${work.payout_id}`} work={work} isOpen={of !== undefined} />
      ))}
    </div>
  );
}

const TITLES = {
  payout: () => t('A payout is being made'),
  paid: () => t('A payout is being marked as paid'),
  undo: () => t('A payout is being undone'),
};

function Running({ work, isOpen }: { work: Work; isOpen: boolean }): ReactNode {
  const { kind, payout_id: id, running } = work;
  if (id === null)
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
  const stopped = kind === 'undo' ? t('A payout is undone in part only') : t('It was stopped');
  return (
    <Alert color={running ? 'blue' : 'yellow'} title={running ? TITLES[kind]() : stopped}>
      <div className="fa-stack">
        <HowFar
          done={work.done}
          total={work.total}
          perSecond={running ? workRate(work) : 0}
          referrals={kind === 'payout'}
        />
        {kind === 'payout' && <Turn id={id} running={running} />}
        {!isOpen && <AppLink href={`/payouts/${id}`}>{t('Open the payout')}</AppLink>}
      </div>
    </Alert>
  );
}

/** Stops the making of a payout after its step, or goes on with it. */
function Turn({ id, running }: { id: number; running: boolean }): ReactNode {
  const stop = useWrite('payouts.stop', { done: null });
  const goOn = useWrite('payouts.go_on', { done: null });
  const turn = running ? stop : goOn;
  if (!useMay('payouts', 'write')) return null;
  return (
    <Button
      variant="default"
      style={{ justifySelf: 'start' }}
      loading={turn.running}
      onClick={() => void turn.run({ params: { id } }).catch(() => undefined)}
    >
      {running ? t('Stop') : t('Go on')}
    </Button>
  );
}

/** A payout run that asks its extensions: there is no part of it to count yet. */
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
