import { typesOf, type Schema } from '../../src/platform/http/normalize.js';
import type { Route } from '../../src/platform/http/define-route.js';

/** An address of a route: ids and words filled in. */
export function addressOf(path: string, id: number | string = 999_999): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === 'id' || name.endsWith('_id') ? String(id) : 'nothing',
  );
}

export const hasId = (route: Route): boolean => /:(?:\w+_)?id\b/.test(route.paths[0]);

/**
 * A value of every typed field that no encoding turns into the right type;
 * null when the schema takes anything.
 */
export function wrongTypes(schema: unknown): Record<string, unknown> | null {
  const fields = Object.entries((schema as Schema).properties ?? {}).flatMap(([name, inner]) => {
    const wrong = wrongFor(inner);
    return wrong === undefined ? [] : [[name, wrong] as const];
  });
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

function wrongFor(schema: Schema): unknown {
  if (schema.lenient) return undefined;
  const inner = schema.anyOf?.find((branch) => !typesOf(branch).includes('null')) ?? schema;
  const types = typesOf(inner);
  if (inner.flag) return 'perhaps';
  if (types.length === 0) return undefined;
  if (types.includes('object')) return 'text';
  return types.includes('array') ? { no: 'list' } : { no: 'scalar' };
}

/** The required fields of a body, filled with values of their type. */
export function smallestBody(schema: unknown): Record<string, unknown> {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

function sampleOf(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.flag) return 'yes';
  if (schema.day) return '2026-01-15';
  const [type] = typesOf(schema);
  if (type === 'object') return smallestBody(schema);
  if (type === 'array') return [];
  if (type === 'string') return 'https://example.test';
  return type === 'boolean' ? true : 1;
}
