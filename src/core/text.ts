// Elements whose content is code, not text.
const CODE_ELEMENT = /^<(script|style)(?![a-z0-9])/iu;

/** How a text of a request is read: stored as it was sent, except for white space around it, or refused. */
export interface TextKind {
  readonly read: (text: string) => string;
  readonly fits: (text: string) => boolean;
  /** The rule that a text breaks which does not fit, and the sentence about it. */
  readonly rule: string;
  readonly says: string;
}

export const LINE: TextKind = {
  read: (text) => text.trim(),
  fits: (text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text.trim()),
  rule: 'line',
  says: 'Use one line without control characters.',
};

/** Text with line breaks (stored as LF) and tabs. */
export const LINES: TextKind = {
  read: (text) => text.replaceAll(/\r\n?/gu, '\n').trim(),
  fits: (text) => !/(?![\t\n\r])[\p{Cc}\p{Cs}]/u.test(text.trim()),
  rule: 'characters',
  says: 'Remove the control characters.',
};

/**
 * One line without control characters, of a text without an author who could correct it: titles of orders,
 * links of visitors, values of extensions.
 */
export const plainLine = (text: string): string =>
  stripControls(text)
    .replaceAll(/[\t\n\r\u2028\u2029]+/gu, ' ')
    .trim();

/** The same of several lines. */
export const plainLines = (text: string): string => LINES.read(stripControls(text));

/** One line without tags, of a text that may have been HTML. */
export const cleanText = (text: string): string => plainLine(stripTags(stripControls(text)));

/** Like cleanText, but with line breaks (as LF) and tabs. */
export const cleanTextarea = (text: string): string =>
  stripTags(stripControls(text))
    .replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n')
    .trim();

const UNSEEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

/** Removes characters that are not seen: zero-width, soft hyphens, and marks of the writing direction. */
export const withoutUnseen = (text: string): string => text.replaceAll(UNSEEN, '');

/** The first `codePoints` characters; a character is never cut in half. */
export function cut(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  return Array.from(text.slice(0, codePoints * 2))
    .slice(0, codePoints)
    .join('');
}

/** The form in which names are compared: trimmed, compatibility forms joined, lower case. */
export const nameKey = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/** The form in which e-mail addresses are compared. */
export const emailKey = (text: string): string => text.trim().toLowerCase();

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe as element content and inside a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (char) => ENTITIES[char] as string);

// Removes control characters except tab and line breaks, and broken surrogates.
const stripControls = (text: string): string => text.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cs}]/gu, '');

// A scanner instead of one regular expression: any input takes one pass, and what remains cannot form a new
// tag.
function stripTags(text: string): string {
  if (!text.includes('<')) return text;
  const tagStart = /<[a-z/!?]/giu;
  const unclosed = new Set<string>();
  let result = '';
  let at = 0;
  for (;;) {
    tagStart.lastIndex = at;
    const open = tagStart.exec(text)?.index ?? -1;
    const close = open < 0 ? -1 : text.indexOf('>', open);
    if (close < 0) break;
    result += text.slice(at, open);
    at = afterCode(text, open, close, unclosed);
  }
  return (result + text.slice(at)).replaceAll(/(?<!<)<+(?=[a-z/!?])/giu, '');
}

// The position after a tag; for script and style, after their end tag.
function afterCode(text: string, open: number, close: number, unclosed: Set<string>): number {
  const name = CODE_ELEMENT.exec(text.slice(open, open + 8))?.[1]?.toLowerCase();
  if (name === undefined || unclosed.has(name)) return close + 1;
  const endTag = new RegExp(`</${name}[^>]*>`, 'giu');
  endTag.lastIndex = close + 1;
  const end = endTag.exec(text);
  if (end) return end.index + end[0].length;
  unclosed.add(name);
  return close + 1;
}
