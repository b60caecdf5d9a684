import { type Flags } from './arguments.js';
import { withService } from './open.js';
import { printResult, type Terminal } from './print.js';

/** Counts queued mails and webhooks by status; with --retry-dead, retries those that failed for good. */
export function outbox(flags: Flags, terminal: Terminal): Promise<number> {
  return withService(flags, terminal, async ({ app }) => {
    if (flags['retry-dead']) terminal.err(`${await app.system.retryDead()} messages are queued again.\n`);
    const { outbox: counts } = await app.system.state();
    printResult(flags, terminal, counts, [
      ['channel', 'status', 'messages'],
      ...counts.map(({ channel, status, count }) => [channel, status, count]),
    ]);
    return 0;
  });
}
