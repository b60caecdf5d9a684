import type { HostUser } from 'affiliate-service/adapters';
import { html, type Html, type Piece } from './html.js';

export interface Frame {
  readonly viewer: HostUser | null;
  readonly isAdmin: boolean;
  readonly cartCount: number;
}

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  readonly current?: string;
}

const link = (href: string, label: string, current: string | undefined): Html =>
  html`<a href="${href}" ${href === current && html` aria-current="page"`}>${label}</a>`;

function account({ viewer, isAdmin }: Frame, current: string | undefined): Piece {
  if (viewer === null) return link('/login', 'Sign in', current);
  return [
    isAdmin && link('/admin/orders', 'Orders', current),
    isAdmin && link('/admin/payer', 'Payer', current),
    isAdmin
      ? link('/affiliate-admin', 'Affiliate console', current)
      : link('/partners', 'Affiliate portal', current),
    html`<form method="post" action="/logout">
      <button class="link" type="submit">Sign out <span class="who">${viewer.login}</span></button>
    </form>`,
  ];
}

/** The whole document around a page. */
export function layout(frame: Frame, { title, body, current }: PageParts): string {
  const { cartCount } = frame;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Fernway</title>
        <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/style.css" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <div class="bar">
            <a class="brand" href="/"
              ><svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="M12 22V8m0 6c-5 0-7-3-7-7 4 0 7 2 7 7Zm0-3c0-4 2-7 7-8 0 5-3 8-7 8Z" /></svg
              >Fernway</a
            >
            <nav aria-label="Main">
              ${link('/', 'Shop', current)}${link('/pages/affiliates', 'Earn with us', current)}
            </nav>
            <nav aria-label="Account" class="account">
              <a class="cart" href="/cart" ${current === '/cart' && html` aria-current="page"`}
                >Cart<span class="count" aria-label="${cartCount} in the cart">${cartCount}</span></a
              >${account(frame, current)}
            </nav>
          </div>
        </header>
        <main id="main">${body}</main>
        <footer>
          <div class="bar">
            <p>Fernway is the example host of affiliate-service. Nothing is charged or delivered.</p>
            <nav aria-label="More">
              ${link('/partners', 'Become an affiliate', current)}${link('/mails', 'Mails', current)}${link('/pages/about', 'About', current)}${link('/pages/terms', 'Terms', current)}${link('/docs', 'REST interface', current)}
            </nav>
          </div>
        </footer>
      </body>
    </html>`.text;
}

export interface Pager {
  readonly page: number;
  readonly pages: number;
  readonly path: string;
}

export function pager({ page, pages, path }: Pager): Piece {
  if (pages <= 1) return null;
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 && html`<a href="${path}?page=${page - 1}" rel="prev">← Newer</a>`}<span
      >Page ${page} of ${pages}</span
    >
    ${page < pages && html`<a href="${path}?page=${page + 1}" rel="next">Older →</a>`}
  </nav>`;
}

export const badge = (status: string): Html =>
  html`<span class="badge ${status.replaceAll(/[^a-z_]/gu, '')}">${status}</span>`;

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Piece;
  readonly numeric?: boolean;
}

/** A table that turns into cards on a narrow screen; each cell then shows its column's name. */
export function table<Row>(
  caption: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  empty: Piece,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="table">
    <table>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(({ head, numeric }) => html`<th scope="col" ${numeric && html` class="num"`}>${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map(({ head, cell, numeric }) => html`<td data-label="${head}" ${numeric && html` class="num"`}><div>${cell(row)}</div></td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export const message = (title: string, text: string): Html =>
  html`<section class="narrow">
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a class="button" href="/">Back to the shop</a></p>
  </section>`;
