import { progressOf } from '../src/channels/imports/state.js';
import type { ImportRun } from '../src/channels/imports/types.js';
import type { ProgressDto } from '../src/program/api-schemas.js';
import { OPERATION_KINDS, type Operation } from '../src/program/operations/types.js';
import type { Flags } from './arguments.js';
import { withService } from './open.js';
import { printResult, type Terminal } from './print.js';

interface Listed {
  readonly kind: string;
  /** The ID of its payout, affiliate, order or set of rules, or the source of an import. */
  readonly of: number | string | null;
  readonly running: boolean;
  readonly done: number;
  readonly total: number;
  readonly per_second: number | null;
  readonly seconds_left: number | null;
  /** The code of the error that stopped it, and its sentence. */
  readonly reason: string | null;
  readonly message: string | null;
}

/** Prints long operations with their progress; with --resume, resumes stopped ones. Ends with 1 when one is stopped. */
export function operations(flags: Flags, terminal: Terminal): Promise<number> {
  return withService(flags, terminal, async ({ app }) => {
    if (flags.resume)
      terminal.err(
        `${await app.operations.resumeStopped()} operations are resumed. The running service continues them within a minute.\n`,
      );
    const listed = [
      ...(await app.operations.list(OPERATION_KINDS)).map((operation) =>
        listedOperation(operation, app.operations.progress(operation)),
      ),
      ...(await app.imports.unfinished()).map(listedImport),
    ];
    const stopped = listed.filter(({ running }) => !running);
    if (listed.length === 0 && !flags.json) terminal.out('No operation is running or stopped.\n');
    else
      printResult(flags, terminal, listed, [
        ['operation', 'of', 'state', 'done', 'total', 'per second', 'seconds left'],
        ...listed.map((each) => [
          each.kind,
          String(each.of ?? ''),
          each.running ? 'running' : 'stopped',
          each.done,
          each.total,
          each.running ? (each.per_second ?? '…') : '',
          each.running ? (each.seconds_left ?? '…') : '',
        ]),
      ]);
    for (const each of stopped) terminal.err(`${stoppedText(each)}\n`);
    return stopped.length === 0 ? 0 : 1;
  });
}

function listedOperation({ kind, object_id: id, state }: Operation, progress: ProgressDto): Listed {
  const { done, total, per_second, seconds_left, reason, message } = progress;
  return {
    kind,
    of: id === 0 ? null : id,
    running: state !== 'stopped',
    done,
    total,
    per_second,
    seconds_left,
    reason,
    message,
  };
}

function listedImport({ source, state }: ImportRun): Listed {
  const { processed, total, per_second, remaining_seconds } = progressOf(state, false);
  return {
    kind: 'import',
    of: source,
    running: !state.cancelled && state.error === null,
    done: processed,
    total,
    per_second,
    seconds_left: remaining_seconds,
    reason: state.error === null ? null : 'import_stopped',
    message: state.error,
  };
}

/** Why it is stopped, and how to continue it. */
function stoppedText({ kind, of, reason, message }: Listed): string {
  const name = of === null ? kind : `${kind} ${of}`;
  const cause =
    reason === null
      ? 'A person stopped it.'
      : `It failed three times: ${reason}. ${message ?? 'The log has the cause.'}`;
  const next =
    kind === 'import'
      ? 'Start the import again to continue it.'
      : 'To continue it, run `affiliate-service operations --resume`.';
  return `${name} is stopped. ${cause} ${next}`;
}
