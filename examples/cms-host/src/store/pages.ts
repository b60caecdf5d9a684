import type { HostPage } from 'affiliate-service/adapters';
import type { Sqlite } from './open.js';

export interface CmsPage {
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  readonly content: string;
}

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '') || 'page';

export class Pages {
  constructor(
    private readonly db: Sqlite,
    private readonly siteUrl: string,
  ) {}

  all(): CmsPage[] {
    return this.db.prepare<[], CmsPage>('SELECT * FROM pages ORDER BY id LIMIT 50').all();
  }

  bySlug(slug: string): CmsPage | null {
    return this.db.prepare<[string], CmsPage>('SELECT * FROM pages WHERE slug = ?').get(slug) ?? null;
  }

  byId(id: number): CmsPage | null {
    return this.db.prepare<[number], CmsPage>('SELECT * FROM pages WHERE id = ?').get(id) ?? null;
  }

  search(text: string, limit: number): CmsPage[] {
    return this.db
      .prepare<[string, number], CmsPage>(
        'SELECT * FROM pages WHERE instr(lower(title), lower(?)) > 0 ORDER BY title LIMIT ?',
      )
      .all(text, limit);
  }

  /** A second page of the same title gets a number. */
  create(title: string, content: string): CmsPage {
    const wanted = slugOf(title);
    let slug = wanted;
    for (let number = 2; this.bySlug(slug) !== null; number++) slug = `${wanted}-${number}`;
    const { lastInsertRowid } = this.db
      .prepare('INSERT INTO pages (slug, title, content) VALUES (?, ?, ?)')
      .run(slug, title, content);
    return { id: Number(lastInsertRowid), slug, title, content };
  }

  present({ id, title, slug }: CmsPage): HostPage {
    return { id, title, link: `${this.siteUrl}/pages/${slug}` };
  }
}
