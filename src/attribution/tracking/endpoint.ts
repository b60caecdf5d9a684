import type { IncomingMessage, ServerResponse } from 'node:http';
import { AffiliateError } from '../../errors.js';
import { sendError } from '../../platform/http/error-handler.js';
import { parseForm } from '../../platform/http/form.js';
import { sendJson } from '../../platform/http/reply.js';
import type { Deps } from './deps.js';
import { attributionCookie, cookieDays, hasConsent, readAttributionCookie } from './cookie.js';
import { ignoredVisitor } from './ignore.js';
import { senderOf } from './known-hosts.js';
import { cleanValue } from '../../core/link-value.js';
import { landingUrl, readUtm, referrerUrl, storedUrl, toVisitId } from './page-link.js';
import { earnsCookie, type PageTrackerParts } from './page-tracker.js';
import { addressParts, responseTime, isCall, readCall } from './public-call.js';
import type { ClickInput, ClickResult, SkipReason, TrackMessage } from './types.js';
import { visitorOf } from './visitor-limits.js';

/** The parameter that marks a tracking call in the product this interface comes from, on any path. */
const ALIAS = 'fluent_aff_count_visit';
const BODY_BYTES = 4096;

interface TrackOutcome {
  readonly message: TrackMessage;
  readonly visitId?: number | null;
  readonly reason?: SkipReason | null;
  readonly cookie?: string;
}

/**
 * The public tracking call (docs/tracking.md §3). It returns 200 and one of seven messages, except for limits
 * and bodies that cannot be read.
 */
export class TrackingEndpoint {
  constructor(
    private readonly app: Deps,
    private readonly parts: PageTrackerParts,
  ) {}

  /** Is this a request to the endpoint, seen by the middleware of the host's pages? */
  matches(req: IncomingMessage): boolean {
    if (!isCall(req)) return false;
    const [path, query] = addressParts(req);
    return (
      path === this.app.basePath + this.app.options.tracking.path ||
      (query.includes(ALIAS) && parseForm(query)['action'] === ALIAS)
    );
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const call = await readCall(this.app, this.parts, {
        req,
        res,
        bytes: BODY_BYTES,
        stopAtLimit: false,
      });
      if (!call) return;
      const fields = { ...parseForm((req.url ?? '').split('?')[1] ?? ''), ...call.fields };
      const response = await this.#respond(req, fields, call.limited === null);
      if (call.limited === null) {
        this.#send(res, response);
        return;
      }
      if (response.cookie !== undefined) res.appendHeader('Set-Cookie', response.cookie);
      throw call.limited;
    } catch (error) {
      this.#refuse(res, error);
    }
  }

  #refuse(res: ServerResponse, error: unknown): void {
    if (error instanceof AffiliateError && error.status < 500) {
      this.parts.skip(error.code === 'rate_limited' ? 'rate_limited' : 'invalid', '');
      sendError(this.app, res, error);
      return;
    }
    this.app.log.error('a click could not be tracked', { error });
    this.#send(res, { message: 'no', reason: 'failed' });
  }

  #send(res: ServerResponse, { message, visitId, reason, cookie }: TrackOutcome): void {
    if (reason) this.parts.skip(reason, '');
    if (cookie !== undefined) res.appendHeader('Set-Cookie', cookie);
    sendJson(res, 200, { message, time: responseTime(this.app), ...(visitId ? { visit_id: visitId } : {}) });
  }

  /**
   * With `mayStore` false, a click beyond the limit of its address is not stored, but the visitor still
   * belongs to the affiliate.
   */
  async #respond(
    req: IncomingMessage,
    fields: Readonly<Record<string, unknown>>,
    mayStore: boolean,
  ): Promise<TrackOutcome> {
    const param = cleanValue(fields['__aff_id__']);
    if (param === '' || typeof fields['url'] !== 'string' || fields['url'] === '')
      return { message: 'invalid param', reason: 'invalid' };
    const ignored = await this.#ignored(req, fields);
    if (ignored) return { message: 'no', reason: ignored };
    const { referral_variable: variable } = await this.app.settings.referralConfig();
    const url = landingUrl(fields['url'], variable);
    if (!url || !(await this.parts.hosts.isKnown(url))) return { message: 'no', reason: 'foreign_url' };
    const click = {
      param,
      url: storedUrl(url),
      referrer: referrerUrl(fields['referrer']),
      utm: readUtm(fields),
    };
    return this.#count(req, { ...click, visitId: toVisitId(fields['visit_id']) }, mayStore);
  }

  async #count(
    req: IncomingMessage,
    read: Pick<ClickInput, 'param' | 'url' | 'referrer' | 'utm' | 'visitId'>,
    mayStore: boolean,
  ): Promise<TrackOutcome> {
    const days = await cookieDays(this.app);
    const cookie = readAttributionCookie(this.app, req, days);
    const click = {
      ...read,
      current: cookie?.param ?? null,
      currentAt: cookie?.issuedAt ?? null,
      visitor: await visitorOf(this.app, req),
    };
    const result = await (mayStore
      ? this.parts.recorder.record(click)
      : this.parts.recorder.recognize(click));
    const visitId = result.renews ? (cookie?.visitId ?? null) : result.visitId;
    return { ...result, ...(await this.#cookie(req, { click, result, visitId, days })) };
  }

  async #ignored(
    req: IncomingMessage,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<SkipReason | null> {
    const ignored = ignoredVisitor({
      method: 'POST',
      headers: req.headers,
      fields,
      countTools: this.app.options.tracking.countTools,
    });
    if (ignored) return ignored;
    if (!hasConsent(this.app, req, fields['consent'])) return 'no_consent';
    const sender = senderOf(req);
    return sender && (await this.parts.hosts.isKnown(sender)) ? null : 'foreign_origin';
  }

  /** Only pages of the host itself get the cookie; on another site it would be a third-party cookie. */
  async #cookie(
    req: IncomingMessage,
    {
      click,
      result,
      visitId,
      days,
    }: {
      readonly click: Pick<ClickInput, 'param' | 'url' | 'referrer' | 'utm'>;
      readonly result: ClickResult;
      readonly visitId: number | null;
      readonly days: number;
    },
  ): Promise<{ cookie?: string }> {
    const { affiliate, reason } = result;
    const sender = senderOf(req);
    if (!affiliate || !(result.renews || earnsCookie(result)) || !sender || !this.parts.hosts.isOwn(sender))
      return {};
    const { param, url, referrer, utm } = click;
    // A click that is not stored as a visit is checked now, because no rule sees it later.
    const signs = reason === null ? [] : await this.app.fraud.signsOf({ ...utm, url, referrer });
    return {
      cookie: attributionCookie(this.app, req, { affiliateId: affiliate.id, param, visitId, days, signs }),
    };
  }
}
