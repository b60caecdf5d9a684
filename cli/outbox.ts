import { type Flags } from './arguments.js';
import { openService, terminalLogger } from './open.js';
import { table, type Terminal } from './print.js';

/** Counts queued mails and webhooks by status; with --retry-dead, retries those that failed for good. */
export async function outbox(flags: Flags, terminal: Terminal): Promise<number> {
  const { service, app } = await openService(flags, {
    migrate: false,
    logger: terminalLogger((line) => terminal.err(line)),
  });
  try {
    if (flags['retry-dead']) terminal.err(`${await app.system.retryDead()} messages wait again.\n`);
    const { outbox: counts } = await app.system.state();
    terminal.out(
      flags.json
        ? `${JSON.stringify(counts, null, 2)}\n`
        : table([
            ['channel', 'status', 'messages'],
            ...counts.map(({ channel, status, count }) => [channel, status, count]),
          ]),
    );
    return 0;
  } finally {
    await service.close();
  }
}
