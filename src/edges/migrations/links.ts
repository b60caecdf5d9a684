import type { App } from '../../app.js';
import { aliasKind, foldAlias } from '../../core/alias.js';
import { rowsBy } from './repository.js';
import type { ImportRun, LinkTrial, Migrator, ProgramSettings } from './types.js';

const PAGE = 500;
const TOLD = 100;

/** Keeps how links and cookies of the old system look, so that the tracker reads them from now on. */
export async function keepLinks(
  app: App,
  migrator: Migrator,
  program: ProgramSettings | null,
): Promise<void> {
  const links = migrator.links?.(program);
  if (links === undefined) return;
  const known = await app.tracking.importedLinks();
  const next = [
    ...known.filter(({ source }) => source !== migrator.slug),
    { source: migrator.slug, variables: links.variables, cookies: links.cookies },
  ];
  if (JSON.stringify(next) === JSON.stringify(known)) return;
  await app.tracking.saveImportedLinks(next);
}

/**
 * Every old link and cookie form of every affiliate of the source, asked of the resolver
 * as a visitor's request would.
 */
export async function tryLinks(app: App, migrator: Migrator, run: ImportRun): Promise<LinkTrial | null> {
  const links = migrator.links?.(run.state.setup?.program ?? null);
  if (links === undefined) return null;
  app.tracking.forgetAffiliates();
  const trial = { tried: 0, right: 0, wrong: [] as LinkTrial['wrong'][number][] };
  const check = async (sourceId: string, form: string, found: number | null, id: number): Promise<void> => {
    trial.tried += 1;
    if (found === id) trial.right += 1;
    else if (trial.wrong.length < TOLD) trial.wrong.push({ source_id: sourceId, form, affiliate_id: found });
    return Promise.resolve();
  };
  for (let after = 0; ;) {
    const rows = await app
      .db('affiliates')
      .select('id', 'source_key')
      .where('source_key', 'like', `${migrator.slug}:%`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE);
    const aliases = await rowsBy(
      app.db,
      'affiliate_aliases',
      'affiliate_id',
      rows.map((row: { id: number }) => Number(row.id)),
      ['affiliate_id', 'kind', 'value'],
    );
    for (const row of rows as { id: number | string; source_key: string }[]) {
      const id = Number(row.id);
      const sourceId = String(row.source_key).slice(migrator.slug.length + 1);
      const values = aliases.filter((alias) => Number(alias['affiliate_id']) === id);
      const named = ['id', 'login', 'slug', 'token'].map((kind) => aliasKind(migrator.slug, kind));
      const texts = [
        foldAlias(sourceId),
        ...values
          .filter((alias) => named.includes(String(alias['kind'])))
          .map((alias) => String(alias['value'])),
      ];
      for (const value of new Set(texts)) {
        for (const variable of links.variables)
          await check(
            sourceId,
            `?${variable}=${value}`,
            (await app.tracking.resolveLink(variable, value))?.id ?? null,
            id,
          );
        for (const { name } of links.cookies)
          await check(
            sourceId,
            `cookie ${name}=${value}`,
            (await app.tracking.resolveImported(migrator.slug, value))?.id ?? null,
            id,
          );
      }
    }
    if (rows.length < PAGE) return trial;
    after = Number((rows.at(-1) as { id: number }).id);
  }
}
