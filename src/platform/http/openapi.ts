import type { Policy } from '../access/policies.js';
import { ERRORS, type ErrorCode } from '../../errors.js';
import type { Route } from './define-route.js';
import { typesOf, type Schema } from './normalize.js';
import { PublicSchemas, type Json } from './public-schema.js';

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  /** The owner of the interface. */
  readonly contact: { readonly name: string; readonly url: string };
  /** The absolute address of the interface. */
  readonly serverUrl: string;
  /** Addresses outside the router, such as those that a page of the site calls. */
  readonly morePaths?: Json;
  /** Messages sent to endpoints of the host's choice. */
  readonly webhooks?: Json;
}

/** The OpenAPI 3.1 document of the routes; aliases have `x-alias-of`. */
export function openapi(routes: readonly Route[], info: OpenApiInfo): Json {
  const schemas = new PublicSchemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    for (const [index, path] of route.paths.entries()) {
      const operations = (paths[openPath(path)] ??= {});
      operations[route.method] = new Operation(route, schemas).at(index);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description:
        'The REST API of an affiliate program: affiliates, referrals, visits, payouts, groups, creatives, portal, reports and settings.',
      contact: info.contact,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.serverUrl }],
    security: [],
    tags: tagsOf(routes, info.morePaths === undefined ? [] : ['tracking']),
    paths: { ...paths, ...info.morePaths },
    ...(info.webhooks && { webhooks: info.webhooks }),
    components: {
      schemas: { ...schemas.components, Error: ERROR, ErrorCode: ERROR_CODE },
      parameters: PARAMETERS,
      responses: RESPONSES,
      securitySchemes: SECURITY,
    },
  };
}

const tagsOf = (routes: readonly Route[], more: readonly string[]): Json[] =>
  [...new Set([...routes.map(({ tag }) => tag), ...more])].sort().map((name) => ({
    name,
    description: `Operations whose ID begins with \`${name}\`.`,
  }));
const openPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/** One route with one of its paths. */
class Operation {
  constructor(
    private readonly route: Route,
    private readonly schemas: PublicSchemas,
  ) {}

  /** `payouts.mark_paid` → `PayoutsMarkPaid`; generated clients name types after it. */
  get #name(): string {
    return this.route.id.replaceAll(/(?:^|[._-])(\w)/g, (_all, letter: string) => letter.toUpperCase());
  }

  at(alias: number): Json {
    const { route } = this;
    return {
      operationId: alias === 0 ? route.id : `${route.id}.alias${alias}`,
      summary: firstSentence(route.summary),
      description: descriptionOf(route) + (alias > 0 ? ` ${anotherSpelling(route)}` : ''),
      tags: [route.tag],
      ...(alias > 0 && { 'x-alias-of': openPath(route.paths[0]) }),
      'x-access': accessText(route.access),
      security: securityOf(route.access),
      parameters: [
        ...this.#pathParameters(route.paths[alias] ?? route.paths[0]),
        ...this.#queryParameters(),
        ...headersOf(route),
      ],
      ...(route.body && { requestBody: bodyOf(this.schemas.named(`${this.#name}Request`, route.body)) }),
      responses: { 200: this.#done(), ...refusalsOf(route) },
    };
  }

  #pathParameters(path: string): Json[] {
    const { properties = {} } = (this.route.params ?? {}) as Schema;
    return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: this.schemas.of(properties[name] ?? { type: 'string' }),
    }));
  }

  #queryParameters(): Json[] {
    const { properties = {}, required = [] } = (this.route.query ?? {}) as Schema;
    return Object.entries(properties).map(([name, schema]) => {
      const types = typesOf(schema.shape ?? schema);
      return {
        name: types.includes('array') ? `${name}[]` : name,
        in: 'query',
        // A missing value is replaced by its default.
        required: required.includes(name) && schema.default === undefined,
        schema: this.schemas.of(schema),
        ...(types.includes('object') && { style: 'deepObject', explode: true }),
      };
    });
  }

  #done(): Json {
    const { files = [], settings, response } = this.route;
    const isJson = !files.some((type) => type.startsWith('image/'));
    const file = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } };
    return {
      description: 'Success.',
      ...(settings !== undefined && {
        headers: {
          ETag: {
            description: 'Version of the stored settings. Send it as `If-Match` when you save them.',
            schema: { type: 'string' },
          },
        },
      }),
      content: {
        ...(isJson && {
          'application/json': { schema: this.schemas.named(`${this.#name}Response`, response) },
        }),
        ...Object.fromEntries(files.map((type) => [type, file])),
      },
    };
  }
}

const ACCESS: Readonly<Record<Policy['kind'], string>> = {
  admin: 'Requires an administrator.',
  section: 'Requires an administrator, or a manager with permission for the section.',
  signed_in: "Requires a signed-in user and applies to that user's own data.",
  site: 'Requires the credentials of a connected site.',
  public: 'No authentication required.',
};

const firstSentence = (summary: string): string => summary.replace(/\. .*$/, '');

const descriptionOf = ({ summary, access }: Route): string => `${summary}. ${ACCESS[access.kind]}`;

const anotherSpelling = ({ paths: [first] }: Route): string =>
  `Alias of \`${openPath(first)}\` for older clients.`;

function accessText(policy: Policy): string {
  if (policy.kind !== 'section') return policy.kind;
  return `fa_view_${policy.section}${policy.also ? ` and ${policy.also}` : ''}`;
}

function securityOf({ kind }: Policy): readonly Json[] {
  if (kind === 'public') return [];
  if (kind === 'site')
    return [
      { site: [], signature: [] },
      { site: [], bearer: [] },
    ];
  return [{ nonce: [] }, { bearer: [] }];
}

const headersOf = (route: Route): Json[] => [
  ...(route.settings !== undefined && route.method !== 'get' ? [ref('parameters', 'IfMatch')] : []),
  ...(isRepeatable(route) ? [ref('parameters', 'IdempotencyKey')] : []),
];

/** Does an `Idempotency-Key` prevent a second effect of a repeated request? */
const isRepeatable = (route: Route): boolean =>
  route.method === 'post' && route.access.kind !== 'public' && !route.secret;

const bodyOf = (schema: Json): Json => ({
  required: true,
  content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
});

function refusalsOf(route: Route): Json {
  const response = (name: string): Json => ref('responses', name);
  const changesSettings = route.settings !== undefined && route.method !== 'get';
  return {
    ...(route.method !== 'get' && { 400: response('BadRequest') }),
    ...(route.access.kind !== 'public' && { 401: response('Unauthorized') }),
    403: response('Forbidden'),
    404: response('NotFound'),
    ...(isRepeatable(route) && { 409: response('InProgress') }),
    ...(changesSettings && { 412: response('PreconditionFailed') }),
    ...((route.body ?? route.query) && { 422: response('Unprocessable') }),
    429: response('TooManyRequests'),
    503: response('Busy'),
  };
}

const ERROR: Json = {
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { $ref: '#/components/schemas/ErrorCode' },
    message: { type: 'string' },
    data: { type: 'object', required: ['status'], properties: { status: { type: 'integer' } } },
    errors: {
      type: 'object',
      description:
        'Maps each field to its failed rules and their messages. Set if `code` is `validation_failed`. ' +
        'The response also contains each field map at its top level.',
      additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
};

const ERROR_CODE: Json = {
  type: 'string',
  description: 'Stable error code. Extensions can add their own codes.',
  enum: Object.keys(ERRORS),
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

/** When a later attempt can succeed, the response has the time. */
const later = (response: Json): Json => ({
  ...response,
  headers: {
    'Retry-After': { description: 'Seconds to wait before you retry.', schema: { type: 'integer' } },
  },
});

const RESPONSES: Json = {
  BadRequest: failure('The request body is malformed.', 'rest_invalid_json'),
  Unauthorized: failure(
    'You are not signed in, or the nonce is missing. Send it in the `X-WP-Nonce` header; `GET /nonce` returns one.',
    'rest_forbidden',
    401,
  ),
  Forbidden: failure('You lack the permission, or the nonce is invalid.', 'rest_forbidden'),
  NotFound: failure('No endpoint or record exists at this URL.', 'rest_no_route'),
  PreconditionFailed: failure(
    'The settings were changed after you read them. Read them again and repeat your change.',
    'settings_changed',
  ),
  Unprocessable: failure(
    'A field is invalid, or a rule of the program forbids the request.',
    'validation_failed',
  ),
  InProgress: later(
    failure('The first request with this idempotency key is still running.', 'idempotency_in_progress'),
  ),
  TooManyRequests: later(failure('Too many requests. Retry later.', 'rate_limited')),
  Busy: later(failure('The database is busy, or the connection was lost while saving. Retry later.', 'busy')),
};

const PARAMETERS: Json = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'ETag from reading the settings. The request fails if the settings have changed since. ' +
      'Without this header, the last write wins.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique text that you choose for this write. If you repeat the request with the same key and content, ' +
      'it has no second effect and returns the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

const SECURITY: Json = {
  nonce: {
    type: 'apiKey',
    in: 'header',
    name: 'X-WP-Nonce',
    description: "Nonce of the signed-in user, sent together with the host's own session.",
  },
  site: {
    type: 'apiKey',
    in: 'header',
    name: 'X-FA-Site-Id',
    description: 'ID of a connected site.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-FA-Signature',
    description: "Signature of the request with the site's token.",
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, or the token of a connected site together with its ID.',
  },
};
