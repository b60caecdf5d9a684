import type { HostSite } from '../../../adapters/host.js';
import { dayStart, dayText, siteDay } from '../../core/dates.js';
import { formatMoney, minor } from '../../core/money.js';
import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import { readEmailConfig } from './config.js';
import { commissionsBetween } from './queries.js';
import { reasonIn } from '../../core/mail-reason-texts.js';
import { isolatedAmount, mailDate, mailDay, sayIn } from '../../core/mail-texts.js';
import type { CodeValues } from './types.js';
import { siteIn } from './values.js';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const THURSDAY = 4; // the weekday of 1970-01-01, day 0
const WEEK = 7;

type Line = readonly [label: string, value: string];
interface Days {
  readonly from: number;
  readonly to: number;
}

/** Words of mails for the names of the chart's series, which are those of the interface. */
const COUNTED: Readonly<Record<string, string>> = { Visits: 'Clicks', Referrals: 'Commissions' };

/** Rows of the summary by the status of commissions, in the words of the console. */
const COMMISSIONS: Readonly<Record<string, string>> = {
  unpaid: 'Commissions ready to pay or in the waiting period',
  pending: 'Commissions pending',
  processing: 'Commissions on their way',
  paid: 'Commissions paid',
  rejected: 'Commissions rejected',
  cancelled: 'Commissions canceled',
};

/**
 * The administrator's summary of the last day or week (docs/tracking.md §11, setting `summary_email_day`).
 */
export class Digest {
  constructor(
    private readonly app: Deps,
    /** Language of the reader; default: that of the site. */
    private readonly language?: string,
  ) {}

  get #site(): HostSite {
    return siteIn(this.app, this.language);
  }

  /** Queues the mail for a site day, once; false when the setting asks for none that day. */
  async queue(): Promise<boolean> {
    const today = siteDay(this.app.clock.now(), this.#site.timeZone);
    const { summary_email_day: when } = await readEmailConfig(this.app);
    if (when !== 'daily' && when !== WEEKDAYS[(today + THURSDAY) % WEEK]) return false;
    const days: Days = { from: today - (when === 'daily' ? 1 : WEEK), to: today - 1 };
    await this.app.outbox.enqueue(this.app.db, [
      { event: `digest:${today}`, recipient: 'admin', kind: 'digest', payload: { days } },
    ]);
    return true;
  }

  /** The codes of the summary; null when nothing happened. */
  async codes(days: Days): Promise<CodeValues | null> {
    const lines = await this.#lines(days);
    return lines.length === 0 ? null : this.#codesOf(days, lines);
  }

  /** Those of yesterday, for a preview, which has figures even when nothing happened. */
  async example(): Promise<CodeValues> {
    const { timeZone, language } = this.#site;
    const yesterday = siteDay(this.app.clock.now(), timeZone) - 1;
    const days: Days = { from: yesterday, to: yesterday };
    const lines = await this.#lines(days);
    return this.#codesOf(days, lines.length > 0 ? lines : [[sayIn(language)('Clicks'), '0']]);
  }

  #codesOf(days: Days, lines: readonly Line[]): CodeValues {
    const clock = this.#site;
    const [first = '', last] = [days.from, days.to].map((day) =>
      mailDay(dayStart(day, clock.timeZone), clock),
    );
    const period = days.from === days.to ? first : `${first} – ${last}`;
    const rows = lines.map(
      ([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
    );
    return {
      digest: {
        // a day after a name of another direction
        period: { html: `<bdi>${escapeHtml(period)}</bdi>`, text: period },
        figures: {
          html: `<table>${rows.join('')}</table>`,
          text: lines.map((line) => line.join(': ')).join('\n'),
        },
      },
    };
  }

  async #lines(days: Days): Promise<readonly Line[]> {
    return [...(await this.#happened(days)), ...(await this.#waiting())];
  }

  async #happened({ from, to }: Days): Promise<Line[]> {
    const { timeZone, language } = this.#site;
    const say = sayIn(language);
    const range = { from: dayStart(from, timeZone), to: dayStart(to + 1, timeZone) };
    const dates = { start_date: dayText(from), end_date: dayText(to) };
    const { series } = await this.app.rollups.chart('all', dates, ['visits', 'referrals', 'affiliates']);
    const counts = series.map(({ name, data }): Line => [
      say(COUNTED[name] ?? name),
      String(data.reduce((sum, each) => sum + each, 0)),
    ]);
    const config = await this.app.settings.referralConfig();
    const money = (await commissionsBetween(this.app.db, range)).map(
      ({ status, currency, amount_minor: amount }): Line => [
        say(COMMISSIONS[status] ?? status),
        isolatedAmount(
          formatMoney(minor(amount), currency ?? config.currency, {
            position: config.currency_symbol_position,
            numberFormat: config.number_format,
          }),
          language,
        ),
      ],
    );
    const refused = await this.app.conversions.skippedByReason({ ...range, reason: null, provider: null });
    const shown = [...counts.filter(([, value]) => value !== '0'), ...money];
    return [
      ...shown,
      ...refused.map(({ reason, hits }): Line => [
        say('Orders not credited: {reason}', { reason: reasonIn(language, reason) }),
        String(hits),
      ]),
    ];
  }

  async #waiting(): Promise<Line[]> {
    const { count, oldest } = await this.app.referrals.staleSummary();
    if (count === 0 || oldest === null) return [];
    const site = this.#site;
    const say = sayIn(site.language);
    const since = say('{count}, the oldest since {day}', {
      count: String(count),
      day: mailDate(oldest, site),
    });
    return [[say('Commissions pending for too long'), since]];
  }
}
