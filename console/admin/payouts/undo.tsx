import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { confirmFirst } from '../../shared/confirm.js';
import { send } from '../../shared/boot.js';
import { useTask, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { AppLink, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { errorText, toast } from '../../shared/toast.js';
import { ProgressText, StopReason } from './running.js';
import { run, startUndo, useUndoState, type LeftOut } from './undo-state.js';

type Undo = ResponseOf<'payouts.undo_preview'>['undo'];

interface Props {
  readonly payout: { readonly id: number; readonly title: string };
}

/** Releases the unpaid part of a payout, after a preview. */
export function UndoPayout({ payout: { id, title } }: Props): ReactNode {
  const look = useTask(async () => {
    const { undo } = await send('payouts.undo_preview', { params: { id } });
    confirmFirst({
      title: t('Undo “{title}”?', { title }),
      danger: true,
      text: <UndoPreview id={id} undo={undo} />,
      yes: t('Undo payout'),
      run: () => startUndo(id, undo.transactions_count),
    });
  });
  return (
    <Button variant="default" loading={look.running} onClick={() => look.start()}>
      {t('Undo payout')}
    </Button>
  );
}

function UndoPreview({ id, undo }: { id: number; undo: Undo }): ReactNode {
  const state = useUndoState(id);
  const sum = (amount: number): string => money(amount, undo.currency);
  return (
    <>
      <div className="fa-dialog-sum">{sum(undo.total_amount)}</div>
      <p>{t('Removes open payments. Their commissions are ready to pay again.')}</p>
      <Facts
        facts={[
          { label: t('Payments removed'), value: number(undo.transactions_count) },
          { label: t('Commissions released'), value: number(undo.referrals_count) },
          undo.not_due_amount !== 0 && {
            label: t('Refunded or disputed since'),
            value: sum(undo.not_due_amount),
          },
          undo.paid_count > 0 && {
            label: t('Marked as paid, stays'),
            value: `${number(undo.paid_count)} · ${sum(undo.paid_amount)}`,
          },
        ]}
      />
      {state?.running && <ProgressText {...state} />}
    </>
  );
}

/** The progress of an undo, a button to resume it, and what stayed in the payout. */
export function UndoProgress({ id, open }: { id: number; open: boolean }): ReactNode {
  const state = useUndoState(id);
  if (state === null) return null;
  if (state.after === null) return <KeptPayments rows={state.leftOut} />;
  if (!open) return null;
  return (
    <Alert color="yellow" title={state.running ? t('It is being undone') : t('It is partly undone')}>
      <div className="fa-stack">
        <ProgressText {...state} />
        {!state.running && <StopReason {...state} />}
        {!state.running && (
          <Button
            style={{ justifySelf: 'start' }}
            onClick={() => void run(id, state).catch((error: unknown) => toast.failed(error))}
          >
            {t('Continue')}
          </Button>
        )}
      </div>
    </Alert>
  );
}

/** Payments that could not be undone, and the reasons. */
function KeptPayments({ rows }: { rows: LeftOut }): ReactNode {
  if (rows.length === 0) return null;
  return (
    <Alert color="yellow" title={t('Some payments could not be undone')}>
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
