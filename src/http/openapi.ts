import type { Policy } from '../access/policies.js';
import { ERRORS, type ErrorCode } from '../errors.js';
import type { Route } from './define-route.js';
import { typesOf, type Schema } from './normalise.js';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  /** Absolute address of the interface. */
  readonly serverUrl: string;
  /** What is sent to endpoints of the host's choice. */
  readonly webhooks?: Json;
}

/** The OpenAPI 3.1 document of the routes; aliases carry `x-alias-of`. */
export function openapi(routes: readonly Route[], info: OpenApiInfo): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    for (const [index, path] of route.paths.entries()) {
      const operations = (paths[openPath(path)] ??= {});
      operations[route.method] = operation(route, index);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: 'Affiliates, referrals, visits, payouts, groups, creatives, portal, reports and settings.',
    },
    servers: [{ url: info.serverUrl }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    ...(info.webhooks && { webhooks: info.webhooks }),
    components: { schemas: { Error: ERROR }, responses: RESPONSES, securitySchemes: SECURITY },
  };
}

const openPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
const tagOf = (route: Route): string => route.id.split('.')[0] ?? route.id;

function operation(route: Route, alias: number): Json {
  return {
    operationId: alias === 0 ? route.id : `${route.id}.alias${alias}`,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(alias > 0 && { 'x-alias-of': openPath(route.paths[0]) }),
    'x-access': accessText(route.access),
    security: securityOf(route.access),
    parameters: [
      ...pathParameters(route, route.paths[alias] ?? route.paths[0]),
      ...queryParameters(route),
      ...headerParameters(route),
    ],
    ...(route.body && { requestBody: bodyOf(publicSchema(route.body)) }),
    responses: { 200: okOf(route), ...refusalsOf(route) },
  };
}

function accessText(policy: Policy): string {
  if (policy.kind !== 'section') return policy.kind;
  return `fa_view_${policy.section}${policy.also ? ` and ${policy.also}` : ''}`;
}

function securityOf(policy: Policy): readonly Json[] {
  if (policy.kind === 'public') return [];
  return policy.kind === 'site'
    ? [
        { site: [], signature: [] },
        { site: [], bearer: [] },
      ]
    : [{ nonce: [] }];
}

function pathParameters(route: Route, path: string): Json[] {
  const known: Readonly<Record<string, Schema>> = route.params
    ? ((route.params as Schema).properties ?? {})
    : {};
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: publicSchema(known[name] ?? { type: 'string' }),
  }));
}

function queryParameters(route: Route): Json[] {
  const { properties = {}, required = [] } = (route.query ?? {}) as Schema;
  return Object.entries(properties).map(([name, schema]) => {
    const isList = typesOf(schema).includes('array');
    const isMap = typesOf(schema).includes('object');
    return {
      name: isList ? `${name}[]` : name,
      in: 'query',
      required: required.includes(name),
      schema: publicSchema(schema),
      ...(isMap && { style: 'deepObject', explode: true }),
    };
  });
}

const headerParameters = (route: Route): Json[] =>
  route.settings === undefined || route.method === 'get'
    ? []
    : [
        {
          name: 'If-Match',
          in: 'header',
          required: false,
          description:
            'The ETag of the settings as they were read: saves only while nobody else has changed them. Without it the last write wins.',
          schema: { type: 'string' },
        },
      ];

const bodyOf = (schema: Json): Json => ({
  required: true,
  content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
});

function okOf(route: Route): Json {
  const isExport = route.id.endsWith('export');
  return {
    description: 'Done.',
    ...(route.settings !== undefined && {
      headers: { ETag: { description: 'State of the stored settings.', schema: { type: 'string' } } },
    }),
    content: {
      'application/json': { schema: publicSchema(route.response) },
      ...(isExport && { 'text/csv': { schema: { type: 'string' } } }),
    },
  };
}

const ref = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

function refusalsOf(route: Route): Json {
  const open = route.access.kind === 'public';
  return {
    ...(route.method !== 'get' && { 400: ref('BadRequest') }),
    ...(!open && { 401: ref('Unauthorized') }),
    403: ref('Forbidden'),
    404: ref('NotFound'),
    ...(route.settings !== undefined && route.method !== 'get' && { 412: ref('PreconditionFailed') }),
    ...((route.body ?? route.query) && { 422: ref('Unprocessable') }),
    429: ref('TooManyRequests'),
  };
}

// What our keywords mean, in the words of JSON Schema.
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

/** The schema without keywords only we know. */
export function publicSchema(schema: unknown): Json {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema as Json)) {
    if (key === 'lenient') Object.assign(result, PUBLIC_FORM[String(value)]);
    else if (PUBLIC_FORM[key] && value === true) Object.assign(result, PUBLIC_FORM[key]);
    else if (key !== 'clean') result[key] = publicPart(key, value);
  }
  return result;
}

function publicPart(key: string, value: unknown): unknown {
  if (key === 'properties' || key === 'patternProperties') {
    return Object.fromEntries(
      Object.entries(value as Json).map(([name, inner]) => [name, publicSchema(inner)]),
    );
  }
  if (Array.isArray(value) && (key === 'anyOf' || key === 'oneOf' || key === 'allOf'))
    return value.map(publicSchema);
  const isSchema = key === 'items' || key === 'additionalProperties' || key === 'not';
  return isSchema && typeof value === 'object' && value !== null ? publicSchema(value) : value;
}

const ERROR: Json = {
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { type: 'string', description: 'Stable name of the error.' },
    message: { type: 'string' },
    data: { type: 'object', required: ['status'], properties: { status: { type: 'integer' } } },
    errors: {
      type: 'object',
      description:
        'Field → rule → text; with validation_failed. Each field map also stands at the top level.',
      additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
};

const failure = (description: string, code: ErrorCode, status?: number): Json => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: { code, message: ERRORS[code][1], data: { status: status ?? ERRORS[code][0] } },
    },
  },
});

const RESPONSES: Json = {
  BadRequest: failure('The body is malformed.', 'rest_invalid_json'),
  Unauthorized: failure('Nobody is signed in, or the nonce is missing.', 'rest_forbidden', 401),
  Forbidden: failure('The right is missing, or the nonce is wrong.', 'rest_forbidden'),
  NotFound: failure('No such address or row.', 'rest_no_route'),
  PreconditionFailed: failure('Somebody else has changed the settings.', 'settings_changed'),
  Unprocessable: failure('A field or a rule of the program forbids it.', 'validation_failed'),
  TooManyRequests: failure('Too many requests; Retry-After says when to come back.', 'rate_limited'),
};

const SECURITY: Json = {
  nonce: {
    type: 'apiKey',
    in: 'header',
    name: 'X-WP-Nonce',
    description: "Nonce of the signed-in user, beside the host's own sign-in.",
  },
  site: { type: 'apiKey', in: 'header', name: 'X-FA-Site-Id' },
  signature: { type: 'apiKey', in: 'header', name: 'X-FA-Signature' },
  bearer: { type: 'http', scheme: 'bearer' },
};
