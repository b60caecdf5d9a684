import type { HostUser } from '../../../adapters/host.js';
import { DAY, HOUR, MINUTE } from '../../core/duration.js';
import { randomToken } from '../../core/random.js';
import { rateText } from '../../core/rate.js';
import { RateLimiter, type RateLimit } from '../../platform/http/rate-limit.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import {
  firstActiveAffiliate,
  firstPayment,
  newestDelivery,
  newestOrder,
  newestVisit,
  openPayout,
  testCommissions,
} from './queries.js';
import type { ConfirmedStep, GuideMemory, Step, StepKey } from './types.js';

const MEMORY = 'guide';
const TRACKER_SEEN = 'tracker_seen';
/** The provider of the order that the guide reports; it is in no list of shops. */
const TEST_PROVIDER = 'guide';
/** How its references begin. */
const TEST_REFERENCE = 'guide-test-';
const TEST_TOTAL = '100';
const KEY_LENGTH = 40;
/** A page of the shop that has not asked for the tracker for so long has lost it. */
const SILENT_MS = 3 * DAY;
const NOTED_EVERY_MS = HOUR;
const PAGE_MAX = 200;
/** A test order this old is not being reported any more: its process ended before it was deleted. */
const ABANDONED_MS = 10 * MINUTE;
const TESTS: RateLimit = { name: 'test-mail', points: 10, windowMs: 5 * MINUTE, batch: 1 };

interface PageView {
  readonly at: number;
  readonly page: string;
}

/**
 * The way from an empty program to its first payout. A step is done when its fact is there, by any user; the
 * fact is looked up again with each request.
 */
export class GuideService {
  readonly #limiter: RateLimiter;
  /** When this process noted last that a page asked for the tracker. */
  #notedAt = 0;

  constructor(private readonly app: Deps) {
    this.#limiter = new RateLimiter(app);
    app.tracking.contribute({ scriptServed: (page) => void this.#trackerServed(page) });
  }

  async steps(): Promise<readonly Step[]> {
    const memory = await this.app.settings.read<GuideMemory>(MEMORY, {});
    return [
      await this.#rates(memory),
      await this.#terms(),
      await this.#signup(),
      await this.#mail(memory),
      await this.#secret(),
      await this.#tracker(),
      await this.#shop(),
      await this.#testOrder(memory),
      await this.#payment(memory),
      await this.#payout(),
    ];
  }

  /** A person confirms the rate and the currency, or the way of payment. */
  confirm(step: ConfirmedStep): Promise<void> {
    return this.#remember({ [step]: this.app.clock.now() });
  }

  /** Sends a mail with a link that ticks the step; at most 10 test mails in five minutes for each user. */
  async sendTestMail(user: HostUser): Promise<void> {
    await this.#limiter.take(TESTS, String(user.id));
    const key = randomToken(KEY_LENGTH);
    const url = await this.app.settings.consoleUrl(`/guide?mail=${key}`);
    const codes = { name: user.display_name, url };
    const mail = await this.app.emails.writePlain('test_mail', user.email, { test: codes });
    await this.#remember({
      mail: { key: this.app.secrets.sign(MEMORY, key), sent_at: this.app.clock.now(), opened_at: null },
    });
    try {
      await this.app.emails.sendPlain(mail);
    } catch (cause) {
      fail('mail_not_sent', { cause });
    }
  }

  /** The link of the newest test mail was opened. 422 `guide_mail_unknown` for another key. */
  async mailOpened(key: string): Promise<void> {
    const { mail } = await this.app.settings.read<GuideMemory>(MEMORY, {});
    if (mail === undefined || mail.key !== this.app.secrets.sign(MEMORY, key)) fail('guide_mail_unknown');
    await this.#remember({ mail: { ...mail, opened_at: mail.opened_at ?? this.app.clock.now() } });
  }

  /**
   * An order of 100 for the affiliate who joined first, reported as a shop would; then the order is canceled
   * and its commission deleted. 422 `guide_no_affiliate` while no affiliate could earn it,
   * `guide_order_earned_nothing` when it was not credited.
   */
  async testOrder(): Promise<{ commission: string; currency: string; affiliate_id: number }> {
    const affiliate = (await firstActiveAffiliate(this.app.db)) ?? fail('guide_no_affiliate');
    const { currency } = await this.app.settings.referralConfig();
    const reference = TEST_REFERENCE + randomToken(KEY_LENGTH);
    const { referral } = await this.app.conversions.record(null, {
      provider: TEST_PROVIDER,
      reference,
      affiliate,
      created_by_staff: true,
      description: 'Test order',
      order: { subtotal: TEST_TOTAL },
    });
    if (referral === null) return fail('guide_order_earned_nothing');
    const commission = String(referral.amount);
    await this.#takeBack(reference, referral.id);
    await this.#remember({ test_order: { at: this.app.clock.now(), commission, currency } });
    return { commission, currency, affiliate_id: affiliate };
  }

  /** The job: deletes test orders whose process was killed before it could. */
  async removeAbandonedTests(): Promise<number> {
    const before = this.app.clock.now() - ABANDONED_MS;
    const tests = await testCommissions(this.app.db, {
      provider: TEST_PROVIDER,
      begin: TEST_REFERENCE,
      before,
    });
    for (const { id, reference } of tests) await this.#takeBack(reference, id);
    return tests.length;
  }

  async #takeBack(reference: string, commission: number): Promise<void> {
    await this.app.conversions.cancel(TEST_PROVIDER, { reference });
    await this.app.referrals.delete(commission);
  }

  async #rates({ rates }: GuideMemory): Promise<Step> {
    const config = await this.app.settings.referralConfig();
    return step('rates', rates !== undefined, 'manager', {
      at: rates ?? null,
      facts: { currency: config.currency, rate: rateText(config.rate_e4), rate_type: config.rate_type },
    });
  }

  async #terms(): Promise<Step> {
    const { fields } = await this.app.registration.list();
    const label = fields.find(({ name }) => name === 'terms_condition')?.inline_label ?? '';
    const page = /<a [^>]*href="([^"]+)"/.exec(label)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return step('terms', page !== '', 'manager', { facts: { page } });
  }

  async #signup(): Promise<Step> {
    const { enabled } = await this.app.registration.settings();
    const isOpen = enabled === 'yes' || (await this.app.invitations.isUsed());
    return step('signup', isOpen, 'manager', {
      facts: { portal: await this.app.settings.portalUrl() },
    });
  }

  /** Mails arrive, and affiliates have an address to write to. */
  async #mail({ mail }: GuideMemory): Promise<Step> {
    const opened = mail?.opened_at ?? null;
    const contact = await this.app.emails.contact();
    return step('mail', opened !== null && contact !== '', 'manager', {
      at: opened,
      facts: {
        ...(mail !== undefined && { sent: opened === null ? 'yes' : 'opened' }),
        contact,
      },
    });
  }

  async #secret(): Promise<Step> {
    const codes = (await this.app.risks()).map(({ code }) => code);
    const open = codes.find((code) => code === 'default_secret' || code === 'weak_secret');
    return step('secret', open === undefined, 'developer', { facts: open ? { why: open } : {} });
  }

  async #tracker(): Promise<Step> {
    const seen = await this.app.settings.read<PageView | null>(TRACKER_SEEN, null);
    const visit = await newestVisit(this.app.db);
    const at = Math.max(seen?.at ?? 0, visit ?? 0);
    const facts = {
      page: seen?.page ?? '',
      link: at === 0 ? await this.#firstLink() : '',
      script: `${this.app.host.site().url}${this.app.options.tracking.scriptPath}`,
    };
    if (seen !== null && at < this.app.clock.now() - SILENT_MS)
      return { ...step('tracker', false, 'developer', { at, facts }), state: 'broken' };
    return step('tracker', at > 0, 'manager', { at: at === 0 ? null : at, facts });
  }

  /** A link to try out; blank while there is no affiliate. */
  async #firstLink(): Promise<string> {
    const affiliate = await firstActiveAffiliate(this.app.db);
    return affiliate === null ? '' : this.app.tracking.shareUrlOf(await this.app.affiliates.get(affiliate));
  }

  async #shop(): Promise<Step> {
    const isOff = (await this.app.risks()).some(({ code }) => code === 'provider_off');
    const good = await newestDelivery(this.app.db, ['done', 'ignored']);
    const bad = await newestDelivery(this.app.db, ['failed', 'dead']);
    const order = await newestOrder(this.app.db, TEST_PROVIDER);
    const at = Math.max(good ?? 0, order ?? 0);
    if (isOff) return step('shop', false, 'manager', { facts: { off: 'yes' } });
    if (bad !== null && bad > at)
      return { ...step('shop', false, 'developer', { at: bad }), state: 'broken' };
    return step('shop', at > 0, 'developer', { at: at === 0 ? null : at });
  }

  async #testOrder({ test_order: order }: GuideMemory): Promise<Step> {
    if (order === undefined) {
      const { currency } = await this.app.settings.referralConfig();
      return step('test_order', false, 'manager', { facts: { total: TEST_TOTAL, currency } });
    }
    const { at, commission, currency } = order;
    return step('test_order', true, 'manager', { at, facts: { commission, currency } });
  }

  async #payment({ payment }: GuideMemory): Promise<Step> {
    const { payout_method: method } = await this.app.settings.referralConfig();
    return step('payment', payment !== undefined, 'manager', { at: payment ?? null, facts: { method } });
  }

  async #payout(): Promise<Step> {
    const at = await firstPayment(this.app.db);
    const waiting = at === null ? await openPayout(this.app.db) : null;
    return step('payout', at !== null, 'manager', {
      at,
      ...(waiting !== null && { facts: { payout: String(waiting) } }),
    });
  }

  async #remember(facts: GuideMemory): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      const before = await this.app.settings.readLocked<GuideMemory>(trx, MEMORY, {});
      await this.app.settings.write(trx, afterCommit, MEMORY, { ...before, ...facts });
      await this.app.audit.write(trx, 'guide.step', ['guide', Object.keys(facts).join(', ')]);
    });
  }

  /** A page asked for the tracker; each process notes a page of the program once in an hour. */
  async #trackerServed(page: URL): Promise<void> {
    try {
      if (!this.#isNoteDue() || !(await this.app.tracking.isKnownPage(page)) || !this.#isNoteDue()) return;
      const at = this.app.clock.now();
      this.#notedAt = at;
      const view: PageView = { at, page: `${page.origin}${page.pathname}`.slice(0, PAGE_MAX) };
      await this.app.transaction((trx, afterCommit) =>
        this.app.settings.write(trx, afterCommit, TRACKER_SEEN, view),
      );
    } catch (error) {
      this.#notedAt = 0;
      this.app.log.warn("a page's request for the tracker could not be stored", { error });
    }
  }

  #isNoteDue(): boolean {
    return this.app.clock.now() >= this.#notedAt + NOTED_EVERY_MS;
  }
}

const step = (
  key: StepKey,
  isDone: boolean,
  who: Step['who'],
  { at = null, facts = {} }: { readonly at?: number | null; readonly facts?: Step['facts'] } = {},
): Step => ({ key, state: isDone ? 'done' : 'open', who, at, facts });
