/**
 * The address a text means, or null. `URL.canParse` is not asked: once it runs hot, Node 20 misreads every character beyond ASCII
 * there and refuse addresses that `new URL` takes.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
