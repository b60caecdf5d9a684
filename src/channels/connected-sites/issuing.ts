import { randomDigits, randomToken } from '../../core/random.js';
import { siteKey } from '../../core/site-signature.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { readChildToken, type ChildConfig } from './child-token.js';
import type { SiteKeys } from './credentials.js';
import { isReachable } from './reachability.js';
import * as store from './repository.js';
import { checkSettings } from './settings.js';
import { keyOfHome, readSiteUrl, type SiteUrl } from './site-url.js';
import type { ConnectedSite, IssuedSite, IssueInput, SiteSettings } from './types.js';
import { presentSite } from './presenter.js';

const MAX_SITES = 1000;
const TOKEN_LENGTH = 12;

interface SiteInput extends SiteUrl {
  readonly settings: SiteSettings;
}
type OnChange = (trx: Db, afterCommit: AfterCommit) => Promise<void>;

/** Connects sites and issues their tokens (docs/connected-sites.md §4, §5). */
export class SiteIssuer {
  constructor(
    private readonly app: Deps,
    private readonly keys: SiteKeys,
    private readonly changed: OnChange,
  ) {}

  /**
   * A site that is already connected gets a new token; nothing else changes. A site that was disconnected
   * gets its id back, and with it its orders.
   */
  async issue(input: IssueInput): Promise<IssuedSite> {
    const wanted = await this.#wanted(input);
    const { connectedSites: options } = this.app.options;
    if (options.requireSecret && !this.app.secrets.given) fail('secret_missing');
    if (options.verifyReachable && !(await isReachable(wanted.url, options)))
      fail('invalid_site_url', { message: 'The site did not respond.' });
    if (!this.app.secrets.given)
      this.app.log.warn('the key of a connected site is stored unencrypted: set the option `secret`');
    const token = randomToken(TOKEN_LENGTH);
    return this.app.transaction(async (trx, afterCommit) => {
      const known = await store.lockByUrl(trx, wanted.key);
      const created = known ? null : await this.#connect(trx, wanted, token);
      const site =
        created ?? (await this.#rotate(trx, known ?? (await store.lockByUrl(trx, wanted.key)), token));
      const rotated = created === null;
      await this.#record(trx, site, rotated);
      await this.changed(trx, afterCommit);
      await this.app.eventLog.append(trx, 'site.connected', { id: site.site_id, data: presentSite(site) });
      afterCommit(() => this.app.hooks.doAction('connected_site_connected', site, rotated));
      return { site, server_token: token, rotated };
    });
  }

  async #wanted(input: IssueInput): Promise<SiteInput> {
    const child = readInput(input);
    const url = readSiteUrl(child.site_url, this.app.options.connectedSites);
    if (url.key === keyOfHome(this.app.host.site().url)) fail('site_is_primary');
    const {
      referral_variable: param_key,
      cookie_duration,
      credit_last_referrer,
    } = await this.app.settings.referralConfig();
    const given = checkSettings({
      site_title: child.site_title || new URL(url.url).hostname,
      logo: child.logo ?? '',
      description: child.description ?? '',
      subtitle: child.subtitle ?? '',
    });
    const defaults = {
      site_title: '',
      logo: '',
      description: '',
      subtitle: '',
      param_key,
      cookie_duration,
      credit_last_referrer,
      status: 'active' as const,
    };
    return { ...url, settings: { ...defaults, ...given } };
  }

  /** Null when another request connected this address at the same moment. */
  async #connect(trx: Db, { url, key, settings }: SiteInput, token: string): Promise<ConnectedSite | null> {
    const taken = await store.siteIds(trx);
    if (taken.size >= MAX_SITES) fail('too_many_sites');
    const now = this.app.clock.now();
    const site_id = (await store.takeFormerId(trx, key)) ?? (await this.#newId(trx, taken));
    const secret = this.keys.store(site_id, siteKey(site_id, token));
    const row = {
      ...settings,
      former_params: '',
      site_id,
      site_url: url,
      url_key: key,
      secret,
      created_at: now,
      token_issued_at: now,
    };
    return (await store.insertSite(trx, row)) ? store.findSite(trx, site_id) : null;
  }

  /** An id that no site has or had: orders are stored under it. */
  async #newId(trx: Db, taken: ReadonlySet<string>): Promise<string> {
    for (;;) {
      const id = randomDigits(6);
      if (!id.startsWith('0') && !taken.has(id) && !(await store.isFormerId(trx, id))) return id;
    }
  }

  async #rotate(trx: Db, site: ConnectedSite | null, token: string): Promise<ConnectedSite> {
    if (!site) return fail('busy');
    const now = this.app.clock.now();
    await store.replaceSecret(trx, site.site_id, {
      secret: this.keys.store(site.site_id, siteKey(site.site_id, token)),
      now,
    });
    return { ...site, token_issued_at: now };
  }

  async #record(trx: Db, site: ConnectedSite, rotated: boolean): Promise<void> {
    const action = rotated ? 'connected_site.token_rotated' : 'connected_site.connected';
    await this.app.audit.write(trx, action, ['connected_site', site.site_id], {
      after: { site_url: site.site_url },
    });
  }
}

function readInput({ child_token: token, site_url, site_title }: IssueInput): ChildConfig {
  if (token === undefined || token === null || token === '')
    return { site_url, site_title, logo: undefined, description: undefined, subtitle: undefined };
  const child = readChildToken(token);
  return { ...child, site_title: site_title || child.site_title };
}
