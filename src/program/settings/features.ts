import { isMap, type JsonMap } from '../../core/is-map.js';
import { LINES } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import { isYes } from '../../core/yes-no.js';
import type { Deps } from './deps.js';
import type { SettingsSnapshot } from './option-store.js';
import type { Feature, FeatureResponse, FeatureSaved } from './schemas.js';
import { sharePlatforms } from './share-platforms.js';

/** Option row of all features: key → { is_enabled, settings }. */
export const FEATURES = 'fluent_affiliate_features';

/** Feature: affiliates may set `custom_param` in the portal. */
export const OWN_LINK_NAME = 'own_link_name';

interface SavedFeature {
  readonly is_enabled: 'yes' | 'no';
  readonly settings: unknown;
}
type FeatureDetails = Pick<FeatureResponse, 'settings' | 'platforms' | 'enabled_keys'>;
type AllSaved = Readonly<Record<string, SavedFeature>>;

const svg = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2"><path d="${path}"/></svg>`;
const COLOR = /^#[0-9a-fA-F]{3,6}$/;
const QR_COLORS = { qr_color: '#000000', qr_bg_color: '#ffffff' } as const;

const BUILT_IN: readonly Feature[] = [
  {
    key: 'social_media_share',
    title: 'Social sharing',
    description: 'Affiliates share their link on the networks you choose.',
    icon: svg('M8 12l8-5M8 12l8 5M6 12h0M18 6h0M18 18h0'),
    is_enabled: 'no',
    is_pro: false,
    has_settings: true,
    settings: [],
  },
  {
    key: 'affiliate_qr_code',
    title: 'QR code',
    description: 'Affiliates get their link as a QR code.',
    icon: svg('M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 20v-6'),
    is_enabled: 'yes',
    is_pro: false,
    has_settings: true,
    settings: [],
  },
  {
    key: OWN_LINK_NAME,
    title: 'Own link names',
    description: 'Affiliates choose the name in their links themselves.',
    icon: svg('M10 14l4-4M8 12l-2 2a3 3 0 004 4l2-2M12 8l2-2a3 3 0 014 4l-2 2'),
    is_enabled: 'no',
    is_pro: false,
    has_settings: false,
    settings: [],
  },
];

/** Feature modules and their settings (docs/settings.md §3). */
export class Features {
  constructor(
    private readonly app: Deps,
    private readonly settings: SettingsSnapshot,
  ) {}

  async list(): Promise<Feature[]> {
    const saved = await this.saved();
    return (await this.#registered()).map((feature) => ({
      ...feature,
      is_enabled: saved[feature.key]?.is_enabled ?? feature.is_enabled,
      is_pro: false,
    }));
  }

  saved(): Promise<AllSaved> {
    return this.settings.read<AllSaved>(FEATURES, {});
  }

  async get(key: string): Promise<FeatureResponse> {
    const feature = await this.#known(key);
    const saved = await this.saved();
    const base = {
      is_enabled: saved[key]?.is_enabled ?? feature.is_enabled,
      feature_key: key,
      ...(await this.#details(key, saved[key])),
    };
    return this.app.hooks.applyFilters(
      `get_feature_settings_${key}` as 'get_feature_settings_{key}',
      base,
      saved,
    );
  }

  async save(key: string, body: JsonMap): Promise<FeatureSaved> {
    await this.#known(key);
    const stored = (await this.saved())[key]?.settings;
    const filtered = await this.app.hooks.applyFilters(
      `update_feature_settings_${key}` as 'update_feature_settings_{key}',
      inputOf(body) ?? ((stored ?? {}) as JsonMap),
      body,
    );
    const entry: SavedFeature = {
      is_enabled: body['is_enabled'] === 'yes' ? 'yes' : 'no',
      settings: await this.#clean(key, filtered),
    };
    const saved = await this.app.transaction(async (trx, afterCommit) => {
      const all = { ...(await this.settings.readLocked<AllSaved>(trx, FEATURES, {})), [key]: entry };
      await this.settings.write(trx, afterCommit, FEATURES, all);
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'features',
          { [key]: entry },
          null,
          this.app.context.current().user,
        ),
      );
      return all;
    });
    const response = { message: 'Settings saved.', ...(await this.#details(key, entry)) };
    return this.app.hooks.applyFilters(
      `update_feature_response_${key}` as 'update_feature_response_{key}',
      response,
      saved,
    );
  }

  /** Is the feature on? */
  async isOn(key: string): Promise<boolean> {
    return (await this.list()).some((feature) => feature.key === key && feature.is_enabled === 'yes');
  }

  async #registered(): Promise<Feature[]> {
    const list = await this.app.hooks.applyFilters('registered_features', BUILT_IN);
    return list.filter(
      (feature): feature is Feature =>
        typeof feature === 'object' && feature !== null && typeof (feature as Feature).key === 'string',
    );
  }

  async #known(key: string): Promise<Feature> {
    return (await this.#registered()).find((feature) => feature.key === key) ?? fail('unknown_feature');
  }

  async #details(key: string, saved: SavedFeature | undefined): Promise<FeatureDetails> {
    if (key === 'affiliate_qr_code') return { settings: colors(saved?.settings) };
    if (key !== 'social_media_share')
      return saved?.settings === undefined ? {} : { settings: saved.settings };
    const entries =
      Array.isArray(saved?.settings) && saved.settings.length > 0
        ? (saved.settings as { key: string; enabled: string }[])
        : null;
    const platforms = await sharePlatforms(this.app, entries);
    return {
      platforms,
      settings: platforms.map((platform) => ({ key: platform.key, enabled: platform.enabled })),
      enabled_keys: platforms.filter((p) => p.enabled === 'yes').map((p) => p.key),
    };
  }

  async #clean(key: string, settings: unknown): Promise<unknown> {
    if (key === 'affiliate_qr_code') return colors(settings);
    if (key !== 'social_media_share')
      return isMap(settings) || isEmptyList(settings)
        ? cleanDeep(settings)
        : failFields({ settings: { array: 'The settings must be an object.' } });
    const known = new Set((await sharePlatforms(this.app, null)).map((platform) => platform.key));
    const entries = Array.isArray(settings)
      ? (settings as JsonMap[])
      : (Object.values((settings ?? {}) as JsonMap) as JsonMap[]);
    if (!entries.every((entry) => known.has(String(entry?.['key']))))
      failFields({ settings: { in: `The network must be one of: ${[...known].join(', ')}.` } });
    return entries.map((entry) => ({
      key: String(entry['key']),
      enabled: isYes(entry['enabled']) ? 'yes' : 'no',
    }));
  }
}

/**
 * The sent settings; null when they do not change. In its documented form, the share feature names only what
 * is on.
 */
function inputOf(body: JsonMap): JsonMap | null {
  const keys = body['enabled_keys'];
  if (!Array.isArray(keys)) return (body['settings'] ?? null) as JsonMap | null;
  // the list in place of a map: the share feature reads it as its entries
  return keys.map((key) => ({ key: String(key), enabled: 'yes' })) as unknown as JsonMap;
}

// Clients written in PHP send an empty map as an empty list.
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function colors(settings: unknown): JsonMap {
  const given = (typeof settings === 'object' && settings !== null ? settings : {}) as JsonMap;
  const pick = (key: keyof typeof QR_COLORS): string => {
    const color = String(given[key] ?? '').trim() || QR_COLORS[key];
    if (!COLOR.test(color))
      failFields({ [`settings.${key}`]: { format: 'The color must have the form #000000.' } });
    return color;
  };
  return { qr_color: pick('qr_color'), qr_bg_color: pick('qr_bg_color') };
}

function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string')
    return LINES.fits(value) ? LINES.read(value) : failFields({ settings: { [LINES.rule]: LINES.says } });
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanDeep(inner)]));
}
