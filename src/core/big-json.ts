// A text or a number, whichever comes first: digits inside texts stay untouched.
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;
const LONG = /^-?\d{16,}$/u;

/**
 * JSON whose integers of 16 and more digits become text, since a number would change them;
 * undefined when it is not JSON.
 */
export function parseBigJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\uFEFF/u, '');
  try {
    return JSON.parse(text.replaceAll(TOKEN, (token) => (LONG.test(token) ? `"${token}"` : token)));
  } catch {
    return undefined;
  }
}
