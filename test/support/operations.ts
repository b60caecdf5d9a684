import type { Route } from '../../src/platform/http/define-route.js';
import { EVENT_DATA } from '../../src/channels/webhooks/data-schemas.js';
import { EVENTS } from '../../src/program/event-log/types.js';
import { PublicSchemas } from '../../src/platform/http/public-schema.js';

type Schema = Readonly<Record<string, unknown>>;

/** The text of client/operations.ts: types and addresses of every operation, from the declared routes. */
export function operationsText(routes: readonly Route[]): string {
  const sorted = routes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const schemas = new PublicSchemas();
  const types = sorted.map((route) => operationType(route, schemas));
  const eventTypes = Object.entries(EVENT_DATA).map(
    ([name, schema]) => `  ${name}: ${typeOf(schemas.of(schema))};`,
  );
  const records = Object.entries(schemas.components).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  return `// Written by \`npm run build:client\` from the declared routes; do not edit.
import type { Page } from './types.js';

${records.join('\n')}

/** What each operation takes and answers, by its id. */
export interface Operations {
${types.join('\n')}
}

/** What \`data\` of an event holds, by what the event is about. */
interface EventRecords {
${eventTypes.join('\n')}
}

/** What \`data\` of each event holds. */
export interface Events {
${Object.entries(EVENTS)
  .map(([type, { object, summary: tells }]) => `  /** ${tells} */\n  '${type}': EventRecords['${object}'];`)
  .join('\n')}
}

/** Method and path of each operation. */
export const OPERATIONS = {
${sorted.map((route) => `  '${route.id}': ['${route.method.toUpperCase()}', '${pathOf(route)}'],`).join('\n')}
} as const satisfies { readonly [Id in keyof Operations]: readonly [string, string] };
`;
}

// The first path is the one of the interface's listing; where another form reads better it is
// an alias, which answers alike.
const pathOf = (route: Route): string => route.paths.at(-1) ?? route.paths[0];

function operationType(route: Route, schemas: PublicSchemas): string {
  const parts = [
    ...(route.params ? [`params: ${pathParameters(route.params)}`] : []),
    ...(route.query ? [`query?: ${typeOf(allOptional(schemas.of(route.query)))}`] : []),
    ...(route.body ? [bodyPart(schemas.of(route.body))] : []),
    `response: ${typeOf(schemas.of(route.response))}`,
  ];
  return (
    `  /** ${route.summary} (\`${route.method.toUpperCase()} ${pathOf(route)}\`). */\n  '${route.id}': ` +
    `{ ${parts.join('; ')} };`
  );
}

const pathParameters = (schema: unknown): string =>
  `{ ${Object.keys((schema as { properties?: object }).properties ?? {})
    .map((name) => `${name}: number | string`)
    .join('; ')} }`;

function bodyPart(schema: Schema): string {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return `body${required.length === 0 ? '?' : ''}: ${typeOf(schema)}`;
}

const allOptional = (schema: Schema): Schema => ({ ...schema, required: [] });

function typeOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'unknown';
  const {
    $ref: reference,
    const: fixed,
    enum: values,
    anyOf,
    type,
  } = schema as Schema & { $ref?: string; enum?: unknown[]; anyOf?: unknown[] };
  if (reference) return reference.split('/').at(-1) ?? 'unknown';
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(type))
    return type.map((name) => typeOf({ ...schema, type: name as unknown })).join(' | ');
  return namedType(type, schema as Schema);
}

function namedType(type: unknown, schema: Schema): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') return `readonly (${typeOf(schema['items'])})[]`;
  return type === 'object' ? objectType(schema) : 'unknown';
}

function objectType(schema: Schema): string {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  if (properties['first_page_url'] && properties['data'])
    return `Page<${typeOf(properties['data']['items'])}>`;
  const required = (schema['required'] ?? []) as readonly string[];
  const fields = Object.entries(properties).map(
    ([name, inner]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(inner)}`,
  );
  const rest = restOf(schema, fields.length > 0);
  if (fields.length === 0) return rest ?? '{}';
  return `{ ${fields.join('; ')} }${rest === null ? '' : ` & ${rest}`}`;
}

// Keys that are not listed: any at all, or those of one kind.
function restOf(schema: Schema, listed: boolean): string | null {
  const { additionalProperties: more, patternProperties: patterns } = schema;
  const values = [
    ...Object.values(patterns ?? {}),
    ...(typeof more === 'object' && more !== null ? [more] : []),
  ];
  if (values.length > 0) return `Readonly<Record<string, ${values.map(typeOf).join(' | ')}>>`;
  if (more === true || !listed) return 'Readonly<Record<string, unknown>>';
  return null;
}
