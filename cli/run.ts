import { nodeProblem } from '../src/core/runtime.js';
import { COMMANDS, readArguments, USAGE, UsageError, type Command, type Flags } from './arguments.js';
import { doctor, reconcile, schema } from './care.js';
import { migrate } from './migrate.js';
import type { Terminal } from './print.js';

type Work = (flags: Flags, terminal: Terminal, signal: AbortSignal) => Promise<number>;
const WORK: Readonly<Record<Command, Work>> = { migrate, reconcile, doctor, schema };

/** Runs one command; the exit code: 0 fine, 1 something is wrong, 2 the command line is, 130 stopped. */
export async function run(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  try {
    const problem = nodeProblem(process.version);
    if (problem !== null) throw new Error(problem);
    const { command, flags } = readArguments(argv);
    if (flags.help || command === null) {
      terminal.out(USAGE);
      return 0;
    }
    return await WORK[command](flags, terminal, signal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.err(`${error.message}\n\naffiliate-service ${COMMANDS.join(' | ')} --help\n`);
      return 2;
    }
    terminal.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
