import { boot, type Boot } from './boot.js';
import { addCatalog, useCatalogs, type Catalog } from './texts.js';

/** Catalogs of an app by locale, loaded on demand. */
export type Loaders = Readonly<Record<string, () => Promise<{ readonly default: unknown }>>>;

/** Loads the texts of an app; the build adds the shared ones (console/vite.config.mjs). */
export async function loadTexts({ locale, texts }: Boot, own: Loaders): Promise<void> {
  const loaded = (await own[`./texts/${locale}.json`]?.())?.default ?? {};
  useCatalogs(locale, [loaded as Catalog, texts as Catalog]);
}

/** Loads a screen together with its own texts. */
export async function withTexts<Screen extends object>(
  screen: Promise<Screen>,
  loaders: Loaders,
): Promise<Screen> {
  const ending = `/texts/${boot().locale}.json`;
  const own = Object.keys(loaders).find((path) => path.endsWith(ending));
  const [code, texts] = await Promise.all([screen, own === undefined ? null : loaders[own]!()]);
  if (texts !== null) addCatalog(texts.default as Catalog);
  return code;
}
