import { Alert, Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { send } from '../../shared/boot.js';
import type { AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { AppLink, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { errorText, toast } from '../../shared/toast.js';
import { HowFar } from './running.js';
import { begin, run, useCourse, type LeftOut } from './undo-course.js';

type Undo = AnswerOf<'payouts.undo_preview'>['undo'];

interface Props {
  readonly payout: { readonly id: number; readonly title: string };
}

/** Everything of a payout that is not paid yet is released, after it was said what that is. */
export function UndoPayout({ payout: { id, title } }: Props): ReactNode {
  const [looking, setLooking] = useState(false);
  const look = async (): Promise<void> => {
    setLooking(true);
    try {
      const { undo } = await send('payouts.undo_preview', { params: { id } });
      ask({
        title: t('Undo “{title}”?', { title }),
        danger: true,
        text: <What id={id} undo={undo} />,
        yes: t('Undo payout'),
        run: () => begin(id, undo.transactions_count),
      });
    } catch (error) {
      toast.failed(error);
    } finally {
      setLooking(false);
    }
  };
  return (
    <Button variant="default" loading={looking} onClick={() => void look()}>
      {t('Undo payout')}
    </Button>
  );
}

function What({ id, undo }: { id: number; undo: Undo }): ReactNode {
  const course = useCourse(id);
  const sum = (amount: number): string => money(amount, undo.currency);
  return (
    <>
      <div className="fa-dialog-sum">{sum(undo.total_amount)}</div>
      <p>{t('Payments that are not made yet are taken out. Their referrals become unpaid again.')}</p>
      <Facts
        facts={[
          { label: t('Payments taken out'), value: number(undo.transactions_count) },
          { label: t('Referrals released'), value: number(undo.referrals_count) },
          undo.not_due_amount !== 0 && {
            label: t('Of these refunded or disputed since'),
            value: sum(undo.not_due_amount),
          },
          undo.paid_count > 0 && {
            label: t('Marked as paid, stays'),
            value: `${number(undo.paid_count)} · ${sum(undo.paid_amount)}`,
          },
        ]}
      />
      {course?.running && <HowFar {...course} />}
    </>
  );
}

/** An undo that was begun: how far it is, the way on where it was left, and what stayed in the payout. */
export function UndoCourse({ id, open }: { id: number; open: boolean }): ReactNode {
  const course = useCourse(id);
  if (course === null) return null;
  if (course.after === null) return <LeftIn rows={course.leftOut} />;
  if (!open) return null;
  return (
    <Alert color="yellow" title={course.running ? t('It is being undone') : t('It is undone in part only')}>
      <div className="fa-stack">
        <HowFar {...course} />
        {!course.running && (
          <Button
            style={{ justifySelf: 'start' }}
            onClick={() => void run(id, course).catch((error: unknown) => toast.failed(error))}
          >
            {t('Go on')}
          </Button>
        )}
      </div>
    </Alert>
  );
}

/** Payments that stayed in the payout although it was undone, and why. */
function LeftIn({ rows }: { rows: LeftOut }): ReactNode {
  if (rows.length === 0) return null;
  return (
    <Alert color="yellow" title={t('Some payments could not be taken out')}>
      <ul className="fa-plain-list">
        {rows.map(({ transaction_id: id, affiliate_id: affiliate, code, message }) => (
          <li key={id}>
            {affiliate === null ? (
              t('Removed')
            ) : (
              <AppLink href={`/affiliates/${affiliate}`}>{t('Affiliate {id}', { id: affiliate })}</AppLink>
            )}
            : {errorText(code, message)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
