// The page with the program's terms is the link in the text of the consent box (docs/settings.md §8). The portal
// translates the default text, so it has to stay as the service writes it.
const DEFAULT_TEXT = 'I agree to the terms and conditions';
const LINKED_WORDS = 'terms and conditions';

const read = (html: string): HTMLElement => new DOMParser().parseFromString(html, 'text/html').body;

export const isWebPage = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** The page that the text links to, or ''. */
export const termsPageOf = (html: string): string =>
  read(html).querySelector('a')?.getAttribute('href') ?? '';

/** The text with a link to `page`; without `page`, the text without its link, or '' for the default. */
export function withTermsPage(html: string, page: string): string {
  const body = read(html || DEFAULT_TEXT);
  const link = body.querySelector('a');
  if (page === '') {
    link?.replaceWith(...link.childNodes);
    return body.textContent === DEFAULT_TEXT ? '' : body.innerHTML;
  }
  if (link !== null) {
    link.setAttribute('href', page);
    return body.innerHTML;
  }
  const added = Object.assign(document.createElement('a'), {
    href: page,
    target: '_blank',
    rel: 'noopener noreferrer',
  });
  if (body.textContent === DEFAULT_TEXT) {
    added.textContent = LINKED_WORDS;
    body.replaceChildren(DEFAULT_TEXT.slice(0, -LINKED_WORDS.length), added);
  } else {
    added.append(...body.childNodes);
    body.append(added);
  }
  return body.innerHTML;
}
