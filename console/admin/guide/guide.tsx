import { Button, Progress } from '@mantine/core';
import { IconAlertTriangle, IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { Loaded, PageHead, Panel, Waiting } from '../../shared/parts.js';
import { t, word } from '../../shared/texts.js';
import { PasteLines } from '../settings/paste-lines.js';
import { wordsOf, type Step, type StepWords } from './steps.js';

type Steps = ResponseOf<'guide.steps'>;

/** The setup guide. The link in the test mail opens it. */
export function Guide(): ReactNode {
  return (
    <>
      <PageHead
        title={t('Going live')}
        about={t('Set up your program, up to the first payout. Each step is ticked when it’s done.')}
      />
      <MailArrived />
      <Steps />
    </>
  );
}

/** Confirms the link in the test mail. */
function MailArrived(): ReactNode {
  const address = useAddress();
  const opened = useWrite('guide.mail_opened', { done: t('The test mail has arrived.') });
  const key = address.get('mail');
  const announced = useRef('');
  useEffect(() => {
    if (key === '' || announced.current === key) return;
    announced.current = key;
    void opened
      .run({ body: { key } })
      .catch(() => undefined)
      .finally(() => address.set({ mail: null }, { replace: true }));
  }, [key]);
  return null;
}

export function Steps(): ReactNode {
  const reading = useRead('guide.steps');
  return (
    <Loaded of={reading} lines={12}>
      {(guide) => (
        <Panel
          title={guide.done === guide.total ? t('Everything is done') : t('Steps')}
          actions={
            <>
              <StepCount {...guide} />
              <Button
                size="compact-sm"
                variant="default"
                loading={reading.isFetching}
                onClick={() => void reading.refetch()}
              >
                {t('Check again')}
              </Button>
            </>
          }
          flush
        >
          <ol className="fa-way">
            {guide.steps.map((step) => (
              <StepRow key={step.key} step={step} isNext={step === nextOf(guide)} />
            ))}
          </ol>
        </Panel>
      )}
    </Loaded>
  );
}

const nextOf = ({ steps }: Steps): Step | undefined =>
  steps.find(({ state }) => state === 'broken') ?? steps.find(({ state }) => state === 'open');

const StepCount = ({ done, total }: Pick<Steps, 'done' | 'total'>): ReactNode => (
  <span className="fa-row">
    <Progress size={6} w={72} value={(done / total) * 100} aria-label={t('Progress')} />
    <span className="fa-faint fa-number">{t('{done} of {count}', { done, count: total })}</span>
  </span>
);

const MARKS = {
  done: <IconCircleCheck size={20} color="var(--fa-green)" aria-hidden="true" />,
  open: <IconCircle size={20} color="var(--fa-faint)" aria-hidden="true" />,
  broken: <IconAlertTriangle size={20} color="var(--fa-amber)" aria-hidden="true" />,
};

function StepRow({ step, isNext }: { step: Step; isNext: boolean }): ReactNode {
  const { title, text, place, lines } = wordsOf(step);
  const isDone = step.state === 'done';
  const states = { done: t('Done'), open: word('open'), broken: t('Stopped') };
  return (
    <li className={isDone ? 'fa-way-done' : undefined} {...(isNext && { 'aria-current': 'step' })}>
      {MARKS[step.state]}
      <div className="fa-way-text">
        <h3>
          {title}{' '}
          {!isDone && (
            <span className="fa-way-who">
              {step.who === 'developer' ? t('for a developer') : t('for an administrator')}
            </span>
          )}
          <span className="fa-hidden">{states[step.state]}</span>
        </h3>
        <p className="fa-about fa-wrap">{text}</p>
        {!isDone && lines !== undefined && (
          <PasteLines {...lines} open={isNext && step.who === 'developer'} />
        )}
      </div>
      <div className="fa-way-actions">
        {!isDone && <StepAction step={step} isNext={isNext} />}
        {place !== undefined && (
          <PlaceButton place={place} variant={isNext && !hasAction(step) ? 'filled' : 'default'} />
        )}
      </div>
    </li>
  );
}

const PlaceButton = ({
  place: { href, label },
  variant,
}: {
  place: NonNullable<StepWords['place']>;
  variant: 'filled' | 'default';
}): ReactNode => {
  const look = { size: 'compact-sm', variant } as const;
  return href.startsWith('/') ? (
    <Button {...look} component={Link} href={href}>
      {label}
    </Button>
  ) : (
    <Button {...look} component="a" href={href} target="_blank" rel="noopener">
      {label}
    </Button>
  );
};

const hasAction = ({ key, facts }: Step): boolean =>
  facts['sent'] !== 'opened' && ['rates', 'payment', 'mail', 'test_order'].includes(key);

/** The action of a step, if it has one. */
function StepAction({ step, isNext }: { step: Step; isNext: boolean }): ReactNode {
  const confirm = useWrite('guide.confirm', { done: t('Confirmed.') });
  const mail = useWrite('guide.test_mail');
  const order = useWrite('guide.test_order');
  const look = { size: 'compact-sm', variant: isNext ? 'filled' : 'default' } as const;
  if (!hasAction(step)) return null;
  switch (step.key) {
    case 'rates':
    case 'payment': {
      const { key } = step;
      return (
        <Button {...look} loading={confirm.running} onClick={() => void confirm.run({ body: { step: key } })}>
          {t('That’s right')}
        </Button>
      );
    }
    case 'mail':
      return (
        <Button {...look} loading={mail.running} onClick={() => mail.press({})}>
          {step.facts['sent'] === 'yes' ? t('Send it again') : t('Send a test mail')}
        </Button>
      );
    case 'test_order':
      return (
        <Button {...look} loading={order.running} onClick={() => order.press({})}>
          {t('Create a test order')}
        </Button>
      );
    default:
      return null;
  }
}

/** The next step on the overview. Hidden when all steps are done, or when dismissed and no step broke since. */
export function NextStep({ isAway, hide }: { isAway: boolean; hide: ReactNode }): ReactNode {
  const { data } = useRead('guide.steps');
  if (data === undefined) return isAway ? null : <Waiting lines={1} />;
  const next = nextOf(data);
  if (next === undefined || (isAway && next.state !== 'broken')) return null;
  const { title, text } = wordsOf(next);
  return (
    <section className="fa-guide" aria-label={t('Going live')}>
      {MARKS[next.state]}
      <span className="fa-guide-text">
        <strong>{title}</strong> <span className="fa-faint">{text}</span>
      </span>
      <StepCount {...data} />
      <span className="fa-row">
        <Button size="compact-sm" variant="light" component={Link} href="/guide">
          {next.state === 'broken' ? t('Take a look') : t('Continue')}
        </Button>
        {next.state !== 'broken' && hide}
      </span>
    </section>
  );
}
