import type { IncomingMessage } from 'node:http';
import { createMemoryHost, type MemoryHost } from '../adapters/memory-host.js';
import { toWeb } from '../frameworks/index.js';
import type {
  Affiliate,
  AffiliateService,
  AffiliateServiceOptions,
  ChangeResult,
  ConversionResult,
} from '../src/index.js';
import { silentLogger } from '../src/core/logger.js';
import { openService } from '../src/service/service.js';
import { Recorder, type Effects } from './recorder.js';
import { Seeded } from './seeded.js';
import { lengthOf, type OrderFields, type Step } from './steps.js';

export type { Booked, Effects } from './recorder.js';
export {
  cancel,
  click,
  complete,
  dispute,
  order,
  payout,
  refund,
  renewal,
  returned,
  wait,
  type OrderFields,
  type Step,
} from './steps.js';

export interface TestProgramSettings {
  /** Chooses the amounts that a test does not set; the same seed gives the same story. Default 1. */
  readonly seed?: number;
  /** Where the clock starts; default 2026-01-15T12:00:00Z. It moves with `advance` only. */
  readonly now?: number | string | Date;
  /** Commission of the program in percent; default 20. */
  readonly rate?: number;
  /** Days a commission waits before it can be paid; default 0. */
  readonly holdDays?: number;
  /** Later payments of a subscription earn, too; default true. */
  readonly renewals?: boolean;
  /** Options of the service; its database is in memory unless one is given. */
  readonly options?: Omit<AffiliateServiceOptions, 'clock' | 'jobs'>;
}

/** A step of `play`, when it happened, and what it led to. */
export interface Played extends Effects {
  readonly step: Step;
  readonly at: string;
  /** The commission of the order it was about in minor units, and its status; null without one. */
  readonly commission: { readonly minor: number; readonly status: string } | null;
  /** Why an order earned nothing. */
  readonly reason: string | null;
}

const SITE = 'https://shop.test';
const START = '2026-01-15T12:00:00Z';
const DAY = 86_400_000;
const CURRENCY = 'USD';
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: 'text/html',
  'sec-fetch-dest': 'document',
};

/**
 * A program for tests: its own database in memory, users in memory, a clock that the test moves, no network.
 * Close it after the test, or write `await using program = await testProgram()`.
 */
export async function testProgram(settings: TestProgramSettings = {}): Promise<TestProgram> {
  const { now = START, rate = 20, holdDays = 0, renewals = true, options = {} } = settings;
  const clock = { time: new Date(now).getTime() };
  if (Number.isNaN(clock.time)) throw new TypeError('now must be a time, such as "2026-01-15T12:00:00Z".');
  const host = createMemoryHost({
    site: { url: SITE, name: 'Test shop' },
    clock: { now: () => clock.time },
    secret: 'nonces of a program that lives as long as its test',
  });
  const { service, app } = openService(host, {
    database: { client: 'better-sqlite3', connection: ':memory:' },
    secret: 'a secret for the time of a test: 0123456789',
    logger: silentLogger,
    ...options,
    clock: { now: () => clock.time },
    jobs: false,
  });
  await service.ready();
  await service.settings.saveReferralConfig({
    rate,
    rate_type: 'percentage',
    hold_days: holdDays,
    enable_subscription_renewal: renewals ? 'yes' : 'no',
    renewal_rate: rate,
  });
  const recorder = new Recorder(app, service, host);
  await service.webhooks.lineUp();
  await recorder.take();
  return new TestProgram({ service, host, clock, recorder, random: new Seeded(settings.seed ?? 1) });
}

interface Parts {
  readonly service: AffiliateService;
  readonly host: MemoryHost;
  readonly clock: { time: number };
  readonly recorder: Recorder;
  readonly random: Seeded;
}

/** What happened last, which later steps are about. */
interface Last {
  cookie: string | null;
  order: { readonly reference: string; readonly email: string; subscription: string | null } | null;
  payment: number | null;
}

export class TestProgram {
  /** The service itself, for everything that has no short word here. */
  readonly service: AffiliateService;
  /** Its users and mails: `host.mailbox`, `host.addUser(…)`. */
  readonly host: MemoryHost;
  readonly #parts: Parts;
  readonly #last: Last = { cookie: null, order: null, payment: null };
  #orders = 0;
  #visitors = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.service = parts.service;
    this.host = parts.host;
  }

  /** The time in the program. */
  get now(): Date {
    return new Date(this.#parts.clock.time);
  }

  /** The affiliate with this login; the first call makes the user and the affiliate. */
  async affiliate(login: string): Promise<Affiliate> {
    const user =
      (await this.host.users.findByLogin(login)) ??
      this.host.addUser({ login, email: `${login}@partners.test`, display_name: login });
    const known = await this.service.affiliates.findByUser(user.id);
    return (
      known ??
      this.service.affiliates.create({
        user_id: user.id,
        status: 'active',
        payment_email: `${login}@partners.test`,
      })
    );
  }

  /** A new visitor follows a link of the affiliate; returns the cookie that the browser stores. */
  async visit(login: string, path = '/'): Promise<string> {
    await this.affiliate(login);
    const url = new URL(path, SITE);
    url.searchParams.set('ref', login);
    this.#visitors += 1;
    const ip = `198.51.${Math.floor(this.#visitors / 250) % 250}.${(this.#visitors % 250) + 1}`;
    const response = await toWeb(this.service)(
      new Request(url, { headers: BROWSER }),
      () => new Response('page', { headers: { 'Content-Type': 'text/html' } }),
      { ip },
    );
    const [cookie] = (response.headers.getSetCookie()[0] ?? '').split(';');
    if (!cookie) throw new Error(`The click on the link of ${login} was not counted.`);
    this.#last.cookie = cookie;
    return cookie;
  }

  /** A request of a browser with this cookie, for your own code that takes one. */
  request(cookie: string | null = this.#last.cookie): IncomingMessage {
    const headers = { ...BROWSER, ...(cookie === null ? {} : { cookie }) };
    return { method: 'POST', url: '/checkout', headers } as unknown as IncomingMessage;
  }

  /** An order that is paid, unless `status` is `pending`. */
  async order({
    cookie = this.#last.cookie,
    subtotal,
    ...fields
  }: OrderFields = {}): Promise<ConversionResult> {
    this.#orders += 1;
    const reference = String(fields.reference ?? `T-${this.#orders}`);
    const email = fields.customer?.email ?? `buyer-${this.#orders}@customers.test`;
    const amount = subtotal ?? (this.#parts.random.whole(500, 50_000) / 100).toFixed(2);
    const result = await this.service.conversions.record(this.request(cookie), {
      provider: 'shop',
      status: 'unpaid',
      order: { subtotal: amount, currency: CURRENCY },
      customer: { email },
      ...fields,
      reference,
    });
    const subscription = fields.subscription?.id ?? this.#last.order?.subscription ?? null;
    this.#last.order = { reference, email, subscription: fields.subscription ? subscription : null };
    return result;
  }

  /** Moves the clock day by day and runs the jobs that are due: `31d`, `12h`, `30m`, `2w`. */
  async advance(time: string): Promise<void> {
    const end = this.#parts.clock.time + lengthOf(time);
    while (this.#parts.clock.time < end) {
      this.#parts.clock.time = Math.min(end, this.#parts.clock.time + DAY);
      await this.service.jobs.runDue();
    }
    await this.#settle();
  }

  /**
   * Plays steps one after another. Returns what each led to: entries of the ledger, actions, events and
   * mails. A step may be given without its brackets: `play([click, order, refund('10.00')])`.
   */
  async play(steps: readonly (Step | (() => Step))[]): Promise<Played[]> {
    const played: Played[] = [];
    for (const given of steps) {
      const step = typeof given === 'function' ? given() : given;
      const result = await this.#do(step);
      await this.#settle();
      const effects = await this.#parts.recorder.take();
      played.push({ step, at: this.now.toISOString(), ...outcomeOf(result), ...effects });
    }
    return played;
  }

  /** Fails with a sentence for each rule of the books that does not hold (docs/reliability.md §2). */
  async check(): Promise<void> {
    const violations = await this.service.verify();
    if (violations.length === 0) return;
    const sentences = violations.map(({ name, rule, ...row }) => `${name}: ${rule} ${JSON.stringify(row)}`);
    throw new Error(`The books do not balance.\n${sentences.join('\n')}`);
  }

  close(): Promise<void> {
    return this.service.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Mails and events wait in a queue; two rounds also send what the first one led to. */
  async #settle(): Promise<void> {
    await this.service.jobs.runDue();
    await this.service.jobs.runDue();
  }

  async #do(step: Step): Promise<ConversionResult | ChangeResult | null> {
    const { conversions } = this.service;
    switch (step.do) {
      case 'click':
        await this.visit(step.affiliate);
        return null;
      case 'order':
        return this.order(step.fields);
      case 'renewal':
        return this.#renew(step.fields);
      case 'complete':
        return conversions.complete('shop', this.#order().reference);
      case 'refund':
        return this.#refund(step.refund);
      case 'cancel':
        return conversions.cancel('shop', this.#order().reference);
      case 'dispute':
        return conversions.dispute('shop', this.#order().reference, step.state);
      case 'payout':
        await this.#pay();
        return null;
      case 'returned':
        await this.#comeBack(step.cause);
        return null;
      default:
        await this.advance(step.time);
        return null;
    }
  }

  #order(): NonNullable<Last['order']> {
    if (this.#last.order === null) throw new Error('This step is about an order, and there was none yet.');
    return this.#last.order;
  }

  async #renew(fields: OrderFields): Promise<ConversionResult> {
    const first = this.#order();
    const id = first.subscription ?? first.reference;
    const result = await this.order({
      cookie: null,
      customer: { email: first.email },
      ...fields,
      subscription: { id, phase: 'renewal' },
    });
    this.#order().subscription = id;
    return result;
  }

  async #refund(refund: Extract<Step, { do: 'refund' }>['refund']): Promise<ChangeResult> {
    const { reference } = this.#order();
    const known = await this.service.conversions.find('shop', reference);
    const whole = Object.keys(refund).length === 0 ? { refunded_total: known?.order_total ?? 0 } : refund;
    const isAlone = 'amount' in whole || 'items' in whole;
    return this.service.conversions.refund('shop', reference, {
      ...whole,
      ...(isAlone && whole.refund_id === undefined && { refund_id: `R-${this.#parts.clock.time}` }),
    });
  }

  async #pay(): Promise<void> {
    const payout = await this.service.payouts.process({
      title: 'Payout',
      description: 'Everything that can be paid.',
    });
    await this.service.payouts.markAllPaid(payout.id);
    const { page } = await this.service.payouts.transactions(payout.id);
    this.#last.payment = Number(page.rows.at(-1)?.id ?? 0) || null;
  }

  async #comeBack(cause: string): Promise<void> {
    if (this.#last.payment === null) throw new Error('No payment was made that could come back.');
    await this.service.payouts.failTransaction(this.#last.payment, cause);
  }
}

function outcomeOf(result: ConversionResult | ChangeResult | null): Pick<Played, 'commission' | 'reason'> {
  const referral = result?.referral ?? null;
  return {
    commission: referral === null ? null : { minor: Number(referral.amount_minor), status: referral.status },
    reason: (result as { readonly reason?: string | null } | null)?.reason ?? null,
  };
}
