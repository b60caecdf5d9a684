import { createHash } from 'node:crypto';
import { readJson } from '../../core/json.js';
import type { RuleName } from '../../core/rule-names.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import type { Deps } from './deps.js';
import { NO_CONTRIBUTIONS, NO_MARKS, type SettingsContributions } from './contributions.js';
import { currencyChanging } from './domain-events.js';
import { Features } from './features.js';
import { consoleUrl, portalScreenUrl, portalUrl } from './screen-url.js';
import { OptionStore } from './option-store.js';
import {
  appendRateChange,
  mergeConfig,
  readConfig,
  REFERRAL_CONFIG,
  formerVariablesOf,
  withFormerVariable,
} from './referral-config.js';
import type { ReferralConfigDto } from './schemas.js';
import { variableProblem } from '../../core/link-variable.js';
import { checkConfig } from './referral-config-check.js';
import {
  effectiveRules,
  PROGRAM_RULES,
  saveRules,
  type ProgramRules,
  type ProgramRulesInput,
} from './program-rules.js';
import type { ImportedLinks, ReferralConfig, SiteMarks } from './types.js';

const IMPORTED_LINKS = 'imported_links';
const PROGRAM_COPY = 'program_copy';
const CLOSED_FOR_WIPE = 'closed_for_wipe';

/**
 * The settings of the program, one row each. A value that is read is at most a second old, also when another
 * process wrote it.
 */
export class SettingsService {
  readonly features: Features;
  readonly #store: OptionStore;
  #contributions = NO_CONTRIBUTIONS;
  #rules: { readonly stored: string | null; readonly value: ProgramRules } | undefined;
  /**
   * Transactions in which the state that the request expects was compared, which happens before their first
   * write.
   */
  readonly #compared = new WeakSet<Db>();
  #config:
    | {
        readonly version: number;
        readonly value: ReferralConfig;
        readonly links: readonly ImportedLinks[];
        readonly former: readonly string[];
        readonly sites: SiteMarks;
      }
    | undefined;

  constructor(private readonly app: Deps) {
    this.#store = new OptionStore(app);
    this.features = new Features(app, this);
  }

  contribute(parts: Partial<SettingsContributions>): void {
    this.#contributions = { ...this.#contributions, ...parts };
  }

  /** The stored JSON value, or the fallback when there is none. */
  async read<T>(name: string, fallback: T): Promise<T> {
    return readJson(await this.#store.read(name), fallback);
  }

  /**
   * Reads the value from the database and locks it until the transaction ends, for a change of a part of it.
   */
  async readLocked<T>(trx: Db, name: string, fallback: T): Promise<T> {
    return readJson(await this.#store.readLocked(trx, name), fallback);
  }

  /** Names and values of the options whose names end like this. */
  async readEnding<T>(ending: string, fallback: T): Promise<readonly (readonly [name: string, value: T])[]> {
    return (await this.#store.readEnding(ending)).map(({ name, value }) => [name, readJson(value, fallback)]);
  }

  /**
   * A text that changes whenever one of these stored values does; `ETag` and `If-Match` compare it. Read from
   * the database, not from memory.
   */
  async tag(names: readonly string[]): Promise<string> {
    return tagOf(await this.#store.readAll(this.app.db, names));
  }

  /**
   * Stores a value. This process sees it right after the commit, others within a second. 412
   * `settings_changed` when the request expects another state of this option (`If-Match`).
   */
  async write(trx: Db, afterCommit: AfterCommit, name: string, value: unknown): Promise<void> {
    const { precondition } = this.app.context.current();
    if (precondition?.options.includes(name) && !this.#compared.has(trx)) {
      this.#compared.add(trx);
      await this.#store.readLocked(trx, name);
      precondition.check(tagOf(await this.#store.readAll(trx, precondition.options)));
    }
    await this.#store.write(trx, name, JSON.stringify(value), afterCommit);
  }

  /** Reads everything again at the next use: the rows were written by a copy of a program. */
  forget(): void {
    this.#store.drop();
    this.#config = undefined;
    this.#rules = undefined;
  }

  /** A staging copy sends no mail. */
  isCopy(): Promise<boolean> {
    return this.read(PROGRAM_COPY, false);
  }

  markAsCopy(isCopy: boolean): Promise<void> {
    return this.app.transaction((trx, afterCommit) => this.write(trx, afterCommit, PROGRAM_COPY, isCopy));
  }

  /** Is the data being wiped, so that nothing else may be written? */
  isClosed(): Promise<boolean> {
    return this.read(CLOSED_FOR_WIPE, false);
  }

  /** Other processes see it within a second. */
  setClosed(trx: Db, afterCommit: AfterCommit, isClosed: boolean): Promise<void> {
    return this.write(trx, afterCommit, CLOSED_FOR_WIPE, isClosed);
  }

  /** The configuration if it is in memory; for code that runs on every page. */
  get current(): ReferralConfig | null {
    return this.#store.isFresh && this.#config?.version === this.#store.version ? this.#config.value : null;
  }

  /** The configuration as it was last read, however long ago; for pages that are served while the database is away. */
  get lastConfig(): ReferralConfig | null {
    return this.#config?.value ?? null;
  }

  /** The rules as they were last read, else the options of the host. */
  get lastRules(): ProgramRules {
    return this.#rules?.value ?? effectiveRules(this.app.options, {});
  }

  /** How links of imported systems look, as of the last time the configuration was read. */
  get importedLinks(): readonly ImportedLinks[] {
    return this.#config?.links ?? [];
  }

  /** Earlier link variables of this program, the newest first, as of the last time the configuration was read. */
  get formerVariables(): readonly string[] {
    return this.#config?.former ?? [];
  }

  /** The links and cookies of connected sites, as of the last time the configuration was read. */
  get siteMarks(): SiteMarks {
    return this.#config?.sites ?? NO_MARKS;
  }

  /** From now on, links, cookies and path forms of these systems are read besides our own. */
  async saveImportedLinks(links: readonly ImportedLinks[]): Promise<void> {
    await this.app.transaction((trx, afterCommit) => this.write(trx, afterCommit, IMPORTED_LINKS, links));
  }

  /** The referral-program configuration, defaults and filters applied (docs/settings.md §6). */
  referralConfig(): Promise<ReferralConfig> {
    const { current } = this;
    return current ? Promise.resolve(current) : this.#readConfig();
  }

  async #readConfig(): Promise<ReferralConfig> {
    await this.#store.refresh();
    const known = this.#config;
    if (known?.version === this.#store.version) return known.value;
    const stored = await this.read<Partial<ReferralConfigDto>>(REFERRAL_CONFIG, {});
    // Host code may not run inside a transaction, so values that were read before are used there. Only the
    // currency is the stored one, since the ledger counts in it from the moment it was saved.
    if (this.app.db.inTransaction) {
      const enabled = await this.#contributions.providers.enabled();
      const now = readConfig({ ...stored, enabled_integrations: enabled }, this.app.options.currency);
      return known ? { ...known.value, currency: now.currency } : now;
    }
    const { version } = this.#store;
    const value = readConfig(await this.filteredConfig(stored), this.app.options.currency);
    const links = await this.read<readonly ImportedLinks[]>(IMPORTED_LINKS, []);
    const former = formerVariablesOf(stored, value.referral_variable);
    const sites = await this.#contributions.sites();
    this.#config = { version, value, links, former, sites };
    return value;
  }

  /**
   * The rules that a program manager decides (docs/payouts.md): stored values, else the options of the host.
   */
  async rules(): Promise<ProgramRules> {
    const stored = await this.#store.read(PROGRAM_RULES);
    if (this.#rules?.stored !== stored)
      this.#rules = { stored, value: effectiveRules(this.app.options, readJson(stored, {})) };
    return this.#rules.value;
  }

  /**
   * Saves the given rules and resets those in `reset` to the options. Errors: `setting_locked`,
   * `amount_overflow`.
   */
  async saveRules(input: ProgramRulesInput, reset: readonly RuleName[] = []): Promise<ProgramRules> {
    const { currency } = await this.referralConfig();
    return saveRules({ app: this.app, settings: this, currency }, input, reset);
  }

  /** Address of the portal page (docs/settings.md §5). */
  async portalUrl(): Promise<string> {
    return portalUrl(this.app, await this.referralConfig());
  }

  /** Address of a screen of the console for mails, e.g. `/affiliates/3`. */
  consoleUrl(path: string): Promise<string> {
    return consoleUrl(this.app, path);
  }

  /** Address of a screen of the portal for mails, e.g. `/earnings`. */
  async portalScreenUrl(path: string): Promise<string> {
    return portalScreenUrl(this.app, await this.portalUrl(), path);
  }

  /** Stored values and defaults, as responses show them. */
  async filteredConfig(stored: Partial<ReferralConfigDto>): Promise<ReferralConfigDto> {
    const merged = await mergeConfig(this.app, stored);
    const enabled = await this.#contributions.providers.enabled();
    return this.app.hooks.applyFilters('get_referral_config', { ...merged, enabled_integrations: enabled });
  }

  /** May the program's links use this variable? */
  isLinkVariable(name: string): boolean {
    return variableProblem(name) === null;
  }

  /** Earlier link variables, whose links still credit affiliates, the newest first. */
  async formerLinkVariables(): Promise<readonly string[]> {
    await this.referralConfig();
    return this.formerVariables;
  }

  async configDto(): Promise<ReferralConfigDto> {
    return this.filteredConfig(await this.read<Partial<ReferralConfigDto>>(REFERRAL_CONFIG, {}));
  }

  /**
   * Saves the given keys and leaves the others as they are. With another currency, every affiliate's earnings
   * are computed again; while a payout is open or money is owed, only with `confirm` (422 `payout_open`,
   * `currency_owed`).
   */
  async saveReferralConfig(
    input: Readonly<Record<string, unknown>>,
    { confirm = false }: { readonly confirm?: boolean } = {},
  ): Promise<ReferralConfigDto> {
    const seen = await this.read<Partial<ReferralConfigDto>>(REFERRAL_CONFIG, {});
    const { enabled_integrations: enabled, ...changes } = await this.app.hooks.applyFilters(
      'update_referral_config',
      await checkConfig(this.app, this.#contributions, { input, previous: seen }),
    );
    const { currency } = this.#contributions;
    const [now, then] = [this.#currencyOf(seen), this.#currencyOf({ ...seen, ...changes })];
    if (now !== then) await currency.prepare(now, then);
    await this.app.transaction(async (trx, afterCommit) => {
      const previous = await this.readLocked<Record<string, unknown>>(trx, REFERRAL_CONFIG, {});
      const next = withFormerVariable(previous, changes);
      const [from, to] = [this.#currencyOf(previous), this.#currencyOf(next)];
      if (from !== to) await this.app.internal.emit(currencyChanging, trx, { from, to, confirm });
      await this.write(trx, afterCommit, REFERRAL_CONFIG, next);
      // Each integration has a switch of its own: naming one here switches it on, leaving one out changes
      // nothing.
      if (Array.isArray(enabled))
        await this.#contributions.providers.enableAll(trx, afterCommit, enabled.map(String));
      await this.app.audit.write(trx, 'settings.referral_config', ['settings', null], {
        before: previous,
        after: next,
      });
      await appendRateChange(this.app, trx, { before: previous, after: next });
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'referral_config',
          next,
          previous,
          this.app.context.current().user,
        ),
      );
    });
    if (now !== then) await currency.finish();
    return this.configDto();
  }

  #currencyOf(stored: Readonly<Record<string, unknown>>): string {
    return readConfig(stored, this.app.options.currency).currency;
  }
}

const tagOf = (stored: readonly (string | null)[]): string =>
  `"${createHash('sha256').update(JSON.stringify(stored)).digest('base64url').slice(0, 22)}"`;
