import type { Catalog } from './catalog/index.js';
import type { CustomHooks } from './custom.js';
import { HookUsageError } from './errors.js';
import type { Line, Lines } from './line.js';
import { nearMiss } from '../src/core/nearest.js';

type AllLines = Catalog & CustomHooks;
type Keys = Extract<keyof AllLines, string>;
/** `affiliate_status_to_{status}` as the names it stands for. */
type Spelling<K extends string> = K extends `${infer A}{${string}}${infer B}`
  ? `${A}${string}${Spelling<B>}`
  : K;
type FilterKey = { [K in Keys]: AllLines[K] extends { readonly kind: 'filter' } ? K : never }[Keys];
type ActionKey = Exclude<Keys, FilterKey>;

export type ActionName = Spelling<ActionKey>;
export type FilterName = Spelling<FilterKey>;
/** With or without `<prefix>/`. */
export type TapName<N extends string> = N | `${string}/${N}`;

type Plain<N extends string> = N extends Spelling<Keys> ? N : N extends `${string}/${infer R}` ? R : never;
type LineOf<N extends string, P extends string = Plain<N>> = P extends Keys
  ? AllLines[P]
  : { [K in Keys]: P extends Spelling<K> ? AllLines[K] : never }[Keys];

export type ActionArgs<N extends string> =
  LineOf<N> extends { readonly takes?: infer A } ? NonNullable<A> : never;
export type FilterValue<N extends string> =
  LineOf<N> extends { readonly kind: 'filter'; readonly value?: infer V } ? Exclude<V, undefined> : never;
export type FilterRest<N extends string> =
  LineOf<N> extends { readonly kind: 'filter'; readonly takes?: infer R } ? NonNullable<R> : never;

/**
 * Filters of values that are only shown: a tap returns the map it got, with values changed and keys added.
 */
type ShownFilter =
  | 'affiliate_view_data'
  | 'affiliate_customers_response'
  | 'get_integrations'
  | 'get_migration_statistics'
  | 'get_current_data_counts'
  | 'default_referral_settings'
  | 'get_referral_config'
  | 'portal_menu_items'
  | 'portal_localize_data'
  | 'portal/settings_data'
  | `get_integration_config_${string}`
  | `get_feature_settings_${string}`
  | `update_feature_response_${string}`;
/**
 * What comes back: for these filters the type that went in, for all others the type of the line, which is
 * checked like input.
 */
export type Filtered<N extends string, V> = N extends ShownFilter ? V : FilterValue<N>;

type Spread<T> = T extends readonly unknown[] ? T : never;
/** The arguments with which the service fires a hook. */
export type FireArgs<N extends string> = Spread<ActionArgs<N>>;
export type FireRest<N extends string> = Spread<FilterRest<N>>;

export interface Resolved {
  readonly name: string;
  readonly line: Line;
}
interface Family {
  readonly pattern: RegExp;
  readonly line: Line;
}

/** All known names: exact ones, families with a `{placeholder}`, and both with the prefix. */
export class HookNames {
  readonly #exact = new Map<string, Line>();
  readonly #families = new Map<string, Family>();

  constructor(
    private readonly prefix: string,
    lines: Lines,
  ) {
    for (const [name, line] of Object.entries(lines)) this.add(name, line);
  }

  add(name: string, line: Line): void {
    if (name.includes('{'))
      this.#families.set(name, { pattern: familyPattern(name, line.options.values), line });
    else this.#exact.set(name, line);
  }

  /** The name without prefix and its line, or null when nothing matches. */
  resolve(given: string): Resolved | null {
    for (const name of [given, this.plain(given)]) {
      const line = this.#exact.get(name) ?? this.#family(name);
      if (line) return { name, line };
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

  #family(name: string): Line | undefined {
    for (const { pattern, line } of this.#families.values()) if (pattern.test(name)) return line;
    return undefined;
  }
}

function familyPattern(name: string, values: readonly string[] | undefined): RegExp {
  const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const slot = values === undefined ? String.raw`[^/{}\s]+` : `(?:${values.map(escape).join('|')})`;
  return new RegExp(
    `^${name
      .split(/\{\w+\}/)
      .map(escape)
      .join(slot)}$`,
  );
}
