import { nodeProblem } from '../src/core/runtime.js';
import { COMMANDS, readArguments, USAGE, UsageError, type Command, type Flags } from './arguments.js';
import { afterRestore, backup } from './backup.js';
import { doctor, reconcile, schema } from './care.js';
import { checkHost } from './check-host.js';
import { helpOf } from './help.js';
import { init } from './init.js';
import { migrate } from './migrate.js';
import { goLive, move } from './move.js';
import { operations } from './operations.js';
import { outbox } from './outbox.js';
import { person } from './person.js';
import { exportProgram, importProgram } from './program.js';
import type { Terminal } from './print.js';

type Work = (flags: Flags, terminal: Terminal, signal: AbortSignal) => Promise<number>;
const WORK: Readonly<Record<Exclude<Command, 'check-host'>, Work>> = {
  init,
  migrate,
  reconcile,
  doctor,
  schema,
  'export-program': exportProgram,
  'import-program': importProgram,
  move,
  'go-live': goLive,
  backup,
  'after-restore': afterRestore,
  operations,
  outbox,
  person,
};

/**
 * Runs one command. Exit codes: 0 fine, 1 something is wrong, 2 the command line is wrong, 3 imported
 * figures differ from the old system's, 130 stopped by a signal.
 */
export async function run(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  try {
    const problem = nodeProblem(process.version);
    if (problem !== null) throw new Error(problem);
    const { command, flags, file } = readArguments(argv);
    if (flags.help || command === null) {
      terminal.out(command === null ? USAGE : helpOf(command));
      return 0;
    }
    if (command === 'check-host') return await checkHost(flags, terminal, file);
    return await WORK[command](flags, terminal, signal);
  } catch (error) {
    if (error instanceof UsageError) {
      const command = COMMANDS.find((name) => argv.includes(name)) ?? `[${COMMANDS.join(' | ')}]`;
      terminal.err(`${error.message}\n\naffiliate-service ${command} --help\n`);
      return 2;
    }
    terminal.err(`${sentenceOf(error)}\n`);
    return 1;
  }
}

const NO_HOST_MODULE = 'The module of --host does not exist or cannot be loaded.';
const unreachable = (code: string): string =>
  `A database cannot be reached (${code}). Check host and port of --database, --to or --source.`;

/** Sentences for errors, by their code. */
const SENTENCES: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: NO_HOST_MODULE,
  MODULE_NOT_FOUND: NO_HOST_MODULE,
  ECONNREFUSED: unreachable('ECONNREFUSED'),
  ENOTFOUND: unreachable('ENOTFOUND'),
  ETIMEDOUT: unreachable('ETIMEDOUT'),
  SQLITE_CANTOPEN: 'A database file does not exist or cannot be opened.',
  Z_BUF_ERROR: 'The file of --file is incomplete.',
  Z_DATA_ERROR: 'The file of --file is damaged.',
};

/**
 * A sentence a person can act on. Drivers leave the message of a refused connection empty, and module loaders
 * name internal files.
 */
function sentenceOf(error: unknown): string {
  const { code, message, errors } = error as {
    code?: unknown;
    message?: string;
    errors?: readonly { code?: unknown }[];
  };
  const cause = code ?? errors?.[0]?.code;
  const known = SENTENCES[String(cause)];
  if (known !== undefined) return known;
  return message === undefined || message === ''
    ? `The command failed (${String(cause ?? error)}).`
    : message;
}
