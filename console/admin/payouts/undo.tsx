import { Alert, Button, Progress } from '@mantine/core';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { ask } from '../../shared/ask.js';
import { send } from '../../shared/boot.js';
import { queries, type AnswerOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { AppLink, Facts } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { errorText, told } from '../../shared/told.js';

type Undo = AnswerOf<'payouts.undo_preview'>['undo'];
export type LeftOut = AnswerOf<'payouts.undo'>['left_out'];

interface Props {
  readonly payout: { readonly id: number; readonly title: string };
  /** What somebody paid meanwhile, or an extension keeps. */
  readonly onLeftOut: (rows: LeftOut) => void;
}

/** Everything of a payout that is not paid yet is released, after it was said what that is. */
export function UndoPayout({ payout: { id, title }, onLeftOut }: Props): ReactNode {
  const [looking, setLooking] = useState(false);
  const look = async (): Promise<void> => {
    setLooking(true);
    try {
      const { undo } = await send('payouts.undo_preview', { params: { id } });
      const steps = new Steps();
      ask({
        title: t('Undo “{title}”?', { title }),
        danger: true,
        text: <What undo={undo} steps={steps} />,
        yes: t('Undo payout'),
        run: async () => onLeftOut(await release(id, steps)),
      });
    } catch (error) {
      told.failed(error);
    } finally {
      setLooking(false);
    }
  };
  return (
    <Button variant="default" c="var(--fa-red)" loading={looking} onClick={() => void look()}>
      {t('Undo payout')}
    </Button>
  );
}

/** Part after part, until the server says that nothing is left. */
async function release(id: number, steps: Steps): Promise<LeftOut> {
  const leftOut: LeftOut[number][] = [];
  let after: number | null = 0;
  try {
    while (after !== null) {
      const answer: AnswerOf<'payouts.undo'> = await send('payouts.undo', {
        params: { id },
        body: { after_id: after },
      });
      leftOut.push(...answer.left_out);
      steps.add(answer.released_count + answer.left_out.length);
      after = answer.next_after_id;
    }
    return leftOut;
  } finally {
    await queries.invalidateQueries();
  }
}

/** How far it is, for whoever looks. */
class Steps {
  #done: number | null = null;
  readonly #listeners = new Set<() => void>();

  readonly add = (more: number): void => {
    this.#done = (this.#done ?? 0) + more;
    for (const listener of this.#listeners) listener();
  };
  readonly done = (): number | null => this.#done;
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

function What({ undo, steps }: { undo: Undo; steps: Steps }): ReactNode {
  const done = useSyncExternalStore(steps.listen, steps.done);
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
      {done !== null && done < undo.transactions_count && (
        <Progress size={4} value={(done / undo.transactions_count) * 100} aria-label={t('Progress')} />
      )}
    </>
  );
}

/** Payments that stayed in the payout although it was undone, and why. */
export function LeftIn({ rows }: { rows: LeftOut }): ReactNode {
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
