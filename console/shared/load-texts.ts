import { boot, type Boot } from './boot.js';
import { addCatalogue, useCatalogues, type Catalogue } from './texts.js';

/** Catalogues of an app by locale, each loaded when it is needed. */
export type Loaders = Readonly<Record<string, () => Promise<{ readonly default: unknown }>>>;

/** The texts of an app; the build adds those that the apps share (console/vite.config.mjs). */
export async function loadTexts({ locale, texts }: Boot, own: Loaders): Promise<void> {
  const loaded = (await own[`./texts/${locale}.json`]?.())?.default ?? {};
  useCatalogues(locale, [loaded as Catalogue, texts as Catalogue]);
}

/** A screen with texts of its own, loaded at the same time. */
export async function withTexts(screen: Promise<object>, loaders: Loaders): Promise<object> {
  const ending = `/texts/${boot().locale}.json`;
  const own = Object.keys(loaders).find((path) => path.endsWith(ending));
  const [code, texts] = await Promise.all([screen, own === undefined ? null : loaders[own]!()]);
  if (texts !== null) addCatalogue(texts.default as Catalogue);
  return code;
}
