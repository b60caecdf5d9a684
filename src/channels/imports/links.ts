import { aliasKind, foldAlias } from '../../core/alias.js';
import type { Deps } from './deps.js';
import { latestVisits, rowsBy } from './repository.js';
import type { ImportRun, LinkTrial } from './types.js';
import type { Migrator, ProgramSettings } from '../../../adapters/imports.js';

type OldLinks = NonNullable<ReturnType<NonNullable<Migrator['links']>>>;

const PAGE = 500;
const TOLD = 100;

/** Stores what links and cookies of the old system look like, so that the tracker reads them. */
export async function saveLinkSettings(
  app: Deps,
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

/** Tries every old link and cookie form of every affiliate of the source, as a visitor's request would. */
export async function tryLinks(app: Deps, migrator: Migrator, run: ImportRun): Promise<LinkTrial | null> {
  const links = migrator.links?.(run.state.setup?.program ?? null);
  if (links === undefined) return null;
  app.tracking.forgetAffiliates();
  const trial = { tried: 0, right: 0, wrong: [] as LinkTrial['wrong'][number][] };
  for (let after = 0; ;) {
    const page = await pageOfImported(app, migrator.slug, after);
    for (const imported of page) {
      for await (const { form, found } of followed(app, migrator.slug, { links, imported })) {
        trial.tried += 1;
        if (found === imported.id) trial.right += 1;
        else if (trial.wrong.length < TOLD)
          trial.wrong.push({ source_id: imported.sourceId, form, affiliate_id: found });
      }
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return trial;
    after = last.id;
  }
}

/** An affiliate of the source, and the values that named it in links and cookies. */
interface LinkedSource {
  readonly id: number;
  readonly sourceId: string;
  /** Its latest visit there. */
  readonly visitId: string | null;
  readonly values: ReadonlySet<string>;
}

async function pageOfImported(app: Deps, slug: string, after: number): Promise<LinkedSource[]> {
  const rows: { id: number | string; source_key: string }[] = await app
    .db('affiliates')
    .select('id', 'source_key')
    .where('source_key', 'like', `${slug}:%`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE);
  const ids = rows.map((row) => Number(row.id));
  const aliases = await rowsBy(app.db, 'affiliate_names', 'affiliate_id', ids, [
    'affiliate_id',
    'space',
    'name',
  ]);
  const visits = await latestVisits(app.db, ids, slug);
  const kinds = ['id', 'login', 'slug', 'token'].map((kind) => aliasKind(slug, kind));
  return rows.map((row) => {
    const id = Number(row.id);
    const sourceId = row.source_key.slice(slug.length + 1);
    const own = aliases.filter(
      (alias) => Number(alias['affiliate_id']) === id && kinds.includes(String(alias['space'])),
    );
    return {
      id,
      sourceId,
      visitId: visits.get(id)?.slice(slug.length + 1) ?? null,
      values: new Set([foldAlias(sourceId), ...own.map((alias) => String(alias['name']))]),
    };
  });
}

/** Each link and cookie with these values, and the affiliate it credits now. */
async function* followed(
  app: Deps,
  slug: string,
  { links, imported }: { readonly links: OldLinks; readonly imported: LinkedSource },
): AsyncGenerator<{ readonly form: string; readonly found: number | null }> {
  for (const value of imported.values) {
    for (const variable of links.variables) {
      const affiliate = await app.tracking.resolveLink(variable, value);
      yield { form: `?${variable}=${value}`, found: affiliate?.id ?? null };
    }
  }
  for (const cookie of links.cookies)
    for (const value of valuesOf(cookie, imported)) {
      const affiliate = await app.tracking.resolveImported(slug, value);
      yield { form: `cookie ${cookie.name}=${value}`, found: affiliate?.id ?? null };
    }
}

/** What a cookie of this form can hold for an affiliate. */
function valuesOf(
  { isVisit, member }: OldLinks['cookies'][number],
  { sourceId, visitId, values }: LinkedSource,
): readonly string[] {
  if (isVisit === true) return visitId === null ? [] : [`visit:${visitId}`];
  return member === undefined ? [...values] : [sourceId];
}
