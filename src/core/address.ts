// Which texts are accepted as addresses that people type.

export const EMAIL_MAX = 191;
export const URL_MAX = 2048;

// A name, an @ and a domain with a dot. Matching takes linear time, since no part matches what its neighbor
// matches.
const EMAIL =
  /^[^\s\p{Cc}\p{Cs}@<>"(),:;\\[\]]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,10}[\p{L}\p{N}-]{2,63}$/u;

export const isEmail = (text: string): boolean => text.length <= EMAIL_MAX && EMAIL.test(text);

/** An absolute http(s) address without credentials. */
export function isHttpUrl(text: string): boolean {
  const url = /^https?:\/\/[^\s\p{Cc}\p{Cs}\\<>"]+$/iu.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '' && url.username === '' && url.password === '';
}
