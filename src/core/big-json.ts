// Matches a text or a number, whichever comes first, so that digits inside texts do not change.
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;
const LONG = /^-?\d{16,}$/u;

/**
 * Parses JSON and reads integers of 16 and more digits as text, because a number would change them. Undefined
 * when it is not JSON.
 */
export function parseBigJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\uFEFF/u, '');
  try {
    return JSON.parse(text.replaceAll(TOKEN, (token) => (LONG.test(token) ? `"${token}"` : token)));
  } catch {
    return undefined;
  }
}
