import { Button } from '@mantine/core';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import type { Change } from './figures.js';
import { t } from './texts.js';

/** The changed amounts and rates, and warnings. */
export interface FormConfirmation {
  readonly changes: readonly Change[];
  readonly warning?: string | null;
}

/** Confirms changed amounts and rates before saving. */
export function ConfirmChanges({
  question,
  onYes,
  onNo,
}: {
  readonly question: FormConfirmation;
  readonly onYes: () => Promise<void>;
  readonly onNo: () => void;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const title = useId();
  useEffect(() => frame.current?.focus(), []);
  return (
    <div ref={frame} className="fa-second-press" role="group" aria-labelledby={title} tabIndex={-1}>
      <p id={title}>{t('Save this change?')}</p>
      <dl>
        {question.changes.map(({ label, from, to }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi>{from}</bdi>{' '}
              <span className="fa-flip" aria-hidden="true">
                →
              </span>
              <span className="fa-hidden">{t('becomes')}</span> <bdi>{to}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {question.warning && (
        <p className="fa-second-press-warning" role="alert">
          {question.warning}
        </p>
      )}
      <div className="fa-form-buttons">
        <Button onClick={(event) => event.detail < 2 && void onYes()}>{t('Yes, save')}</Button>
        <Button variant="default" onClick={onNo}>
          {t('Back')}
        </Button>
      </div>
    </div>
  );
}
