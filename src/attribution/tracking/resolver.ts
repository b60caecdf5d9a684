import type { HostUser } from '../../../adapters/host.js';
import type { ReferralConfig } from '../../program/settings/types.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import { IMPORTED, VISIT } from './cookie.js';
import { idOfToken, tokenOfId } from './link-token.js';
import { cleanValue, withoutSentenceEnd } from '../../core/link-value.js';
import { ownVariables } from './page-link.js';
import { aliasKind, foldAlias } from '../../core/alias.js';
import { findIdByAliases, findIdBySource, findIdByVisit } from './repository.js';

/** What a link of an imported system may contain. An id comes before a login that consists of digits. */
const LINK_KINDS = ['id', 'slug', 'login', 'token'] as const;
const ONLY_DIGITS = /^\d+$/;
const SAME_LOGINS = 20;
const REMEMBERED = 1000;
const REMEMBER_MS = 1000;

interface CachedAffiliate {
  readonly affiliate: Affiliate;
  readonly at: number;
}

/** Converts the value of a link to the affiliate and back (docs/tracking.md §1). */
export class ParamResolver {
  readonly #known = new Map<string, CachedAffiliate>();

  constructor(private readonly app: Deps) {}

  /** The affiliate that this value names in any form, so that old links work after a change of format. */
  async resolve(value: unknown): Promise<Affiliate | null> {
    const param = cleanValue(value);
    if (param === '') return null;
    return this.#filtered(await this.#find(param), param);
  }

  /**
   * The same for clicks. An active affiliate is taken from memory for one second, so that a popular link does
   * not cost a query for each click. Only its id, user and status are reliable; the group reads the status
   * again under the lock.
   */
  async resolveForClick(value: string): Promise<Affiliate | null> {
    const param = cleanValue(value);
    if (param === '') return null;
    const { referral_format: format } = await this.app.settings.referralConfig();
    const key = `${format} ${param}`;
    const known = this.#known.get(key);
    if (known && Math.abs(this.app.clock.now() - known.at) < REMEMBER_MS)
      return this.#filtered(known.affiliate, param);
    const at = this.app.clock.now();
    const found = await this.#find(param);
    this.#known.delete(key);
    if (found?.status === 'active') this.#known.set(key, { affiliate: found, at });
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    return this.#filtered(found, param);
  }

  /** The active affiliate whom this value named when it was last asked for, without the database. */
  remembered(
    value: string,
    { referral_format: format }: Pick<ReferralConfig, 'referral_format'>,
  ): Affiliate | null {
    if (this.app.hooks.isUsed('affiliate_by_param')) return null;
    return this.#known.get(`${format} ${cleanValue(value)}`)?.affiliate ?? null;
  }

  /** Called after an affiliate was added, changed or deleted in this process: each is looked up again. */
  forget(): void {
    for (const [key, { affiliate }] of this.#known) this.#known.set(key, { affiliate, at: -Infinity });
  }

  /** A value that was pasted with the end of its sentence is read without it when nothing else has it. */
  async #find(param: string): Promise<Affiliate | null> {
    const found = await this.#findExactly(param);
    const trimmed = found === null ? withoutSentenceEnd(param) : param;
    return trimmed === param ? found : this.#findExactly(trimmed);
  }

  async #findExactly(param: string): Promise<Affiliate | null> {
    const { referral_variable: own } = await this.app.settings.referralConfig();
    const named = importedParam(this.app, param);
    if (named) return this.byAlias(named.source, named.value);
    if (param.startsWith(IMPORTED)) return this.#byImport(param);
    // A link of an imported system names the affiliate it named there, even when our own links use the same
    // variable.
    for (const { source, variables } of this.app.settings.importedLinks)
      if (ownVariables(this.app, own).some((variable) => variables.includes(variable))) {
        const found = await this.byAlias(source, param);
        if (found !== null) return found;
      }
    // People choose their names, so a value that looks like an id or a token is always read as one.
    if (ONLY_DIGITS.test(param)) return this.#byId(param);
    const id = idOfToken(this.app.secrets, param);
    return id === null ? this.#byName(param) : this.app.affiliates.findCredited(id);
  }

  /**
   * A name credits the affiliate it credited first; only a name that no affiliate has had is looked up as a
   * login.
   */
  async #byName(param: string): Promise<Affiliate | null> {
    const { affiliates } = this.app;
    const owner = await affiliates.nameOwner(param);
    if (owner !== null) return owner.affiliateId === null ? null : affiliates.find(owner.affiliateId);
    const found = await this.#byLogin(param);
    if (found === null || (await affiliates.holdLogin(found, param))) return found;
    // another process was first
    const first = (await affiliates.nameOwner(param))?.affiliateId ?? null;
    return first === null ? null : affiliates.find(first);
  }

  /**
   * The value in an affiliate's links: the custom parameter where affiliates choose one, else the value in
   * the configured format; null when there is none.
   */
  async valueOf(affiliate: Affiliate): Promise<string | null> {
    if (affiliate.custom_param !== null && (await this.app.settings.features.isOn('own_link_name')))
      return affiliate.custom_param;
    const { referral_format: format } = await this.app.settings.referralConfig();
    if (format === 'id') return String(affiliate.id);
    if (format === 'custom') return affiliate.custom_param ?? String(affiliate.id);
    if (format === 'hash') return tokenOfId(this.app.secrets, affiliate.id);
    return format === 'username' ? this.#loginOf(affiliate) : null;
  }

  /** The login, or the id when links with the login would not credit this affiliate; null without a login. */
  async #loginOf(affiliate: Affiliate): Promise<string | null> {
    const login = await this.#loginInHost(affiliate);
    if (login === null) return null;
    return this.#isMistakable(login) || !(await this.#holds(affiliate, login)) ? String(affiliate.id) : login;
  }

  /** The affiliate's login, when links with it credit another affiliate; else null. */
  async loginOfAnother(affiliate: Affiliate): Promise<string | null> {
    const login = await this.#loginInHost(affiliate);
    return login === null || this.#isMistakable(login) || (await this.#holds(affiliate, login))
      ? null
      : login;
  }

  async #loginInHost({ user_id: userId }: Affiliate): Promise<string | null> {
    return userId === null ? null : ((await this.app.users([userId])).get(userId)?.login ?? null);
  }

  /** A login that is shown in a link is the affiliate's from then on. */
  async #holds(affiliate: Affiliate, login: string): Promise<boolean> {
    const owner = await this.app.affiliates.nameOwner(login);
    return owner?.affiliateId === affiliate.id || this.app.affiliates.holdLogin(affiliate, login);
  }

  /** A login that could be read as an id or a token is not used in links. */
  #isMistakable = (login: string): boolean =>
    ONLY_DIGITS.test(cleanValue(login)) || idOfToken(this.app.secrets, login) !== null;

  /** The affiliate with this value in an imported system. */
  async byAlias(source: string, value: string): Promise<Affiliate | null> {
    if (value.startsWith(VISIT)) return this.#byVisit(`${source}:${value.slice(VISIT.length)}`);
    const kinds = LINK_KINDS.map((kind) => aliasKind(source, kind));
    const id = await findIdByAliases(this.app.db, kinds, foldAlias(value));
    return id === null ? null : this.app.affiliates.find(id);
  }

  async #byVisit(key: string): Promise<Affiliate | null> {
    const id = await findIdByVisit(this.app.db, key);
    return id === null ? null : this.app.affiliates.find(id);
  }

  /** Only digits are accepted: a database that reads `12abc` as 12 would credit the wrong affiliate. */
  async #byId(param: string): Promise<Affiliate | null> {
    const id = /^[1-9]\d{0,15}$/.test(param) ? Number(param) : 0;
    return Number.isSafeInteger(id) && id > 0 ? this.app.affiliates.findCredited(id) : null;
  }

  /** The affiliate of an imported cookie, while such cookies count. */
  async #byImport(param: string): Promise<Affiliate | null> {
    if (!this.app.options.tracking.cookie.acceptUnsigned) return null;
    const id = await findIdBySource(this.app.db, param);
    const { affiliates } = this.app;
    return id === null ? affiliates.findMerged('merged_source', param) : affiliates.find(id);
  }

  async #byLogin(param: string): Promise<Affiliate | null> {
    const user = await this.#userByLogin(param);
    if (user === null) return null;
    const { affiliates } = this.app;
    return (await affiliates.findByUser(user.id)) ?? affiliates.findMerged('merged_user', String(user.id));
  }

  async #userByLogin(login: string): Promise<HostUser | null> {
    const { users } = this.app.host;
    if (users.findByLogin) return users.findByLogin(login);
    const same = (user: HostUser): boolean => user.login.toLowerCase() === login.toLowerCase();
    return (await users.search(login, SAME_LOGINS)).find(same) ?? null;
  }

  async #filtered(found: Affiliate | null, param: string): Promise<Affiliate | null> {
    if (!this.app.hooks.isUsed('affiliate_by_param')) return found;
    const response = await this.app.hooks.applyFilters('affiliate_by_param', found, param);
    if (response === null || response.id === found?.id) return response && found;
    return this.app.affiliates.find(response.id);
  }
}

/** Splits the value of an imported system's link or cookie, such as `slicewp:anna`. */
function importedParam(app: Deps, param: string): { source: string; value: string } | null {
  const at = param.indexOf(':');
  const source = at > 0 ? param.slice(0, at) : '';
  return source !== '' && app.settings.importedLinks.some((each) => each.source === source)
    ? { source, value: param.slice(at + 1) }
    : null;
}
