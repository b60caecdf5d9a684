/** An element with its local name, its own text and its children. */
export interface XmlElement {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

const DEPTH_MAX = 60;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.:-]*)([^<>]*?)(\/?)>|([^<]+)/gy;

/**
 * Reads a small XML document: elements and text, without attributes. Null for what is no XML, and for documents with
 * a DTD, whose entities could be anything.
 */
export function readXml(source: string): XmlElement | null {
  const text = source.replace(/^\uFEFF/, '');
  const root: XmlElement = { name: '', text: '', children: [] };
  const open: XmlElement[] = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (found === null || !take(open, found)) return null;
  }
  return open.length === 1 && root.children.length === 1 ? root.children[0]! : null;
}

/** Takes one token into the open elements; false when it does not fit. */
function take(open: XmlElement[], [, raw, closing, name, , single, characters]: RegExpExecArray): boolean {
  const current = open.at(-1)!;
  if (name === undefined) {
    current.text += raw ?? characters?.replaceAll(/&(#?\w+);/g, (_, code: string) => entity(code)) ?? '';
    return true;
  }
  const local = name.slice(name.indexOf(':') + 1);
  if (closing === '/') return open.length > 1 && open.pop()!.name === local;
  const element: XmlElement = { name: local, text: '', children: [] };
  current.children.push(element);
  if (single !== '/') open.push(element);
  return open.length <= DEPTH_MAX;
}

function entity(code: string): string {
  if (!code.startsWith('#')) return ENTITIES[code] ?? '';
  const point = code.startsWith('#x') ? Number.parseInt(code.slice(2), 16) : Number(code.slice(1));
  return point > 0 && point <= 0x10_ff_ff ? String.fromCodePoint(point) : '';
}

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** The text of the first element at this path; '' when there is none. */
export function textOf(element: XmlElement | undefined, ...path: readonly string[]): string {
  let at = element;
  for (const name of path) at = at?.children.find((child) => child.name === name);
  return at?.text.trim() ?? '';
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };
export const escapeXml = (text: string): string => text.replaceAll(/[<>&]/g, (char) => ESCAPES[char] ?? '');
