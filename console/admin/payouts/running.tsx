import { Alert, Button, Progress } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useMay } from '../../shared/boot.js';
import {
  queries,
  useRead,
  useSentences,
  useWrite,
  type ResponseOf,
  type UseQueryResult,
} from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { AppLink } from '../../shared/parts.js';
import { number, t, tn } from '../../shared/texts.js';
import { errorText } from '../../shared/toast.js';

type Work = ResponseOf<'payouts.running'>['works'][number];

/** Payouts that are being created or undone; polls while there are any. */
export function useRunning(): UseQueryResult<ResponseOf<'payouts.running'>> {
  const reading = useRead('payouts.running', undefined, { every: ({ works }) => works.length > 0 && 1500 });
  const count = reading.data?.works.length ?? 0;
  const [before, setBefore] = useState(count);
  useEffect(() => {
    if (count < before) void queries.invalidateQueries(); // one has finished, so the lists have changed
    setBefore(count);
  }, [before, count]);
  return reading;
}

/** Rows per second. */
export function workRate({ done, started_at: from, seen_at: until }: Work): number {
  const seconds = (Date.parse(until ?? '') - Date.parse(from ?? '')) / 1000;
  return seconds > 0 ? done / seconds : 0;
}

/** Progress, speed and time left. */
export function ProgressText({
  done,
  total,
  perSecond,
  referrals = false,
}: {
  done: number;
  total: number;
  perSecond: number;
  /** Counts commissions instead of payments. */
  referrals?: boolean;
}): ReactNode {
  const counts = { done: number(done), total: number(total) };
  const left = perSecond === 0 ? 0 : Math.ceil((total - done) / perSecond);
  return (
    <div className="fa-stack" role="status">
      <Progress size={4} value={(done / total) * 100} aria-label={t('Progress')} />
      <span className="fa-number">
        {referrals ? t('{done} of {total} commissions', counts) : t('{done} of {total} payments', counts)}
        {perSecond > 0 && `, ${t('{rate} per second', { rate: number(Math.round(perSecond)) })}`}
        {left > 0 && `, ${tn('{count} second left', '{count} seconds left', left)}`}
      </span>
    </div>
  );
}

/** Why an operation was stopped; nothing when a person stopped it. */
export function StopReason({ reason, message }: Pick<Work, 'reason' | 'message'>): ReactNode {
  const known = useSentences();
  if (reason === null || !known) return null;
  return (
    <p>
      {t('A step failed three times.')}{' '}
      {message === null ? t('The log has the cause.') : errorText(reason, message)}
    </p>
  );
}

/** Payouts that are being created, marked as paid or undone by any user; with `of`, those of one payout. */
export function RunningPayouts({ of }: { of?: number }): ReactNode {
  const all = useRunning().data?.works ?? [];
  // UndoProgress on the page of the payout shows its undo
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
  payout: () => t('A payout is being created'),
  paid: () => t('A payout is being marked as paid'),
  undo: () => t('A payout is being undone'),
};

function Running({ work, isOpen }: { work: Work; isOpen: boolean }): ReactNode {
  const { kind, payout_id: id, running } = work;
  if (id === null)
    return (
      <CreatingPayout
        referrals={work.total}
        text={
          <>
            {t('Started')} <DateTime at={work.started_at} full />
          </>
        }
      />
    );
  const stopped = kind === 'undo' ? t('A payout is partly undone') : t('It was stopped');
  return (
    <Alert color={running ? 'blue' : 'yellow'} title={running ? TITLES[kind]() : stopped}>
      <div className="fa-stack">
        <ProgressText
          done={work.done}
          total={work.total}
          perSecond={running ? workRate(work) : 0}
          referrals={kind === 'payout'}
        />
        {!running && <StopReason {...work} />}
        {(kind === 'payout' || (kind === 'paid' && !running)) && <PauseButton id={id} running={running} />}
        {!isOpen && <AppLink href={`/payouts/${id}`}>{t('Open the payout')}</AppLink>}
      </div>
    </Alert>
  );
}

/** Pauses the creation of a payout after its current step, or resumes what was stopped. */
function PauseButton({ id, running }: { id: number; running: boolean }): ReactNode {
  const stop = useWrite('payouts.stop', { done: null });
  const resume = useWrite('payouts.go_on', { done: null });
  const toggle = running ? stop : resume;
  if (!useMay('payouts', 'write')) return null;
  return (
    <Button
      variant="default"
      style={{ justifySelf: 'start' }}
      loading={toggle.running}
      onClick={() => toggle.press({ params: { id } })}
    >
      {running ? t('Stop') : t('Continue')}
    </Button>
  );
}

/** A payout that waits for extensions has nothing to count yet. */
export const CreatingPayout = ({ referrals, text }: { referrals: number; text: ReactNode }): ReactNode => (
  <Alert color="blue" title={t('A payout is being created')} role="status">
    <div className="fa-stack">
      <Progress size={4} value={100} animated aria-label={t('Progress')} />
      <span className="fa-number">
        {tn('{count} referral', '{count} commissions', referrals)} · {text}
      </span>
    </div>
  </Alert>
);
