import ipaddr from 'ipaddr.js';
import { plainName } from '../../core/link-value.js';
import { readSubIds, SUB_IDS } from '../../core/sub-ids.js';
import { cut, plainLine } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import type { ClickResult, SkipReason, Utm } from '../../attribution/tracking/types.js';
import type { ClickEvidence } from '../../attribution/fraud/types.js';
import type { Visit } from '../../accounting/visits/types.js';
import type { Deps } from './deps.js';
import { siteCookie } from '../../core/site-cookie.js';
import { variablesOf } from './settings.js';
import { happenedAt } from './event-time.js';
import { siteOfPage } from './site-url.js';
import type { SiteVisitResponse, SiteVisitInput } from './schemas.js';
import type { ConnectedSite } from './types.js';

const URL_LENGTH = 1000;
const UTM_LENGTH = 100;
/** The site sends such a visit again; any other uncounted visit gets a final response. */
const NOT_NOW: readonly SkipReason[] = ['overload', 'failed'];
const UTM = ['utm_campaign', 'utm_medium', 'utm_source'] as const;

/** Records visits that sites report, by the rules of the primary's tracker (docs/connected-sites.md §7). */
export class SiteVisits {
  constructor(
    private readonly app: Deps,
    private readonly sites: () => Promise<readonly ConnectedSite[]>,
  ) {}

  async record(site: ConnectedSite, input: SiteVisitInput): Promise<SiteVisitResponse> {
    const page = await this.#page(site, input.url);
    const address = readAddress(input.ip);
    const click = { url: page, referrer: readReferrer(input.referrer), ...readUtm(input) };
    const at = happenedAt(input.occurred_at, { now: this.app.clock.now(), days: site.cookie_duration });
    const first = await this.#event(site, input);
    if (first?.affiliate_id)
      return this.#respond(
        site,
        { message: 'success', visitId: first.id, affiliateId: first.affiliate_id, created: true },
        { click, at },
      );
    const result = await this.app.tracking.recordClick({
      param: String(input.affiliate_param),
      url: page,
      referrer: click.referrer,
      utm: readUtm(input),
      visitId: input.visit_id ?? null,
      current: plain(input.current_param) || null,
      visitor: { address, agent: '', userId: async () => null },
      site: {
        site_id: site.site_id,
        credit_last_referrer: site.credit_last_referrer,
        cookie_duration: site.cookie_duration,
        event_id: eventOf(input),
        happened_at: at,
      },
    });
    return this.#respond(site, await this.#outcomeOf(result, site, input), { click, at });
  }

  /** A request that was sent twice at the same time gets the same response. */
  async #outcomeOf(result: ClickResult, site: ConnectedSite, input: SiteVisitInput): Promise<VisitOutcome> {
    const { message, reason, affiliate, visitId } = result;
    if (reason !== null && NOT_NOW.includes(reason)) fail('busy');
    if (affiliate?.status !== 'active') return fail('affiliate_not_found');
    const created =
      message === 'success' && (reason === null || (await this.#event(site, input))?.id === visitId);
    return { message, visitId, affiliateId: affiliate.id, created };
  }

  /** The cookie names the affiliate by id. A visitor whose click exceeds a limit gets it without a visit. */
  async #respond(
    site: ConnectedSite,
    { message, visitId, affiliateId, created }: VisitOutcome,
    { click, at }: { readonly click: ClickEvidence; readonly at: number },
  ): Promise<SiteVisitResponse> {
    const cookie =
      visitId === null && message !== 'throttled'
        ? null
        : {
            name: siteCookie(site.site_id),
            value: `${affiliateId}|${visitId ?? ''}`,
            max_age_days: site.cookie_duration,
          };
    const token = await this.app.tracking.seenToken(affiliateId, at, click);
    return { message, visit_id: visitId, affiliate_id: affiliateId, created, cookie, click: token };
  }

  async #event(site: ConnectedSite, input: SiteVisitInput): Promise<Visit | null> {
    const event = eventOf(input);
    return event === null ? null : this.app.visits.findByEvent(site.site_id, event);
  }

  /** The page's address without tracking parameters, as the primary stores its own. */
  async #page(site: ConnectedSite, address: string): Promise<string> {
    const url = parse(address);
    const owner = url && siteOfPage(url, await this.sites());
    if (!url || owner?.site_id !== site.site_id) return fail('url_outside_site');
    const ours = [...variablesOf(site), 'visit_id', ...UTM, ...SUB_IDS].map((name) => name.toLowerCase());
    for (const name of new Set(url.searchParams.keys()))
      if (ours.includes(plainName(name))) url.searchParams.delete(name);
    return cut(url.href, URL_LENGTH);
  }
}

interface VisitOutcome {
  readonly message: string;
  readonly visitId: number | null;
  readonly affiliateId: number;
  readonly created: boolean;
}

const eventOf = ({ event_id: event = '' }: SiteVisitInput): string | null => String(event) || null;

function parse(address: string): URL | null {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url;
}

function readReferrer(value: unknown): string | null {
  const url = typeof value === 'string' ? parse(value) : null;
  return url && cut(url.href, URL_LENGTH);
}

function readUtm(input: SiteVisitInput): Utm {
  const read = (name: (typeof UTM)[number]): string | null => cut(plain(input[name]), UTM_LENGTH) || null;
  return {
    utm_campaign: read('utm_campaign'),
    utm_medium: read('utm_medium'),
    utm_source: read('utm_source'),
    ...readSubIds({ ...input }),
  };
}

function readAddress(ip: string | undefined): string | null {
  if (ip === undefined || ip === '') return null;
  if (!ipaddr.isValid(ip)) failFields({ ip: { format: 'ip must be an IPv4 or IPv6 address.' } });
  return ipaddr.process(ip).toString();
}

const plain = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? plainLine(String(value)) : '';
