import { dayText, siteDay } from '../../core/dates.js';
import { minor, parseAmount } from '../../core/money.js';
import { AffiliateError } from '../../errors.js';
import type { Payout } from '../../accounting/payouts/types.js';
import type { Deps } from './deps.js';
import type { Schedule } from './types.js';

const LAST = 'payer_schedule_last';
const MONDAY = 4; // 1970-01-01 was a Thursday

/** The last day that a schedule names, up to this one (days since 1970-01-01). */
export function lastDueDay({ every, day }: Pick<Schedule, 'every' | 'day'>, today: number): number {
  if (every === 'week') {
    const weekday = ((((today - MONDAY) % 7) + 7) % 7) + 1;
    return today - ((weekday - day + 7) % 7);
  }
  const [year = 0, month = 0, date = 0] = dayText(today).split('-').map(Number);
  const monthBack = date < day ? 1 : 0;
  return Date.UTC(year, month - 1 - monthBack, day) / 86_400_000;
}

/** What a schedule needs of the service. */
export interface Sender {
  settings(): Promise<{ readonly schedule: Schedule | null }>;
  /** Sends everything of a payout that can be sent. Returns the number of payments. */
  sendAll(payoutId: number): Promise<number>;
}

/** Makes payouts on a day of the week or the month (docs/payout-methods.md §6). */
export class Scheduling {
  constructor(
    private readonly app: Deps,
    private readonly sender: Sender,
  ) {}

  /** A new schedule begins today. */
  async begin(): Promise<void> {
    await this.#remember(this.#today() - 1);
  }

  async run(): Promise<void> {
    const { schedule } = await this.sender.settings();
    if (schedule === null) return;
    const due = lastDueDay(schedule, this.#today());
    if ((await this.app.settings.read<number>(LAST, this.#today())) >= due) return;
    const payout = await this.#make(schedule, due);
    await this.#remember(due);
    if (payout !== null) await this.#sendOrAsk(schedule, payout);
  }

  async #make({ cut_off_days: cutOff, method }: Schedule, due: number): Promise<Payout | null> {
    const last = dayText(due - cutOff - 1);
    try {
      return await this.app.payouts.process({
        title: `Payout ${dayText(due)}`,
        description: `Made by the schedule; commissions up to ${last}.`,
        end_date: last,
        payout_method: method,
      });
    } catch (error) {
      if (error instanceof AffiliateError && error.code === 'nothing_to_pay') return null;
      throw error;
    }
  }

  async #sendOrAsk(schedule: Schedule, payout: Payout): Promise<void> {
    if (schedule.auto_send && (await this.#isSmall(schedule, payout))) {
      const sent = await this.sender.sendAll(payout.id);
      if (sent > 0) return;
    }
    await this.app.transaction((trx) =>
      this.app.outbox.enqueue(trx, [
        {
          event: `payout:${payout.id}:waits`,
          recipient: 'admin',
          kind: 'payout_waits',
          payload: { payout_id: payout.id },
        },
      ]),
    );
  }

  /** Below the schedule's limit, and below the sum that a second person has to confirm. */
  async #isSmall(
    { approval_above: limit }: Schedule,
    { total_amount_minor: total, currency }: Payout,
  ): Promise<boolean> {
    const { approvalAbove } = await this.app.settings.rules();
    return [limit, approvalAbove].every(
      (most) => most === null || total <= (parseAmount(most, currency ?? '') ?? minor(0)),
    );
  }

  #today(): number {
    return siteDay(this.app.clock.now(), this.app.host.site().timeZone);
  }

  async #remember(day: number): Promise<void> {
    await this.app.transaction((trx, afterCommit) => this.app.settings.write(trx, afterCommit, LAST, day));
  }
}
