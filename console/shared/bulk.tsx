import { Button, Modal, Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask } from './ask.js';
import type { BulkAction } from './list.js';
import { t, tn } from './texts.js';
import { sentenceOf, toast } from './toast.js';

export interface BulkBarProps<Row> {
  readonly chosen: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly onDone: () => void;
  /** How many match, where not all of them are chosen. */
  readonly more: number | null;
  /** Chooses all that match. */
  readonly onAll: () => Promise<void>;
}

/** More than that are narrowed by filters first. */
const MOST = 5000;

interface Failure {
  readonly name: string;
  readonly text: string;
}

/** What can be done with the chosen rows; says how many, and what could not be done with which. */
export function BulkBar<Row>({ chosen, actions, nameOf, onDone, more, onAll }: BulkBarProps<Row>): ReactNode {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [open, setOpen] = useState<BulkAction<Row> | null>(null);
  const [isReading, setReading] = useState(false);
  const fitting = ({ fits }: BulkAction<Row>): readonly Row[] => chosen.filter((row) => fits?.(row) ?? true);

  /** One after the other; answers the rows that were done. */
  const each = async (rows: readonly Row[], run: (row: Row) => Promise<unknown>): Promise<Row[]> => {
    const done: Row[] = [];
    const failed: Failure[] = [];
    for (const [at, row] of rows.entries()) {
      setProgress({ done: at, of: rows.length });
      try {
        await run(row);
        done.push(row);
      } catch (error) {
        failed.push({ name: nameOf(row), text: sentenceOf(error).text });
      }
    }
    setProgress(null);
    setFailures(failed);
    await queries.invalidateQueries();
    if (failed.length === 0) onDone();
    return done;
  };
  const perform = async (action: BulkAction<Row>, run: (row: Row) => Promise<unknown>): Promise<void> => {
    const done = await each(fitting(action), run);
    const { undo } = action;
    if (done.length === 0) return;
    const text = tn('{label}: {count} row done', '{label}: {count} rows done', done.length, {
      label: action.label.replace('…', '').trim(),
    });
    if (undo === undefined) toast.done(text);
    else toast.undoable(text, () => each(done, undo));
  };
  const start = (action: BulkAction<Row>): void => {
    const rows = fitting(action);
    const { run } = action;
    if (action.go) action.go(rows);
    else if (action.dialog) setOpen(action);
    else if (run)
      ask({
        title: action.label,
        text: action.about(rows),
        yes: tn('{label} {count} row', '{label} {count} rows', rows.length, { label: action.label }),
        ...(action.danger && { danger: true }),
        ...(action.reason && { reason: action.reason }),
        run: (reason) => perform(action, (row) => run(row, reason)),
      });
  };
  const chooseAll = async (): Promise<void> => {
    setReading(true);
    try {
      await onAll();
    } catch (error) {
      toast.failed(error);
    } finally {
      setReading(false);
    }
  };
  return (
    <div className="fa-bulk" role="region" aria-label={t('Chosen rows')}>
      <div className="fa-bulk-bar">
        <strong role="status">{tn('{count} chosen', '{count} chosen rows', chosen.length)}</strong>
        {more !== null && more <= MOST && (
          <Button size="compact-sm" variant="subtle" loading={isReading} onClick={() => void chooseAll()}>
            {tn('Choose all {count} that match', 'Choose all {count} rows that match', more)}
          </Button>
        )}
        {actions.map((action) => (
          <Button
            key={action.label}
            size="compact-sm"
            variant="default"
            {...(action.danger && { c: 'var(--fa-red)' })}
            disabled={progress !== null || fitting(action).length === 0}
            onClick={() => start(action)}
          >
            {action.label}
          </Button>
        ))}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onDone}>
          {t('Cancel')}
        </Button>
        {progress && (
          <Progress
            size={4}
            value={(progress.done / progress.of) * 100}
            flex={1}
            aria-label={t('Progress')}
          />
        )}
      </div>
      {failures.length > 0 && (
        <ul className="fa-failures" role="alert">
          {failures.map(({ name, text }) => (
            <li key={name}>
              <strong>{name}</strong>: {text}
            </li>
          ))}
        </ul>
      )}
      <Modal opened={open !== null} onClose={() => setOpen(null)} title={open?.label.replace('…', '').trim()}>
        {open?.dialog?.({
          rows: fitting(open),
          start: async (run) => {
            setOpen(null);
            await perform(open, run);
          },
          onClose: () => setOpen(null),
        })}
      </Modal>
    </div>
  );
}
