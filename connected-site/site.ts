import { linkMark } from '../src/core/link-value.js';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PrimaryError, SignedClient, UNEXPECTED } from './client.js';
import { siteCookie } from '../src/core/site-cookie.js';
import { checkChange, checkConversion, checkLead, checkReference, isNoSegment } from './check.js';
import { heldCookie, heldText, parseHeld, readHeld, SHARED_NAME, type CookieValue } from './cookie.js';
import { DefaultQueue } from './default-queue.js';
import { isForbidden, isUndeliverable, Outbox } from './outbox.js';
import {
  addressOf,
  holdsOne,
  isPrefetch,
  mayBeClick,
  readClick,
  utmOf,
  type PageClick,
} from './page-click.js';
import type {
  ConnectConfig,
  ConnectOptions,
  ConversionResponse,
  ConversionReport,
  LeadReport,
  Delivered,
  FollowUp,
  Handshake,
  HeldAffiliate,
  PageHandler,
  QueuedReport,
  UpdateResponse,
  VisitResponse,
  VisitReport,
} from './types.js';

const REFRESH_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How often a page with a query of other names asks whether one of them is the link variable now. */
const ASK_MS = 60_000;
const PAGE_DEADLINE_MS = 500;

/** A site that is connected to a primary: its pages report visits, its checkout reports orders. */
export class ConnectedSite {
  #config: ConnectConfig;
  #client: SignedClient;
  readonly #outbox: Outbox;
  /** Set during this request, so not yet in its cookies. */
  readonly #fresh = new WeakMap<IncomingMessage, CookieValue>();
  #last: Handshake | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #settings: { readonly value: Promise<Handshake>; readonly at: number } | null = null;

  constructor(
    config: ConnectConfig,
    private readonly options: ConnectOptions = {},
  ) {
    this.#config = config;
    this.#client = new SignedClient(config, options);
    this.#outbox = new Outbox({
      queue: options.queue ?? new DefaultQueue({ config, now: options.now, onError: options.onError }),
      send: (report) => this.#send(report),
      onError: options.onError,
      now: () => this.#now(),
    });
  }

  /** For a new text from the primary: uses it from now on, and sends what waited. */
  async reconnect(config: ConnectConfig | string): Promise<Handshake> {
    this.#config = readConfig(config);
    this.#client = new SignedClient(this.#config, this.options);
    this.#last = null;
    const handshake = await this.handshake();
    await this.deliver();
    return handshake;
  }

  /** Sends reports that wait. This also happens by itself, every minute and before each new report. */
  deliver(): Promise<Delivered> {
    this.#outbox.resume();
    return this.#outbox.deliver();
  }

  /** Number of reports that wait for the primary. */
  waiting(): Promise<number> {
    return this.#outbox.waiting();
  }

  /**
   * For the site's public pages: recognizes affiliate links, reports the visit and sets the cookie. If
   * something fails, the page is still served.
   */
  readonly tracker: PageHandler = (req, res, next) => {
    if (!mayBeClick(req) || this.options.consent?.(req) === false) next();
    else if (holdsOne(req, this.#variables)) {
      if (isPrefetch(req)) refusePrefetch(res);
      else void this.#served(this.#track(req, res), next);
    } else if (isPrefetch(req) || this.#now() - this.#askedAt < ASK_MS) next();
    else void this.#served(this.#lookAgain(req, res), next);
  };

  /** The page is served even if its click is lost. */
  #served(work: Promise<void>, next: () => void): Promise<void> {
    return work
      .catch((error: unknown) => {
        this.options.onError?.(error);
      })
      .then(() => {
        next();
      });
  }

  /** The link variable may have changed at the primary since it was asked. */
  async #lookAgain(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const asked = this.handshake().catch((error: unknown) => {
      this.options.onError?.(error);
    });
    await this.#withinDeadline(asked, undefined);
    if (holdsOne(req, this.#variables)) await this.#track(req, res);
  }

  /** The link variables of this site: the one in use first. */
  get #variables(): readonly string[] {
    const last = this.#last;
    const names = last === null ? [] : [last.param_key, ...(last.former_params ?? [])];
    return [...new Set([...names, this.#config.param_key])];
  }

  /** Checks the site's id and token, and reads its settings again. */
  async handshake(): Promise<Handshake> {
    this.#askedAt = this.#now();
    const value = this.#client.request<Handshake>({
      method: 'GET',
      path: '/connected-sites/handshake',
      responseKey: 'primary',
    });
    this.#settings = { value, at: this.#now() };
    value.then(
      (handshake) => {
        this.#last = handshake;
      },
      () => {
        this.#settings = null;
      },
    );
    return value;
  }

  /** The active affiliate behind the value of a link, or null. */
  async affiliate(param: string): Promise<{ id: number; param: string; status: string } | null> {
    if (isNoSegment(param)) return null;
    const found = await orNull(
      this.#client.request<{ affiliate: { id: number; param: string; status: string } }>({
        method: 'GET',
        path: `/connected-sites/affiliates/${segment(param)}`,
        responseKey: 'affiliate',
      }),
    );
    return found?.affiliate ?? null;
  }

  reportVisit(visit: VisitReport): Promise<VisitResponse> {
    return this.#postVisit({ event_id: randomUUID(), ...visit });
  }

  /**
   * Reports an order. Unless an affiliate is given, the cookie of the buyer's request decides which affiliate
   * is credited; without either, no request is sent. `queued`: the primary could not be reached, and the
   * order is sent later.
   */
  async recordConversion(req: IncomingMessage | null, order: ConversionReport): Promise<ConversionResponse> {
    const explicit = order.affiliate_param !== undefined || order.visit_id !== undefined;
    const report = explicit || req === null ? order : { ...order, ...this.held(req) };
    checkConversion(report, this.#last?.currency ?? null);
    if (report.affiliate_param === undefined && report.visit_id === undefined) return NOBODY;
    const response = await this.#outbox.report({
      kind: 'conversion',
      fields: { ...report, from_cookie: !explicit },
    });
    return response === null
      ? { referral: null, created: false, queued: true }
      : (response as ConversionResponse);
  }

  /**
   * Reports a lead; the affiliate is found as for an order. `updateConversion('lead:<kind>:<reference>', …)`
   * reports later that it is real (`status: 'unpaid'`) or not (`rejected`).
   */
  async recordLead(req: IncomingMessage | null, lead: LeadReport): Promise<ConversionResponse> {
    const explicit = lead.affiliate_param !== undefined || lead.visit_id !== undefined;
    const report = explicit || req === null ? lead : { ...lead, ...this.held(req) };
    checkLead(report);
    if (report.affiliate_param === undefined && report.visit_id === undefined) return NOBODY;
    const response = await this.#outbox.report({
      kind: 'lead',
      fields: { ...report, from_cookie: !explicit },
    });
    return response === null
      ? { referral: null, created: false, queued: true }
      : (response as ConversionResponse);
  }

  /**
   * The affiliate of this visitor, for an order that is made later: add it to the order. Null without one.
   */
  held(req: IncomingMessage): HeldAffiliate | null {
    const held = this.#heldBy(req);
    return (
      held && {
        affiliate_param: held.param,
        ...(held.visitId === null ? {} : { visit_id: held.visitId }),
        ...(held.click === '' ? {} : { click: held.click }),
      }
    );
  }

  /** Reports that an order was paid, cancelled or refunded. */
  async updateConversion(reference: string, change: FollowUp): Promise<UpdateResponse> {
    checkReference(reference);
    checkChange(change);
    const response = await this.#outbox.report({ kind: 'update', reference, fields: change });
    return response === null ? { referral: null, queued: true } : (response as UpdateResponse);
  }

  /**
   * A link to the primary that carries the visitor's affiliate, visit and campaign, so that both sites count
   * one visit.
   */
  async linkToPrimary(req: IncomingMessage, address = this.#config.primary_url): Promise<string> {
    const held = this.#heldBy(req);
    const url = new URL(address, this.#config.primary_url);
    if (held === null || url.origin !== new URL(this.#config.primary_url).origin) return url.href;
    url.searchParams.set(await this.#primaryVariable(), held.param);
    if (held.visitId !== null) url.searchParams.set('visit_id', String(held.visitId));
    for (const [name, value] of Object.entries(utmOf(new URL(addressOf(req), url.origin))))
      url.searchParams.set(name, value);
    return url.href;
  }

  /** The primary also reads links with the variable of this site. */
  #primaryVariable(): Promise<string> {
    return this.#known().then(
      ({ primary }) => primary.referral_variable,
      () => this.#config.param_key,
    );
  }

  /** The settings that the primary sent last; asked for again every hour. */
  async #current(): Promise<Handshake> {
    if (this.#settings === null || this.#now() - this.#settings.at > REFRESH_MS) return this.handshake();
    return this.#settings.value;
  }

  /** The same, or the last known ones when the primary cannot be reached. */
  async #known(): Promise<Handshake> {
    const last = this.#last;
    if (last === null) return this.#current();
    return this.#current().catch((error: unknown) => {
      if (isRefusal(error)) throw error;
      this.options.onError?.(error);
      return last;
    });
  }

  async #track(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const held = readHeld(req, this.#cookieNames);
    const tracked = await this.#inTime(this.#visit(req, held), () => this.#unconfirmed(req, held));
    if (tracked === null || res.headersSent) return;
    this.#fresh.set(req, tracked.held);
    res.appendHeader('Set-Cookie', tracked.cookie);
    res.setHeader('Cache-Control', 'no-store, private');
  }

  /** A page does not wait for long; a visit that is reported later still counts. */
  async #inTime(
    work: Promise<VisitorCookie | null>,
    fallback: () => VisitorCookie | null,
  ): Promise<VisitorCookie | null> {
    const safe = work.catch((error: unknown) => {
      this.options.onError?.(error);
      return isRefusal(error) ? null : fallback();
    });
    const tracked = await this.#withinDeadline(safe, LATE);
    return tracked === LATE ? fallback() : tracked;
  }

  #withinDeadline<T, L>(work: Promise<T>, otherwise: L): Promise<T | L> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<L>((resolve) => {
      timer = setTimeout(() => {
        resolve(otherwise);
      }, this.options.pageDeadlineMs ?? PAGE_DEADLINE_MS);
    });
    return Promise.race([work, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  /**
   * The primary is slow or away: the affiliate gets the visitor without its response, unless the visitor has
   * one and the first click wins.
   */
  #unconfirmed(req: IncomingMessage, held: CookieValue | null): VisitorCookie | null {
    const { credit_last_referrer: last, cookie_duration: days } = this.#last ?? this.#config;
    const click = readClick(req, this.#variables, this.#config.primary_url);
    if (click === null || (held !== null && (last !== 'yes' || this.#isFresh(held, click)))) return null;
    const secure = this.#last?.site.site_url.startsWith('https:') ?? false;
    const isSame = held !== null && isOfLink(held, click);
    const now = isSame ? held : { param: click.param, visitId: null, click: '' };
    // Without a time, so that the next return is reported.
    const value = `${now.param}|${now.visitId ?? ''}${now.click && `|||${now.click}`}`;
    return {
      held: { ...now, at: 0, link: '' },
      cookie: heldCookie(this.#cookieName, { value, days, secure }),
    };
  }

  async #visit(req: IncomingMessage, held: CookieValue | null): Promise<VisitorCookie | null> {
    const { site, credit_last_referrer: last } = await this.#known();
    const click = readClick(req, this.#variables, site.site_url);
    if (click === null || this.#isKnown(held, click, last)) return null;
    const visit = { event_id: randomUUID(), ...this.#report(req, click, held) };
    const response = await this.#outbox.report({ kind: 'visit', fields: visit });
    if (response === null) return this.#unconfirmed(req, held);
    const { cookie, ...stored } = response as VisitResponse;
    const now = last === 'yes' ? returned(stored, held) : null;
    const value = now ?? (cookie && parseHeld(cookie.value));
    const named = value && { ...value, click: stored.click ?? '' };
    return (
      named &&
      this.#tracked(click, named, {
        days: this.#days(cookie),
        secure: site.site_url.startsWith('https:'),
      })
    );
  }

  #days(cookie: VisitResponse['cookie']): number {
    return cookie?.max_age_days ?? (this.#last ?? this.#config).cookie_duration;
  }

  /** Does the cookie name this link's affiliate, so that it does not change? */
  #isKnown(held: CookieValue | null, click: PageClick, last: Handshake['credit_last_referrer']): boolean {
    return held !== null && isOfLink(held, click) && (last !== 'yes' || this.#isFresh(held, click));
  }

  #tracked(
    click: PageClick,
    { param, visitId, click: seen }: Pick<CookieValue, 'param' | 'visitId' | 'click'>,
    { days, secure }: { readonly days: number; readonly secure: boolean },
  ): VisitorCookie {
    const at = Math.floor(this.#now() / 1000);
    const held = { param, visitId, at, link: linkMark(click.param), click: seen };
    return { held, cookie: heldCookie(this.#cookieName, { value: heldText(held), days, secure }) };
  }

  /** Was the cookie set by this link within the last hour? An older one is renewed. */
  #isFresh(held: CookieValue, click: PageClick): boolean {
    return isOfLink(held, click) && this.#now() - held.at * 1000 < REFRESH_MS;
  }

  #report(req: IncomingMessage, click: PageClick, held: CookieValue | null): VisitReport {
    const ip = (this.options.address ?? socketAddress)(req);
    return {
      affiliate_param: click.param,
      url: click.url,
      ...click.utm,
      ...(click.referrer === '' ? {} : { referrer: click.referrer }),
      ...(ip ? { ip } : {}),
      ...(held ? { current_param: held.param } : {}),
      ...(click.visitId === null ? {} : { visit_id: click.visitId }),
    };
  }

  async #send({ kind, reference = '', fields }: Omit<QueuedReport, 'id'>): Promise<unknown> {
    if (kind === 'visit') return this.#postVisit(fields);
    if (kind === 'update') checkReference(reference);
    if (kind === 'conversion')
      return this.#credited('/connected-sites/referrals', fields as SiteReport<ConversionReport>);
    if (kind === 'lead') return this.#credited('/connected-sites/leads', fields as SiteReport<LeadReport>);
    const found = await orNull(
      this.#client.request<UpdateResponse>({
        method: 'PATCH',
        path: `/connected-sites/referrals/${segment(reference)}`,
        fields,
        responseKey: 'referral',
      }),
    );
    return found ?? { referral: null };
  }

  #postVisit(fields: object): Promise<VisitResponse> {
    return this.#client.request({
      method: 'POST',
      path: '/connected-sites/visits',
      fields,
      responseKey: 'visit_id',
    });
  }

  async #credited(
    path: string,
    { from_cookie: fromCookie = false, ...report }: SiteReport<ConversionReport | LeadReport>,
  ): Promise<ConversionResponse> {
    const post = (fields: object): Promise<ConversionResponse> =>
      this.#client.request({
        method: 'POST',
        path,
        fields,
        responseKey: 'referral',
      });
    try {
      return await post(report);
    } catch (error) {
      if (!(error instanceof PrimaryError)) throw error;
      if (error.code === 'affiliate_not_found') return NOBODY;
      // The visit no longer exists or is too old; the affiliate may still be credited.
      if (error.code !== 'visit_mismatch' || !fromCookie) throw error;
      const { visit_id: _visit, ...rest } = report;
      return post(rest);
    }
  }

  #heldBy(req: IncomingMessage): CookieValue | null {
    const held = this.#fresh.get(req) ?? readHeld(req, this.#cookieNames);
    const { cookie_duration: days } = this.#last ?? this.#config;
    // Like the primary's own, a cookie that is older than the current number of days credits no affiliate.
    return held !== null && held.at > 0 && this.#now() - held.at * 1000 > days * DAY_MS ? null : held;
  }

  get #cookieName(): string {
    return this.options.cookieName ?? siteCookie(this.#config.site_id);
  }

  /** Visitors may still have the cookie of an earlier version, or come from the primary on the same host. */
  get #cookieNames(): readonly string[] {
    return [this.#cookieName, SHARED_NAME];
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }
}

/** A report, and whether the cookie named its affiliate. */
type SiteReport<R> = R & { readonly from_cookie?: boolean };

interface VisitorCookie {
  readonly held: CookieValue;
  readonly cookie: string;
}

/**
 * Where the last click wins, only a return through the same affiliate gets this result: it renews the cookie
 * without changing the visit.
 */
const returned = (
  { message, affiliate_id: id }: Pick<VisitResponse, 'message' | 'affiliate_id'>,
  held: CookieValue | null,
): Pick<CookieValue, 'param' | 'visitId'> | null =>
  held !== null && message === 'already_exist' ? { param: String(id), visitId: held.visitId } : null;

const isOfLink = (held: CookieValue, click: PageClick): boolean =>
  held.param === click.param || held.link === linkMark(click.param);

/** The browser asks again when the visitor clicks. */
function refusePrefetch(res: ServerResponse): void {
  res.setHeader('Vary', [res.getHeader('Vary') ?? [], 'Sec-Purpose'].flat().join(', '));
  res.writeHead(503, { 'Cache-Control': 'no-store, private' }).end();
}

const LATE = Symbol('late');
const NOBODY: ConversionResponse = { referral: null, created: false, ignored: 'no_affiliate' };

/** The text the primary showed once, or its parsed form. */
export const readConfig = (config: ConnectConfig | string): ConnectConfig =>
  typeof config === 'string' ? (JSON.parse(config) as ConnectConfig) : config;

/**
 * Did the primary refuse the request? Other errors may pass. A site that is unknown at the moment does not
 * lose its visitors.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof PrimaryError && (isForbidden(error) || !isUndeliverable(error));

const socketAddress = (req: IncomingMessage): string | null => req.socket.remoteAddress ?? null;

const segment = encodeURIComponent;

async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof PrimaryError && error.status === 404 && error.code !== UNEXPECTED) return null;
    throw error;
  }
}
