import { hookNames, type Catalog, type CatalogNames } from './catalog.js';
import type { CustomHooks } from './custom.js';
import { HookUsageError } from './errors.js';
import type { Spelling } from '../src/platform/hooks/fire.js';
import type { Line, Lines } from '../src/platform/hooks/line.js';
import { nearMiss } from '../src/core/nearest.js';

type AllLines = Catalog & CustomHooks;
type Keys = Extract<keyof AllLines, string>;
/** The names to use, from the catalog's keys, which are the plugin's. */
type NameOf<K extends string> = {
  [N in keyof CatalogNames]: CatalogNames[N] extends K ? N : never;
}[keyof CatalogNames];
type FilterKey = { [K in Keys]: AllLines[K] extends { readonly kind: 'filter' } ? K : never }[Keys];
type ActionKey = Exclude<Keys, FilterKey>;

export type ActionName = Spelling<ActionKey>;
export type FilterName = Spelling<FilterKey>;
/** The names a tap can use, of both spellings (hooks/README.md). */
export type ActionTapName = ActionName | Spelling<NameOf<ActionKey>>;
export type FilterTapName = FilterName | Spelling<NameOf<FilterKey>>;
/** With or without `<prefix>/`. */
export type TapName<N extends string> = N | `${string}/${N}`;

type Plain<N extends string> =
  N extends Spelling<Keys | keyof CatalogNames> ? N : N extends `${string}/${infer R}` ? R : never;
type LineOf<N extends string, P extends string = Plain<N>> = P extends Keys
  ? AllLines[P]
  : P extends keyof CatalogNames
    ? Catalog[CatalogNames[P]]
    : | { [K in Keys]: P extends Spelling<K> ? AllLines[K] : never }[Keys]
      | {
          [K in keyof CatalogNames]: P extends Spelling<K> ? Catalog[CatalogNames[K]] : never;
        }[keyof CatalogNames];

export type ActionArgs<N extends string> =
  LineOf<N> extends { readonly takes?: infer A } ? NonNullable<A> : never;
export type FilterValue<N extends string> =
  LineOf<N> extends { readonly kind: 'filter'; readonly value?: infer V } ? Exclude<V, undefined> : never;
export type FilterRest<N extends string> =
  LineOf<N> extends { readonly kind: 'filter'; readonly takes?: infer R } ? NonNullable<R> : never;

/** What comes back: a filter of a map gives back the type that went in, all others that of their line. */
export type Filtered<N extends string, V> =
  LineOf<N> extends { readonly keepsType: true } ? V : FilterValue<N>;

type Spread<T> = T extends readonly unknown[] ? T : never;
/** The arguments with which the service fires a hook. */
export type FireArgs<N extends string> = Spread<ActionArgs<N>>;
export type FireRest<N extends string> = Spread<FilterRest<N>>;

export interface Resolved {
  /** The catalog's name, with which the service fires the hook. */
  readonly name: string;
  readonly line: Line;
}
/** A name with a `{placeholder}`; `fired` has the same placeholder. */
interface Family {
  readonly pattern: RegExp;
  readonly fired: string;
  readonly line: Line;
}

/** All known names: exact ones, families with a `{placeholder}`, and both with the prefix. */
export class HookNames {
  readonly #exact = new Map<string, Resolved>();
  readonly #families = new Map<string, Family>();

  constructor(
    private readonly prefix: string,
    lines: Lines,
  ) {
    for (const [name, line] of Object.entries(lines)) this.add(name, line);
    for (const [name, fired] of Object.entries(hookNames)) this.add(name, lines[fired]!, fired);
  }

  /** `fired`: the name with which the service fires the hook, where it is another one. */
  add(name: string, line: Line, fired = name): void {
    if (name.includes('{'))
      this.#families.set(name, { pattern: familyPattern(name, line.options.values), fired, line });
    else this.#exact.set(name, { name: fired, line });
  }

  /** The hook of a name, or null when nothing matches. */
  resolve(given: string): Resolved | null {
    for (const name of [given, this.plain(given)]) {
      const found = this.#exact.get(name) ?? this.#family(name);
      if (found) return found;
    }
    return null;
  }

  /** The name without `<prefix>/`, or without `<prefix>_`, the older spelling. */
  plain(given: string): string {
    const start = given.slice(0, this.prefix.length + 1);
    return start === `${this.prefix}/` || start === `${this.prefix}_` ? given.slice(start.length) : given;
  }

  /** Throws an error that names the nearest known name. */
  unknown(given: string): never {
    const known = nearMiss(this.plain(given), [...this.#exact.keys(), ...this.#families.keys()]);
    throw new HookUsageError(`Unknown hook "${given}".${known === null ? '' : ` Did you mean "${known}"?`}`);
  }

  #family(name: string): Resolved | undefined {
    for (const { pattern, fired, line } of this.#families.values()) {
      const slot = pattern.exec(name)?.[1];
      if (slot !== undefined) return { name: fired.replace(/\{\w+\}/, () => slot), line };
    }
    return undefined;
  }
}

/** Its group holds the value of the placeholder. */
function familyPattern(name: string, values: readonly string[] | undefined): RegExp {
  const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const slot = values === undefined ? String.raw`([^/{}\s]+)` : `(${values.map(escape).join('|')})`;
  return new RegExp(
    `^${name
      .split(/\{\w+\}/)
      .map(escape)
      .join(slot)}$`,
  );
}
