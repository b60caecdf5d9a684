import { escapeHtml } from '../../core/text.js';
import { own } from '../../core/own.js';
import type { Deps } from './deps.js';
import { codeKeys, SMART_CODES } from './templates.js';
import type { CodeGroup, CodeValues } from './types.js';

type Mode = 'text' | 'html';

const CODE = /\{\{([^{}]{1,300})\}\}|##([^#\s]{1,300})##/g;

/** Double braces that begin a code and do not end it, with the word after them. */
const UNCLOSED = /\{\{\s*[\w.|-]{0,60}/g;

/** The text before the address of a link or picture. */
const ADDRESS = /\s(?:href|src)=["']$/i;
const ADDRESS_START = ' href="'.length;

const TRANSFORMERS: Readonly<Record<string, (value: string, argument: string) => string>> = {
  trim: (value) => value.trim(),
  ucfirst: (value) => value.charAt(0).toUpperCase() + value.slice(1),
  ucwords: (value) =>
    value.replaceAll(/(^|\s)(\S)/g, (_all, space: string, letter: string) => space + letter.toUpperCase()),
  strtolower: (value) => value.toLowerCase(),
  strtoupper: (value) => value.toUpperCase(),
  concat_first: (value, argument) => (value === '' ? value : argument + value),
  concat_last: (value, argument) => (value === '' ? value : value + argument),
  show_if: (value, argument) => (value === '' ? value : argument),
};

/**
 * Expands `{{group.key|default|transformer|argument}}`, and `##group.key##` as another spelling for addresses
 * (docs/settings.md §2.3).
 * In HTML every value is escaped; the address of a link or picture that is not http(s) or mailto becomes empty.
 */
export async function expandSmartCodes(
  app: Deps,
  text: string,
  values: CodeValues,
  mode: Mode,
): Promise<string> {
  const context = values as Readonly<Record<string, unknown>>;
  const prepared = await app.hooks.applyFilters('parse_smart_codes', text, context, mode);
  const parts: string[] = [];
  let end = 0;
  for (const match of prepared.matchAll(CODE)) {
    const [whole, code] = match;
    const before = prepared.slice(Math.max(0, match.index - ADDRESS_START), match.index);
    const address = match[2] ?? (ADDRESS.test(before) ? knownIn(values, code ?? '') : undefined);
    parts.push(prepared.slice(end, match.index));
    parts.push(
      address === undefined
        ? await valueOf(app, whole, code ?? '', { values, mode })
        : addressOf(values, address, mode),
    );
    end = match.index + whole.length;
  }
  return parts.join('') + prepared.slice(end);
}

/** `group.key|default|transformer|argument`. */
function partsOf(code: string): Record<'group' | 'key' | 'fallback' | 'transformer' | 'argument', string> {
  const [name = '', fallback = '', transformer = '', argument = ''] = code
    .split('|')
    .map((part) => part.trim());
  const [group = '', key = ''] = splitName(name);
  return { group, key, fallback, transformer, argument };
}

async function valueOf(
  app: Deps,
  whole: string,
  code: string,
  { values, mode }: { values: CodeValues; mode: Mode },
): Promise<string> {
  const { group, key, fallback, transformer, argument } = partsOf(code);
  const context = values as Readonly<Record<string, unknown>>;
  if (group === '' || key === '') return app.hooks.applyFilters('smartcode_fallback', whole, context);
  const known = groupOf(values, group);
  if (!known)
    return app.hooks.applyFilters(
      `smartcode_group_callback_${group}` as 'smartcode_group_callback_{group}',
      whole,
      key,
      fallback,
      context,
    );
  const found = own(known, key) ?? '';
  if (typeof found !== 'string') return found[mode];
  const value = transformed(found === '' ? fallback : found, transformer, argument);
  return mode === 'html' ? escapeHtml(value).replaceAll(/\r?\n/g, '<br>') : value;
}

const transformed = (value: string, transformer: string, argument: string): string =>
  TRANSFORMERS[transformer]?.(value, argument) ?? value;

function addressOf(values: CodeValues, code: string, mode: Mode): string {
  const [group = '', key = ''] = splitName(code);
  const value = groupOf(values, group)?.[key];
  if (typeof value !== 'string' || !/^(?:https?:\/\/|mailto:)/i.test(value)) return '';
  return mode === 'html' ? escapeHtml(value) : value;
}

/** `group.key` alone, of a group that this mail has. */
function knownIn(values: CodeValues, code: string): string | undefined {
  const name = code.trim();
  return groupOf(values, splitName(name)[0] ?? '') === undefined || name.includes('|') ? undefined : name;
}

const splitName = (name: string): string[] => {
  const dot = name.indexOf('.');
  return dot < 1 ? [] : [name.slice(0, dot), name.slice(dot + 1)];
};

/**
 * The codes of a text that would not be filled in: of a group that this mail does not have, with a key that its
 * group does not have, or malformed. Groups of extensions are asked.
 */
export async function unknownCodes(
  app: Deps,
  text: string,
  {
    groups,
    codes,
    context,
  }: {
    readonly groups: readonly CodeGroup[];
    /** Further codes of this mail. */
    readonly codes: readonly string[];
    readonly context: () => Promise<CodeValues>;
  },
): Promise<string[]> {
  const unknown = new Set<string>();
  for (const [whole, code, address] of text.matchAll(CODE)) {
    const { group, key, fallback } = partsOf(code ?? address ?? '');
    const own = groups.find(
      (each) => each === (group === 'transaction' && !groups.includes(group) ? 'referral' : group),
    );
    if (codes.includes(`${group}.${key}`) || (own !== undefined && codeKeys(own).includes(key))) continue;
    const isOurs = SMART_CODES.some((each) => each.key === group) || address !== undefined;
    if (isOurs || !(await isFilled(app, whole, { group, key, fallback, context: await context() })))
      unknown.add(whole);
  }
  for (const [unclosed] of text.replaceAll(CODE, ' ').matchAll(UNCLOSED)) unknown.add(unclosed);
  return [...unknown];
}

/** Does an extension fill in a code that we do not know? */
async function isFilled(
  app: Deps,
  whole: string,
  code: { group: string; key: string; fallback: string; context: CodeValues },
): Promise<boolean> {
  const context = code.context as Readonly<Record<string, unknown>>;
  const { group, key, fallback } = code;
  const filled =
    group === '' || key === ''
      ? await app.hooks.applyFilters('smartcode_fallback', whole, context)
      : await app.hooks.applyFilters(
          `smartcode_group_callback_${group}` as 'smartcode_group_callback_{group}',
          whole,
          key,
          fallback,
          context,
        );
  return filled !== whole;
}

// Old templates name the referral of a sale `transaction`.
function groupOf(values: CodeValues, group: string): CodeValues[CodeGroup] {
  if (group === 'transaction' && !values.transaction && values.referral) return values.referral;
  return Object.hasOwn(values, group) ? values[group as CodeGroup] : undefined;
}
