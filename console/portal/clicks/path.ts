/** Path and query of an address of the site; the rest is always the same. */
export function pathOf(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.pathname}${url.search}` || '/';
}
