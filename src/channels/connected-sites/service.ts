import { plainLine } from '../../core/text.js';
import { randomToken } from '../../core/random.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { ResealReport } from '../../platform/secrets.js';
import { fail } from '../../errors.js';
import type { RequestInfo } from '../../platform/http/request-info.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import { siteCookie } from '../../core/site-cookie.js';
import type { Flag, SiteMarks } from '../../program/settings/types.js';
import type { Deps } from './deps.js';
import { SiteAuthenticator } from './authenticator.js';
import { SiteConversions } from './conversions.js';
import type {
  SiteConversionResponse,
  SiteFollowUpResponse,
  SiteVisitResponse,
  SiteConversionInput,
  SiteFollowUp,
  SiteLeadInput,
  SiteVisitInput,
} from './schemas.js';
import { SiteKeys } from './credentials.js';
import { SiteIssuer } from './issuing.js';
import { connectConfigOf } from './presenter.js';
import { isReachable } from './reachability.js';
import * as store from './repository.js';
import type { Handshake } from './schemas.js';
import { checkSettings, formerParams, variablesOf } from './settings.js';
import { shareEntry, usableEntries } from './share.js';
import { hostOfKey } from './site-url.js';
import type { ConnectedSite, IssuedSite, IssueInput, ShareEntry, SitesConfig } from './types.js';
import { SiteVisits } from './visits.js';
import { presentSite } from './presenter.js';

export const STATUS = '_connected_sites_status';
/** Changes with every write, so that other processes read the sites again. */
export const REVISION = '_connected_sites_revision';

export interface Primary {
  readonly url: string;
  readonly apiUrl: string;
}
interface SitesSnapshot {
  readonly revision: string;
  readonly sites: readonly ConnectedSite[];
}

/** Other sites that report visits and orders to this one. */
export class ConnectedSitesService {
  readonly #issuer: SiteIssuer;
  readonly #authenticator: SiteAuthenticator;
  readonly #visits: SiteVisits;
  readonly #conversions: SiteConversions;
  #known: SitesSnapshot | undefined;

  readonly #keys: SiteKeys;

  constructor(private readonly app: Deps) {
    const keys = new SiteKeys(app.secrets);
    this.#keys = keys;
    this.#issuer = new SiteIssuer(app, keys, (trx, afterCommit) => this.#changed(trx, afterCommit));
    this.#authenticator = new SiteAuthenticator(app, keys, () => this.#isOn());
    this.#visits = new SiteVisits(app, () => this.#sites());
    this.#conversions = new SiteConversions(app);
    app.settings.contribute({ sites: () => this.#marks() });
    app.tracking.contribute({
      siteHosts: () => this.#activeHosts(),
      siteParams: () => this.#activeParams(),
    });
  }

  async config(): Promise<SitesConfig> {
    return { status: (await this.#isOn()) ? 'yes' : 'no', sites: await store.listSites(this.app.db) };
  }

  /** Switches the whole feature on or off, without removing sites. */
  async setStatus(status: Flag): Promise<SitesConfig> {
    const previous = (await this.#isOn()) ? 'yes' : 'no';
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, STATUS, status);
      await this.app.audit.write(trx, 'connected_sites.status', ['settings', null], {
        before: { status: previous },
        after: { status },
      });
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'connected_sites',
          { status },
          { status: previous },
          this.app.context.current().user,
        ),
      );
    });
    return this.config();
  }

  async find(siteId: string): Promise<ConnectedSite | null> {
    return store.findSite(this.app.db, siteId);
  }

  /** Connects a site, or gives a connected one a new token. The token is not shown again. */
  issue(input: IssueInput): Promise<IssuedSite> {
    return this.#issuer.issue(input);
  }

  /** The text to paste into the site that was connected; with it the site can call `connectSite`. */
  connectConfig(issued: IssuedSite): string {
    return connectConfigOf(issued, this.primary());
  }

  /** Changes the given settings; id, address and unknown keys do not change. */
  async update(siteId: string, input: Readonly<Record<string, unknown>>): Promise<ConnectedSite> {
    const settings = checkSettings(input);
    return this.app.transaction(async (trx, afterCommit) => {
      const before = (await store.lockSite(trx, siteId)) ?? fail('site_not_found');
      const changes = { ...settings, former_params: formerParams(before, settings) };
      await store.updateSite(trx, siteId, changes);
      const after = { ...before, ...changes };
      await this.app.audit.write(trx, 'connected_site.updated', ['connected_site', siteId], {
        before,
        after,
      });
      await this.#changed(trx, afterCommit);
      await this.app.eventLog.append(trx, 'site.updated', {
        id: siteId,
        data: presentSite(after),
        before: presentSite(before),
      });
      afterCommit(() => this.app.hooks.doAction('connected_site_updated', after, before));
      return after;
    });
  }

  /** Removes the site and its key at once; not its visits and referrals, nor the id of its address. */
  async disconnect(siteId: string): Promise<void> {
    await this.app.transaction(async (trx, afterCommit) => {
      const site = (await store.lockSite(trx, siteId)) ?? fail('site_not_found');
      await store.deleteSite(trx, site);
      await this.app.audit.write(trx, 'connected_site.disconnected', ['connected_site', siteId], {
        before: site,
      });
      await this.#changed(trx, afterCommit);
      await this.app.eventLog.append(trx, 'site.disconnected', { id: siteId, data: presentSite(site) });
      afterCommit(() => this.app.hooks.doAction('connected_site_disconnected', site));
    });
  }

  /** Does the site respond at its address? */
  async test(siteId: string): Promise<boolean> {
    const { site_url: address } = (await this.find(siteId)) ?? fail('site_not_found');
    return isReachable(address, this.app.options.connectedSites);
  }

  /** The site with this id and token, or null. */
  getSite(siteId: string, serverToken: string): Promise<ConnectedSite | null> {
    return this.#authenticator.siteOf(siteId, serverToken);
  }

  /**
   * The site that sent a request to one of the site routes; otherwise throws the errors of
   * docs/connected-sites.md §6.
   */
  authenticate(request: RequestInfo): Promise<ConnectedSite> {
    return this.#authenticator.authenticate(request);
  }

  /**
   * The facts that a site asks for after it was connected, and from time to time
   * (docs/connected-sites.md §7).
   */
  async handshake(siteId: string): Promise<Handshake> {
    const site = await this.#get(siteId);
    const { app } = this;
    const { referral_format, referral_variable, currency } = await app.settings.referralConfig();
    await store.markSeen(app.db, siteId, app.clock.now());
    const { url, name } = app.host.site();
    return {
      site: {
        site_id: site.site_id,
        site_url: site.site_url,
        site_title: site.site_title,
        status: site.status,
      },
      primary: { name, url, portal_url: await app.settings.portalUrl(), referral_variable },
      param_key: site.param_key,
      former_params: variablesOf(site).slice(1),
      cookie_duration: site.cookie_duration,
      credit_last_referrer: site.credit_last_referrer,
      referral_format,
      currency,
      server_time: Math.floor(app.clock.now() / 1000),
    };
  }

  /** The active affiliate whom the value of a link names; nothing else about them is sent. */
  async affiliate(param: string): Promise<{ id: number; param: string; status: 'active' }> {
    const found: Affiliate | null = await this.app.tracking.resolveParam(param);
    return found?.status === 'active'
      ? { id: found.id, param: plainLine(param), status: 'active' }
      : fail('affiliate_not_found');
  }

  async recordVisit(siteId: string, input: SiteVisitInput): Promise<SiteVisitResponse> {
    return this.#visits.record(await this.#get(siteId), input);
  }

  async recordConversion(siteId: string, input: SiteConversionInput): Promise<SiteConversionResponse> {
    return this.#conversions.record(await this.#get(siteId), input);
  }

  async recordLead(siteId: string, input: SiteLeadInput): Promise<SiteConversionResponse> {
    return this.#conversions.lead(await this.#get(siteId), input);
  }

  async followUp(siteId: string, reference: string, input: SiteFollowUp): Promise<SiteFollowUpResponse> {
    return this.#conversions.followUp(await this.#get(siteId), reference, input);
  }

  /** The active sites for the portal's share widget, after the filter of extensions. */
  async additionalSites(affiliate: Affiliate | null = null): Promise<ShareEntry[]> {
    const entries = (await this.active()).map(shareEntry);
    return usableEntries(await this.app.hooks.applyFilters('portal/additional_sites', entries, affiliate));
  }

  /** The active sites; none while connected sites are switched off. */
  async active(): Promise<readonly ConnectedSite[]> {
    return (await this.#isOn()) ? (await this.#sites()).filter((site) => site.status === 'active') : [];
  }

  /** Hosts (with port) of the active sites. */
  async #activeHosts(): Promise<ReadonlySet<string>> {
    return new Set((await this.active()).map((site) => hostOfKey(site.url_key)));
  }

  /** By what links and cookies of the active sites are recognized. */
  async #marks(): Promise<SiteMarks> {
    const active = await this.active();
    return {
      variables: [...new Set(active.flatMap(variablesOf))],
      cookies: active.map(({ site_id: id }) => siteCookie(id)),
    };
  }

  /** The referral parameter of each active site, by host. */
  async #activeParams(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.active()).map((site) => [hostOfKey(site.url_key), site.param_key]));
  }

  primary(): Primary {
    const { url } = this.app.host.site();
    return { url, apiUrl: url + this.app.basePath };
  }

  /** Seals the keys of sites with the current secret. */
  async resealSecrets(): Promise<ResealReport> {
    const done = { renewed: 0, lost: 0 };
    for (const { siteId, secret } of await store.allSecrets(this.app.db)) {
      const sealed = this.#keys.renewed(siteId, secret);
      if (sealed === null) done.lost += 1;
      else if (!Object.is(sealed, secret)) {
        done.renewed += 1;
        await store.resealSecret(this.app.db, { siteId, secret, renewed: sealed });
      }
    }
    return done;
  }

  /** Warns on start if the keys in the database can be read. */
  async warnAboutSecret(): Promise<void> {
    if (this.app.secrets.given || (await store.siteIds(this.app.db)).size === 0) return;
    this.app.log.warn(
      'keys of connected sites are stored unencrypted: set the option `secret` and issue new tokens',
    );
  }

  async #get(siteId: string): Promise<ConnectedSite> {
    return (await store.findSite(this.app.db, siteId)) ?? fail('site_auth_failed');
  }

  async #isOn(): Promise<boolean> {
    return (await this.app.settings.read<unknown>(STATUS, 'no')) === 'yes';
  }

  /** All sites, read again when a process has changed one. */
  async #sites(): Promise<readonly ConnectedSite[]> {
    const revision = await this.app.settings.read(REVISION, '');
    if (this.#known?.revision !== revision)
      this.#known = { revision, sites: await store.listSites(this.app.db) };
    return this.#known.sites;
  }

  #changed(trx: Db, afterCommit: AfterCommit): Promise<void> {
    return this.app.settings.write(trx, afterCommit, REVISION, randomToken(12));
  }
}
