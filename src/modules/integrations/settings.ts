import type { CommerceProvider } from '../../../adapters/commerce.js';
import type { App } from '../../app.js';
import { toIso } from '../../core/dates.js';
import { cleanText, cut } from '../../core/text.js';
import type { AfterCommit, Db } from '../../database/db.js';
import { fail } from '../../errors.js';
import { ShopAccounts } from './accounts.js';
import { asFlag, changedConfig, configOf, configOption, fieldsOf, wireFields, wireId } from './config.js';
import type { ProviderRegistry } from './registry.js';
import type { Flag, StoredConfig } from './types.js';

const REFERRAL_CONFIG = 'referral_config';
const MATCHES = 50;
const INCLUDED_MAX = 1000;
const LABEL_MAX = 255;

type Wire = Record<string, unknown>;
interface Entry {
  readonly is_unavailable?: unknown;
}

/** Providers as the settings screen sees them (settings §5). Hooks may add integrations that are no providers of ours. */
export class IntegrationSettings {
  readonly #accounts: ShopAccounts;

  constructor(
    private readonly app: App,
    private readonly registry: ProviderRegistry,
  ) {
    this.#accounts = new ShopAccounts(app);
  }

  stored(key: string): Promise<StoredConfig> {
    return this.app.settings.read<StoredConfig>(configOption(key), {});
  }

  /** The settings a provider runs with. */
  async current(provider: CommerceProvider): Promise<Readonly<Record<string, unknown>>> {
    return configOf(provider, await this.stored(provider.key));
  }

  async isEnabled(key: string): Promise<boolean> {
    return (await this.app.settings.referralConfig()).enabled_integrations.includes(key);
  }

  async list(): Promise<Wire> {
    const own = await Promise.all(
      this.registry.list().map(async (provider) => [provider.key, await this.#entry(provider)] as const),
    );
    return this.app.hooks.applyFilters('get_integrations', Object.fromEntries(own));
  }

  async get(key: string): Promise<Wire> {
    const provider = this.registry.get(key);
    const info = (await this.list())[key] as Wire | undefined;
    if (!info) fail('integration_not_found');
    const given = provider
      ? { config: await this.current(provider), fields: wireFields(provider) }
      : { config: {}, fields: {} };
    const { config, fields } = await this.app.hooks.applyFilters(
      `get_integration_config_${key}` as 'get_integration_config_{slug}',
      given,
    );
    return { config: config ?? {}, fields: fields ?? {}, info, integration_key: key };
  }

  /** Posted over stored; then the list of enabled integrations follows. */
  async save(key: string, posted: StoredConfig): Promise<string> {
    const provider = this.registry.get(key);
    const next = provider && changedConfig(provider, await this.stored(key), posted);
    const filter = `save_integration_config_${key}` as 'save_integration_config_{slug}';
    const message =
      (await this.app.hooks.applyFilters(filter, '', next ?? posted)) ||
      (provider ? 'Integration settings saved' : '');
    if (message === '') fail('integration_save_failed');
    if (next) await this.#store(key, next);
    else await this.app.transaction((trx, afterCommit) => this.#reindex(trx, afterCommit, {}));
    return message;
  }

  /** Switches one on or off and keeps its rules. */
  async updateStatus(key: string, enabled: Flag): Promise<Wire> {
    const entry = (await this.list())[key] as Entry | undefined;
    if (!entry || entry.is_unavailable === true) fail('integration_unavailable');
    const stored = { ...(await this.stored(key)), is_enabled: enabled };
    await this.#store(key, stored);
    const provider = this.registry.get(key);
    return {
      message: enabled === 'yes' ? 'Integration enabled' : 'Integration disabled',
      status: enabled,
      config: provider ? configOf(provider, stored) : stored,
    };
  }

  /** At most 50 matches, then the included ones that are missing. */
  async options(
    key: string,
    query: { kind: string; search: string; includeIds: readonly string[] },
  ): Promise<unknown[]> {
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
    return [
      ...(await this.app.hooks.applyFilters(filter, named, {
        object_type: kind,
        search: query.search,
        include_ids: query.includeIds,
      })),
    ];
  }

  /** The program's settings named these integrations: they are switched on, others stay as they are (settings §7). */
  async enableAll(trx: Db, afterCommit: AfterCommit, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const stored = await this.stored(key);
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

  async #entry(provider: CommerceProvider): Promise<Wire> {
    const { title, description, type, logo = '' } = provider.info;
    return {
      integration: provider.key,
      title,
      description,
      type,
      logo,
      is_unavailable: false,
      config: await this.current(provider),
      disconnected: Object.entries(await this.#accounts.disconnected(provider.key)).map(([account, at]) => ({
        account,
        at: toIso(at),
      })),
      disable_advanced_config: Object.keys(fieldsOf(provider)).length === 0,
    };
  }

  async #store(key: string, config: StoredConfig): Promise<void> {
    const before = await this.stored(key);
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, configOption(key), config);
      await this.app.audit.write(trx, {
        action: 'settings.integration',
        object_type: 'settings',
        object_id: null,
        before: { [key]: before },
        after: { [key]: config },
      });
      await this.#reindex(trx, afterCommit, { [key]: asFlag(config['is_enabled']) });
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

  /** `enabled_integrations` = every one whose stored settings say so. */
  async #reindex(trx: Db, afterCommit: AfterCommit, known: Readonly<Record<string, Flag>>): Promise<void> {
    const config = await this.app.settings.read<Record<string, unknown>>(REFERRAL_CONFIG, {});
    const listed = Array.isArray(config['enabled_integrations'])
      ? config['enabled_integrations'].map(String)
      : [];
    const candidates = [...new Set([...this.registry.keys(), ...listed, ...Object.keys(known)])];
    const flags = await Promise.all(
      candidates.map(
        async (key) => [key, known[key] ?? asFlag((await this.stored(key))['is_enabled'])] as const,
      ),
    );
    const enabled = flags.filter(([, flag]) => flag === 'yes').map(([key]) => key);
    if (enabled.join() === listed.join()) return;
    await this.app.settings.write(trx, afterCommit, REFERRAL_CONFIG, {
      ...config,
      enabled_integrations: enabled,
    });
  }
}
