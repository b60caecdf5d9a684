import type { HostPage } from '../../../adapters/host.js';
import { cleanHtml } from '../../core/html.js';
import { LINE, LINES } from '../../core/text.js';
import { fail, failFields } from '../../errors.js';
import type { Deps } from './deps.js';

const LIMIT = 100;
// Comments and shortcodes that mark the portal; everything else is cleaned like HTML.
const MARKERS =
  /<!-- wp:fluent-affiliate\/portal (?:\{"layout":"(?:classic|modern)"\} )?\/-->|\[fluent_affiliate_portal(?: layout="(?:classic|modern)")?\]/g;

/** Published pages of the host by title (docs/settings.md §5). */
export async function listPages(app: Deps, search: string): Promise<HostPage[]> {
  const pages = (await app.host.pages?.list({ search, limit: LIMIT })) ?? [];
  return pages.map(present).toSorted((a, b) => a.title.localeCompare(b.title));
}

export async function createPage(
  app: Deps,
  input: { readonly title?: string | undefined; readonly content?: string | undefined },
): Promise<HostPage> {
  const { pages } = app.host;
  if (!pages) return fail('pages_unsupported');
  const title = (input.title ?? '').trim();
  for (const [field, kind] of [
    ['title', LINE],
    ['content', LINES],
  ] as const)
    if (!kind.fits(input[field] ?? '')) failFields({ [field]: { [kind.rule]: kind.says } });
  if (title === '') fail('title_required');
  if (await pages.existsByPath?.(`/${slugOf(title)}/`)) fail('page_exists');
  return present(await pages.create({ title, content: cleanContent(input.content ?? '') }));
}

const present = ({ id, link, title }: HostPage): HostPage => ({
  id,
  link,
  title: title.trim() === '' ? '(no title)' : title,
});

function cleanContent(content: string): string {
  const parts = content.split(MARKERS);
  const markers = content.match(MARKERS) ?? [];
  return parts.map((part, i) => cleanHtml(part) + (markers[i] ?? '')).join('');
}

const slugOf = (title: string): string =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
