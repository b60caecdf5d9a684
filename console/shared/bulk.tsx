import { Button, Modal, Progress } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { confirmFirst } from './confirm.js';
import type { Confirmation } from './confirmation.js';
import { useTask } from './data.js';
import { t, tn } from './texts.js';
import { sentenceOf, toast } from './toast.js';

export interface BulkAction<Row> {
  readonly label: string;
  readonly danger?: boolean;
  /** The confirmation text for this number of rows. */
  readonly about: (rows: readonly Row[]) => ReactNode;
  readonly fits?: (row: Row) => boolean;
  readonly reason?: NonNullable<Confirmation['reason']>;
  readonly run?: (row: Row, reason: string, isShared: boolean) => Promise<unknown>;
  /** Reverts the action with the rows as they were; offered in the toast. */
  readonly undo?: (row: Row) => Promise<unknown>;
  /** A dialog that asks for the action's input and runs it. */
  readonly dialog?: (props: BulkDialogProps<Row>) => ReactNode;
  /** Opens another screen with the rows instead of running here. */
  readonly go?: (rows: readonly Row[]) => void;
}

export interface BulkDialogProps<Row> {
  readonly rows: readonly Row[];
  /** `done`: what was done, with the number of rows. */
  readonly start: (run: (row: Row) => Promise<unknown>, done?: (count: number) => string) => Promise<void>;
  readonly onClose: () => void;
}

export interface BulkBarProps<Row> {
  readonly selected: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly nameOf: (row: Row) => string;
  readonly onDone: () => void;
  /** Number of matching rows, unless all are selected. */
  readonly more: number | null;
  /** Selects all matching rows. */
  readonly onAll: () => Promise<void>;
}

/** More rows must be filtered first. */
const MOST = 5000;

interface Failure {
  readonly name: string;
  readonly text: string;
}

/** Bulk actions for the selected rows, with the number of rows and the failures. */
export function BulkBar<Row>({
  selected,
  actions,
  nameOf,
  onDone,
  more,
  onAll,
}: BulkBarProps<Row>): ReactNode {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [open, setOpen] = useState<BulkAction<Row> | null>(null);
  const all = useTask(onAll);
  const fitting = ({ fits }: BulkAction<Row>): readonly Row[] =>
    selected.filter((row) => fits?.(row) ?? true);

  /** Runs the action for each row in turn; returns the rows that succeeded. */
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
  const perform = async (
    action: BulkAction<Row>,
    run: (row: Row) => Promise<unknown>,
    say?: (count: number) => string,
  ): Promise<void> => {
    const done = await each(fitting(action), run);
    const { undo } = action;
    if (done.length === 0) return;
    const text =
      say?.(done.length) ??
      tn('{label}: {count} row done', '{label}: {count} rows done', done.length, {
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
      confirmFirst({
        title: action.label,
        text: action.about(rows),
        yes: tn('{label} {count} row', '{label} {count} rows', rows.length, { label: action.label }),
        ...(action.danger && { danger: true }),
        ...(action.reason && { reason: action.reason }),
        run: (reason, isShared) => perform(action, (row) => run(row, reason, isShared)),
      });
  };
  return (
    <div className="fa-bulk" role="region" aria-label={t('Selected rows')}>
      <div className="fa-bulk-bar">
        <strong role="status">{tn('{count} selected', '{count} selected rows', selected.length)}</strong>
        {more !== null && more <= MOST && (
          <Button size="compact-sm" variant="subtle" loading={all.running} onClick={() => all.start()}>
            {tn('Choose all {count} that match', 'Select all {count} matching rows', more)}
          </Button>
        )}
        {actions.map((action) => {
          const isPossible = fitting(action).length > 0;
          return (
            <Button
              key={action.label}
              size="compact-sm"
              variant="default"
              {...(action.danger && isPossible && { c: 'var(--fa-red)' })}
              disabled={progress !== null || !isPossible}
              {...(!isPossible && { title: t('This is not possible for any of the selected rows.') })}
              onClick={() => start(action)}
            >
              {action.label}
            </Button>
          );
        })}
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
        <div role="alert">
          <ul className="fa-failures">
            {failures.map(({ name, text }) => (
              <li key={name}>
                <strong>{name}</strong>: {text}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Modal opened={open !== null} onClose={() => setOpen(null)} title={open?.label.replace('…', '').trim()}>
        {open?.dialog?.({
          rows: fitting(open),
          start: async (run, done) => {
            setOpen(null);
            await perform(open, run, done);
          },
          onClose: () => setOpen(null),
        })}
      </Modal>
    </div>
  );
}
