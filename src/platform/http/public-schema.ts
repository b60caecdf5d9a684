import type { Schema } from './normalize.js';

export type Json = Readonly<Record<string, unknown>>;

// The JSON Schema of our own keywords.
const PUBLIC_FORM: Readonly<Record<string, Json>> = {
  flag: { type: 'string', enum: ['yes', 'no'] },
  page: { type: 'integer', minimum: 1 },
  per_page: { type: 'integer', minimum: 1, maximum: 200 },
  search: { type: 'string', maxLength: 200 },
  word: { type: 'string' },
  direction: { type: 'string', enum: ['ASC', 'DESC'] },
  money: { type: ['number', 'string'], minimum: 0, maximum: 99_999_999_999.99 },
  rate: { type: ['number', 'string'], minimum: 0 },
  email: { format: 'email' },
  httpUrl: { format: 'uri' },
  day: { format: 'date' },
};
const OWN_KEYWORDS: ReadonlySet<string> = new Set([
  'clean',
  'shape',
  'component',
  'lenient',
  'words',
  'demanded',
]);
const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf']);
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);

/** Converts our schemas to plain JSON Schema. Named ones are collected and replaced by a reference. */
export class PublicSchemas {
  readonly #named = new Map<string, Json>();

  /** The named schemas found so far, by name. */
  get components(): Json {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  of(schema: unknown): Json {
    const { component } = schema as Schema;
    if (component === undefined) return this.#plain(schema as Json);
    const known = this.#named.get(component);
    if (known === undefined) this.#named.set(component, this.#plain(schema as Json));
    return { $ref: `#/components/schemas/${component}` };
  }

  /** An object under this name; lists and objects that have a name already do not change. */
  named(name: string, schema: unknown): Json {
    const plain = this.of(schema);
    if (plain['type'] !== 'object' || plain['properties'] === undefined) return plain;
    this.#named.set(name, plain);
    return { $ref: `#/components/schemas/${name}` };
  }

  #plain(schema: Json): Json {
    const { shape, lenient, demanded } = schema as Schema;
    if (demanded !== undefined) return this.#demanding(schema, demanded);
    if (shape !== undefined) return { ...this.#keywords(schema), ...this.of(shape) };
    return { ...(lenient !== undefined && PUBLIC_FORM[lenient]), ...this.#keywords(schema) };
  }

  #demanding({ demanded: _, ...schema }: Json, names: readonly string[]): Json {
    const plain = this.#plain(schema);
    return {
      ...plain,
      required: [...((plain['required'] as readonly string[] | undefined) ?? []), ...names],
    };
  }

  #keywords(schema: Json): Json {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (PUBLIC_FORM[key] && value === true) Object.assign(result, PUBLIC_FORM[key]);
      else if (!OWN_KEYWORDS.has(key)) result[key] = this.#part(key, value);
    }
    return result;
  }

  #part(key: string, value: unknown): unknown {
    if (MAPS_OF_SCHEMAS.has(key))
      return Object.fromEntries(Object.entries(value as Json).map(([name, inner]) => [name, this.of(inner)]));
    if (LISTS_OF_SCHEMAS.has(key)) return (value as readonly unknown[]).map((inner) => this.of(inner));
    return SCHEMAS.has(key) && typeof value === 'object' ? this.of(value) : value;
  }
}
