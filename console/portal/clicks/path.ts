/** Path and query of a URL of the site. */
export function pathOf(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.pathname}${url.search}` || '/';
}
