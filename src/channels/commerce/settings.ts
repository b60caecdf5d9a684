import type { CommerceProvider } from '../../../adapters/commerce.js';
import { initialsAvatar } from '../../core/avatar.js';
import { toIso } from '../../core/dates.js';
import { cleanText, cut } from '../../core/text.js';
import { own } from '../../core/own.js';
import type { AfterCommit, Db } from '../../platform/database/db.js';
import { rateToWire } from '../../core/rate.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { ShopAccounts } from './accounts.js';
import {
  asFlag,
  changedConfig,
  configOf,
  configOption,
  fieldsOf,
  keyOfOption,
  OPTION_END,
  rateTables,
  dtoFields,
  wireId,
} from './config.js';
import type { ProviderRegistry } from './registry.js';
import type { ConfigDto, IntegrationDto, OptionDto, SwitchedDto } from './schemas.js';
import type { IgnoredCount } from './repository.js';
import { rulesOf } from './order-input.js';
import type { Flag, OwnRates, ProviderConfig } from './types.js';

const MATCHES = 50;
const INCLUDED_MAX = 1000;
const LABEL_MAX = 255;

/** The providers for the settings screen (docs/integrations.md §3). Hooks may add other integrations. */
export class CommerceSettings {
  readonly #accounts: ShopAccounts;

  constructor(
    private readonly app: Deps,
    private readonly registry: ProviderRegistry,
    private readonly ignored: () => Promise<readonly IgnoredCount[]>,
  ) {
    this.#accounts = new ShopAccounts(app);
  }

  stored(key: string): Promise<ProviderConfig> {
    return this.app.settings.read<ProviderConfig>(configOption(key), {});
  }

  /** The settings of a provider. */
  async current(provider: CommerceProvider): Promise<Readonly<Record<string, unknown>>> {
    return configOf(provider, await this.stored(provider.key));
  }

  async isEnabled(key: string): Promise<boolean> {
    if ((await this.app.settings.referralConfig()).enabled_integrations.includes(key)) return true;
    // The provider may have been registered after the configuration was read.
    return this.registry.get(key)?.enabled === true && (await this.stored(key))['is_enabled'] === undefined;
  }

  /** Do bound coupons credit orders of this integration? Those of hooks decide for themselves. */
  async countsCoupons(key: string): Promise<boolean> {
    const provider = this.registry.get(key);
    if (provider === null) return true;
    const isOn = (await this.current(provider))['affiliate_on_discount_product'] === 'yes';
    return isOn && provider.abilities?.has('coupons') === true;
  }

  /** Rates of single products and categories, of the providers that are switched on. */
  async ownRates(): Promise<readonly OwnRates[]> {
    const rates: OwnRates[] = [];
    for (const provider of this.registry.list()) {
      if (!(await this.isEnabled(provider.key))) continue;
      for (const row of rulesOf(await this.current(provider)))
        rates.push({
          provider: provider.key,
          kind: row.object_type,
          count: row.object_ids.length,
          rate: rateToWire(row.rate_e4),
          rate_type: row.rate_type,
        });
    }
    return rates;
  }

  /** All integrations that are switched on, providers first; these switches alone decide. */
  async enabled(): Promise<string[]> {
    const stored = new Map(
      (await this.app.settings.readEnding<ProviderConfig>(OPTION_END, {})).map(
        ([name, config]) => [keyOfOption(name), asFlag(config['is_enabled']) === 'yes'] as const,
      ),
    );
    const on = [...stored].filter(([, isOn]) => isOn).map(([key]) => key);
    return [
      ...this.registry
        .list()
        .filter(({ key, enabled = false }) => stored.get(key) ?? enabled)
        .map(({ key }) => key),
      ...on.filter((key) => this.registry.get(key) === null),
    ];
  }

  async list(): Promise<Readonly<Record<string, IntegrationDto>>> {
    const ignored = new Map((await this.ignored()).map((each) => [each.provider, each]));
    const own = await Promise.all(
      this.registry
        .list()
        .map(
          async (provider) => [provider.key, await this.#entry(provider, ignored.get(provider.key))] as const,
        ),
    );
    return this.app.hooks.applyFilters('get_integrations', Object.fromEntries(own));
  }

  async get(key: string): Promise<ConfigDto> {
    const provider = this.registry.get(key);
    const info = own(await this.list(), key);
    if (!info) fail('integration_not_found');
    const given: Pick<ConfigDto, 'config' | 'fields'> = provider
      ? { config: await this.current(provider), fields: dtoFields(provider) }
      : { config: {}, fields: {} };
    const { config, fields } = await this.app.hooks.applyFilters(
      `get_integration_config_${key}` as 'get_integration_config_{slug}',
      given,
    );
    return { config: config ?? {}, fields: fields ?? {}, info, integration_key: key };
  }

  /** Saves the posted settings and updates the list of enabled integrations. */
  async save(key: string, posted: ProviderConfig): Promise<string> {
    const provider = this.registry.get(key);
    const next = provider && changedConfig(provider, await this.stored(key), posted);
    const filter = `save_integration_config_${key}` as 'save_integration_config_{slug}';
    const message =
      (await this.app.hooks.applyFilters(filter, '', next ?? posted)) ||
      (provider ? 'Integration settings saved' : '');
    if (message === '') fail('integration_save_failed');
    if (next) await this.#store(key, next);
    return message;
  }

  /** The tables of rates in the form of an integration, which a form does not send when they are empty. */
  formParts(key: unknown): readonly { name: string; sentWith: string; kind: 'list' }[] {
    const provider = this.registry.get(String(key));
    return provider
      ? rateTables(provider).map(({ flag, rates }) => ({
          name: `config.${rates}`,
          sentWith: `config.${flag}`,
          kind: 'list' as const,
        }))
      : [];
  }

  /** Switches one on or off without changing its rules. */
  async updateStatus(key: string, enabled: Flag): Promise<SwitchedDto> {
    const entry = own(await this.list(), key);
    if (!entry || entry.is_unavailable === true) fail('integration_unavailable');
    const stored = { ...(await this.stored(key)), is_enabled: enabled };
    await this.#store(key, stored);
    const provider = this.registry.get(key);
    return {
      message: enabled === 'yes' ? 'Integration enabled.' : 'Integration disabled.',
      status: enabled,
      config: provider ? configOf(provider, stored) : stored,
    };
  }

  /** At most 50 matches, then those of the included ones that are missing. */
  async options(
    key: string,
    query: { kind: string; search: string; includeIds: readonly string[] },
  ): Promise<OptionDto[]> {
    const kind = query.kind === 'category' ? 'category' : 'product';
    const found = await this.#search(key, {
      kind,
      text: cut(query.search, 200),
      ids: [...new Set(query.includeIds)].slice(0, INCLUDED_MAX),
      limit: MATCHES,
    });
    const included = new Set(query.includeIds);
    const named = [
      ...found.filter(({ id }) => !included.has(id)).slice(0, MATCHES),
      ...found.filter(({ id }) => included.has(id)),
    ].map(({ id, label }) => ({
      id: wireId(id),
      label: cut(cleanText(label), LABEL_MAX),
      name: cut(cleanText(label), LABEL_MAX),
    }));
    const filter = `get_product_cat_options_${key}` as 'get_product_cat_options_{slug}';
    if (!/^[\w-]{1,100}$/.test(key) || !this.app.hooks.isUsed(filter)) return named;
    const response = await this.app.hooks.applyFilters(filter, named, {
      object_type: kind,
      search: query.search,
      include_ids: query.includeIds,
    });
    return response.filter(isOption);
  }

  /**
   * Switches on the integrations that the program's settings name. Others do not change (docs/settings.md §6).
   */
  async enableAll(trx: Db, afterCommit: AfterCommit, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const stored = await this.app.settings.readLocked<ProviderConfig>(trx, configOption(key), {});
      if (stored['is_enabled'] !== 'yes')
        await this.app.settings.write(trx, afterCommit, configOption(key), { ...stored, is_enabled: 'yes' });
    }
  }

  async #search(
    key: string,
    query: Parameters<NonNullable<CommerceProvider['catalog']>['search']>[0],
  ): Promise<readonly { id: string; label: string }[]> {
    const catalog = this.registry.get(key)?.catalog;
    return catalog
      ? (await catalog.search(query)).map(({ id, label }) => ({ id: String(id), label: String(label) }))
      : [];
  }

  async #entry(provider: CommerceProvider, ignored: IgnoredCount | undefined): Promise<IntegrationDto> {
    const { title, description, type, logo = '' } = provider.info;
    return {
      integration: provider.key,
      title,
      description,
      type,
      logo: logo === '' && this.app.options.compat !== undefined ? initialsAvatar(title) : logo,
      is_unavailable: false,
      config: await this.current(provider),
      disconnected: Object.entries(await this.#accounts.disconnected(provider.key)).map(([account, at]) => ({
        account,
        at: toIso(at),
      })),
      // Orders of the last 30 days without a commission, because the integration was off.
      ignored_deliveries: { count: ignored?.count ?? 0, last_at: ignored ? toIso(ignored.last) : null },
      disable_advanced_config: Object.keys(fieldsOf(provider)).length === 0,
      has_webhook: provider.webhook !== undefined,
      can_ask: provider.fetchOrder !== undefined,
    };
  }

  async #store(key: string, config: ProviderConfig): Promise<void> {
    const before = await this.stored(key);
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, configOption(key), config);
      await this.app.audit.write(trx, 'settings.integration', ['settings', null], {
        before: { [key]: before },
        after: { [key]: config },
      });
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'integrations',
          { [key]: config },
          { [key]: before },
          this.app.context.current().user,
        ),
      );
    });
  }
}

/** Choices that an extension adds need an id and a label; others cannot be shown. */
function isOption(given: unknown): given is OptionDto {
  const { id, label } = (given ?? {}) as { readonly id?: unknown; readonly label?: unknown };
  return (typeof id === 'number' || typeof id === 'string') && typeof label === 'string';
}
