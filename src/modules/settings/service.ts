import type { App } from '../../app.js';
import { readJson } from '../../core/json.js';
import type { AfterCommit, Db } from '../../database/db.js';
import { Features } from './features.js';
import { portalUrl } from './portal-url.js';
import { OptionStore } from './option-store.js';
import { mergeConfig, readConfig, REFERRAL_CONFIG } from './referral-config.js';
import { checkConfig } from './referral-config-check.js';
import {
  effectiveRules,
  PROGRAM_RULES,
  saveRules,
  type ProgramRules,
  type ProgramRulesInput,
} from './program-rules.js';
import type { ReferralConfig, RuleName } from './types.js';

/** Settings of the program, one row each; what is read is at most a second old, whoever wrote it. */
export class SettingsService {
  readonly features: Features;
  readonly #store: OptionStore;
  #rules: { readonly stored: string | null; readonly value: ProgramRules } | undefined;
  #config: { readonly version: number; readonly value: ReferralConfig } | undefined;

  constructor(private readonly app: App) {
    this.#store = new OptionStore(app);
    this.features = new Features(app);
  }

  /** The stored JSON value, or the fallback when there is none. */
  async read<T>(name: string, fallback: T): Promise<T> {
    return readJson(await this.#store.read(name), fallback);
  }

  /** Stores a value; every process sees it within a second, this one at once after the commit. */
  async write(trx: Db, afterCommit: AfterCommit, name: string, value: unknown): Promise<void> {
    await this.#store.write(trx, name, JSON.stringify(value), afterCommit);
  }

  /** The configuration when it is at hand without a query; for the path that every page takes. */
  get current(): ReferralConfig | null {
    return this.#store.isFresh && this.#config?.version === this.#store.version ? this.#config.value : null;
  }

  /** The referral-program configuration, defaults and filters applied (settings §7). */
  referralConfig(): Promise<ReferralConfig> {
    const { current } = this;
    return current ? Promise.resolve(current) : this.#readConfig();
  }

  async #readConfig(): Promise<ReferralConfig> {
    await this.#store.refresh();
    if (this.#config && (this.#config.version === this.#store.version || this.app.db.inTransaction))
      return this.#config.value;
    const stored = await this.read<Record<string, unknown>>(REFERRAL_CONFIG, {});
    // Host code may not run inside a transaction; there the stored values answer (the pipeline reads the config before).
    if (this.app.db.inTransaction) return readConfig(stored, this.app.options.currency);
    const { version } = this.#store;
    const value = readConfig(await this.filteredConfig(stored), this.app.options.currency);
    this.#config = { version, value };
    return value;
  }

  /** The rules a program manager decides (docs/payouts.md): stored values over the options of the host. */
  async rules(): Promise<ProgramRules> {
    const stored = await this.#store.read(PROGRAM_RULES);
    if (this.#rules?.stored !== stored)
      this.#rules = { stored, value: effectiveRules(this.app.options, readJson(stored, {})) };
    return this.#rules.value;
  }

  /** Saves the given rules; those in `reset` are the options' again. Errors: `setting_locked`, `amount_overflow`. */
  async saveRules(input: ProgramRulesInput, reset: readonly RuleName[] = []): Promise<ProgramRules> {
    return saveRules(this.app, input, reset);
  }

  /** Address of the portal page (settings §6). */
  portalUrl(): Promise<string> {
    return portalUrl(this.app);
  }

  /** Stored values over defaults as they go out on the wire. */
  async filteredConfig(
    stored: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const merged = await mergeConfig(this.app, stored);
    return this.app.hooks.applyFilters('get_referral_config', merged);
  }

  async wireConfig(): Promise<Readonly<Record<string, unknown>>> {
    return this.filteredConfig(await this.read<Record<string, unknown>>(REFERRAL_CONFIG, {}));
  }

  /** Saves the given keys and leaves the others as they are. */
  async saveReferralConfig(
    input: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const previous = await this.read<Record<string, unknown>>(REFERRAL_CONFIG, {});
    const changes = await this.app.hooks.applyFilters(
      'update_referral_config',
      await checkConfig(this.app, input, previous),
    );
    const next = { ...previous, ...changes };
    await this.app.transaction(async (trx, afterCommit) => {
      await this.write(trx, afterCommit, REFERRAL_CONFIG, next);
      if (Array.isArray(changes['enabled_integrations']))
        await this.app.integrations.enableAll(trx, afterCommit, changes['enabled_integrations'].map(String));
      await this.app.audit.write(trx, {
        action: 'settings.referral_config',
        object_type: 'settings',
        object_id: null,
        before: previous,
        after: next,
      });
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
    return this.wireConfig();
  }
}
