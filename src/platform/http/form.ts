import { isMap } from '../../core/is-map.js';
import { fail } from '../../errors.js';
import { isKey, LIMITS, type Plain } from './limits.js';

// Reads query strings and form bodies with brackets: `config[title]=x&config[ids][]=3`. We do this ourselves
// because hosts parse them differently, and general parsers take quadratic time for thousands of entries such
// as `a[0]=`, `a[1]=`.

type Tree = Map<string, Tree | string>;

/** Parses form text into plain objects and lists; of several equal names the last one counts. */
export function parseForm(text: string): Plain {
  const root: Tree = new Map();
  const pairs = text.split('&');
  if (pairs.length > LIMITS.parameters) fail('payload_too_large');
  for (const pair of pairs) {
    if (pair === '') continue;
    const split = pair.indexOf('=');
    const name = decode(split < 0 ? pair : pair.slice(0, split));
    put(root, segments(name), split < 0 ? '' : decode(pair.slice(split + 1)));
  }
  return toPlain(root) as Plain;
}

/** Rebuilds the nesting when a parser of the host has left names such as `config[title]` unchanged. */
export function unflatten(flat: Plain): Plain {
  if (!Object.keys(flat).some((name) => name.includes('['))) return flat;
  const root: Tree = new Map();
  for (const [name, value] of Object.entries(flat)) {
    const path = segments(name);
    for (const entry of Array.isArray(value) ? value : [value]) put(root, path, String(entry));
  }
  return toPlain(root) as Plain;
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** `a[b][]` → `a`, `b`, ``; a name with incorrect brackets is one segment. */
function segments(name: string): string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [checked(name)];
  const inner = name.slice(open + 1, -1).split('][');
  if (inner.length >= LIMITS.depth) fail('payload_too_large');
  return [name.slice(0, open), ...inner].map(checked);
}

function checked(segment: string): string {
  if (segment.length > LIMITS.keyLength) fail('payload_too_large');
  return segment;
}

function put(root: Tree, path: readonly string[], value: string): void {
  let node = root;
  for (const [index, segment] of path.entries()) {
    const key = segment === '' && index > 0 ? String(node.size) : segment;
    if (!isKey(key)) return;
    if (index === path.length - 1) {
      node.set(key, value);
      return;
    }
    const next = node.get(key);
    const child: Tree = next instanceof Map ? next : new Map();
    if (child !== next) node.set(key, child);
    node = child;
  }
}

function toPlain(tree: Tree, top = true): unknown {
  const entries = [...tree].map(
    ([key, value]) => [key, value instanceof Map ? toPlain(value, false) : value] as const,
  );
  if (top || !entries.every(([key]) => /^\d{1,9}$/.test(key))) return Object.fromEntries(entries);
  if (entries.length > LIMITS.listEntries) fail('payload_too_large');
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

/** Turns an object with the keys 0, 1, 2 …, as other form parsers return a list, into that list. */
export function asList(value: unknown): unknown {
  if (!isMap(value)) return value;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key))
    ? keys.map((key) => value[key])
    : value;
}
