import { dayStart, dayText, siteDay } from '../../core/dates.js';
import { formatMoney, minor } from '../../core/money.js';
import { escapeHtml } from '../../core/text.js';
import type { Deps } from './deps.js';
import { readEmailConfig } from './config.js';
import { commissionsBetween } from './queries.js';
import { reasonIn } from '../../core/mail-reason-texts.js';
import { isolatedAmount, mailDate, mailDay, sayIn } from '../../core/mail-texts.js';
import { DIGEST, type MailSubject } from './types.js';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const THURSDAY = 4; // the weekday of 1970-01-01, day 0
const WEEK = 7;

type Line = readonly [label: string, value: string];
interface Days {
  readonly from: number;
  readonly to: number;
}

/**
 * The administrator's summary of the last day or week (docs/tracking.md §11, setting `summary_email_day`).
 */
export class Digest {
  constructor(private readonly app: Deps) {}

  /** Queues the mail for a site day, once; false when the setting asks for none that day. */
  async queue(): Promise<boolean> {
    const today = siteDay(this.app.clock.now(), this.app.host.site().timeZone);
    const { summary_email_day: when } = await readEmailConfig(this.app);
    if (when !== 'daily' && when !== WEEKDAYS[(today + THURSDAY) % WEEK]) return false;
    const days: Days = { from: today - (when === 'daily' ? 1 : WEEK), to: today - 1 };
    await this.app.outbox.enqueue(this.app.db, [
      { event: `digest:${today}`, recipient: 'admin', kind: DIGEST, payload: { days } },
    ]);
    return true;
  }

  /** Subject and body, or null when nothing happened. */
  async write({ days }: MailSubject): Promise<{ readonly subject: string; readonly body: string } | null> {
    if (!days) return null;
    const lines = [...(await this.#happened(days)), ...(await this.#waiting())];
    if (lines.length === 0) return null;
    const { name, ...clock } = this.app.host.site();
    const say = sayIn(clock.language);
    const [first = '', last] = [days.from, days.to].map((day) =>
      mailDay(dayStart(day, clock.timeZone), clock),
    );
    const period = days.from === days.to ? first : `${first} – ${last}`;
    const rows = lines
      .map(([label, value]) => `<tr><td>${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`)
      .join('');
    const link = escapeHtml(await this.app.settings.consoleUrl('/'));
    return {
      subject: say('Affiliate program of {site}: {period}', { site: name, period }),
      body:
        `<p>${say('What happened in the affiliate program of {site}, {period}:', {
          site: escapeHtml(name),
          period: `<bdi>${escapeHtml(period)}</bdi>`, // a day after a name of another direction
        })}</p>` +
        `<table>${rows}</table><p><a class="button" href="${link}">${say('Open the program')}</a></p>`,
    };
  }

  async #happened({ from, to }: Days): Promise<Line[]> {
    const { timeZone, language } = this.app.host.site();
    const say = sayIn(language);
    const range = { from: dayStart(from, timeZone), to: dayStart(to + 1, timeZone) };
    const dates = { start_date: dayText(from), end_date: dayText(to) };
    const { series } = await this.app.rollups.chart('all', dates, ['visits', 'referrals', 'affiliates']);
    const counts = series.map(({ name, data }): Line => [
      say(name),
      String(data.reduce((sum, each) => sum + each, 0)),
    ]);
    const config = await this.app.settings.referralConfig();
    const money = (await commissionsBetween(this.app.db, range)).map(
      ({ status, currency, amount_minor: amount }): Line => [
        say(`Commissions ${status}`),
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
    const told = [...counts.filter(([, value]) => value !== '0'), ...money];
    return [
      ...told,
      ...refused.map(({ reason, hits }): Line => [
        say('Orders not credited: {reason}', { reason: reasonIn(language, reason) }),
        String(hits),
      ]),
    ];
  }

  async #waiting(): Promise<Line[]> {
    const { count, oldest } = await this.app.referrals.staleSummary();
    if (count === 0 || oldest === null) return [];
    const site = this.app.host.site();
    const say = sayIn(site.language);
    const since = say('{count}, the oldest since {day}', {
      count: String(count),
      day: mailDate(oldest, site),
    });
    return [[say('Commissions pending for too long'), since]];
  }
}
