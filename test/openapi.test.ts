import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Route } from '../src/platform/http/define-route.js';
import { openapi } from '../src/platform/http/openapi.js';
import { eventWebhooks } from '../src/channels/webhooks/index.js';
import { allRoutes } from '../src/app/routes.js';
import { fixtureRoutes } from './http/routes-fixture.js';

const INFO = {
  title: 'Affiliate service',
  version: '1.0.0',
  contact: { name: 'Shop', url: 'https://shop.test' },
  serverUrl: 'https://shop.test/wp-json/affiliate-service/v2',
};
interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly 'x-alias-of'?: string;
}
type Document = { paths: Record<string, Record<string, Operation>> };
const documentOf = (routes: readonly Route[]): Document => openapi(routes, INFO) as unknown as Document;
const openPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** Maps of the administrator's own questions, of shops, of extensions and of older rows. */
const OPEN = [
  'after',
  'before',
  'condition',
  'custom_fields',
  'facts',
  'filters',
  'order',
  'previous',
  'rules',
  'settings',
  'when',
];

describe.each([
  ['the fixture', fixtureRoutes],
  ['the service', allRoutes()],
])('OpenAPI document of %s', (_name, routes) => {
  it('is valid OpenAPI 3.1 in the eyes of an independent validator', async () => {
    const result = await new Validator().validate(
      structuredClone(JSON.parse(JSON.stringify(documentOf(routes)))),
    );
    expect(result).toEqual({ valid: true });
  });

  it('describes every path of every route, aliases marked, and nothing else', () => {
    const { paths } = documentOf(routes);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { 'x-alias-of': of }]) => `${method} ${path} ${of ?? ''}`),
    );
    const declared = routes.flatMap(({ method, paths: [first, ...aliases] }) => [
      `${method} ${openPath(first)} `,
      ...aliases.map((alias) => `${method} ${openPath(alias)} ${openPath(first)}`),
    ]);
    expect(described.sort()).toEqual(declared.sort());
  });

  it('gives every operation the declared tag, with which its id begins', () => {
    const tags = Object.values(documentOf(routes).paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId, tags: [tag] }) => [operationId.split('.')[0], tag]),
    );
    expect(tags.filter(([first, tag]) => first !== tag)).toEqual([]);
    expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set(routes.map(({ tag }) => tag)));
  });

  it('uses only keywords of JSON Schema', () => {
    const text = JSON.stringify(documentOf(routes));
    for (const keyword of ['clean', 'lenient', 'flag', 'money', 'httpUrl'])
      expect(text).not.toContain(`"${keyword}":true`);
    expect(text).not.toContain('"lenient":');
  });
});

interface SchemaNode {
  readonly type?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
}
interface Content {
  readonly content: Readonly<Record<string, { readonly schema: SchemaNode }>>;
}
interface Sent {
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: object; readonly example: unknown } };
  };
}
interface Described extends Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name?: string;
    readonly required?: boolean;
    readonly schema?: SchemaNode;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<number, Content>>;
}

describe('what the document says of the service', () => {
  const { paths, components } = openapi(allRoutes(), INFO) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> };
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

  it('asks for no parameter that has a default', () => {
    const asked = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ required, schema }) => required && schema?.default !== undefined)
        .map(({ name }) => `${operationId}: ${name}`),
    );
    expect(asked).toEqual([]);
  });

  it('names the records and the errors', () => {
    const { schemas } = components;
    const known = [
      'Affiliate',
      'Creative',
      'Customer',
      'Group',
      'Payout',
      'Referral',
      'Transaction',
      'Visit',
    ];
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(known));
    expect(schemas['Error']?.properties?.['code']?.$ref).toBe('#/components/schemas/ErrorCode');
    expect(schemas['ErrorCode']?.enum).toContain('referral_paid');
    expect(schemas['Referral']?.properties?.['status']?.enum).toContain('unpaid');
  });

  it('offers an Idempotency-Key where a repeat has one effect, and describes a busy database everywhere', () => {
    const keyed = operations
      .filter(({ parameters }) => JSON.stringify(parameters).includes('IdempotencyKey'))
      .map(({ operationId }) => operationId);
    expect(keyed).toEqual(expect.arrayContaining(['referrals.create', 'payouts.process']));
    expect(keyed).not.toContain('sites.issue');
    expect(keyed).not.toContain('referrals.list');
    expect(operations.filter(({ responses }) => responses[503] === undefined)).toEqual([]);
  });

  it('describes the events that are sent: the example of each fits its schema', () => {
    const webhooks = eventWebhooks() as Readonly<Record<string, { readonly post: Sent }>>;
    const ajv = new Ajv2020({ strict: false, logger: false });
    const wrong = Object.entries(webhooks).flatMap(([type, { post }]) => {
      const { schema, example } = post.requestBody.content['application/json'];
      const fits = ajv.compile({ ...schema, components });
      return fits(example) ? [] : [`${type}: ${ajv.errorsText(fits.errors)}`];
    });
    expect(wrong).toEqual([]);
    expect(Object.keys(webhooks).length).toBeGreaterThan(25);
  });

  it('names what each operation takes and answers, for generated clients', () => {
    const isInline = (content: Content | undefined): boolean => {
      const schema = content?.content['application/json']?.schema;
      return schema?.type === 'object' && schema.properties !== undefined;
    };
    const inline = operations.filter((each) => isInline(each.requestBody) || isInline(each.responses[200]));
    expect(inline).toEqual([]);
    const { GroupsListResponse: listed, GroupsCreateRequest: asked } = components.schemas;
    expect(Object.keys(listed?.properties ?? {})).toEqual(['groups']);
    expect(Object.keys(asked?.properties ?? {})).toContain('meta_key');
  });

  it('holds none of our own keywords', () => {
    expect(/"(?:clean|lenient|words)":/u.exec(JSON.stringify([paths, components]))?.[0]).toBeUndefined();
  });

  it('leaves open only what nobody fixes', () => {
    const open = new Set<string>();
    const look = (schema: SchemaNode | boolean | undefined, name: string): void => {
      if (schema === undefined || typeof schema === 'boolean') return;
      if (isOpen(schema)) open.add(name);
      for (const [key, inner] of Object.entries(schema.properties ?? {})) look(inner, key);
      for (const inner of schema.anyOf ?? []) look(inner, name);
      look(schema.items, name);
      look(schema.additionalProperties, name);
    };
    for (const [name, schema] of Object.entries(components.schemas)) look(schema, name);
    for (const { operationId, requestBody, responses } of operations) {
      look(requestBody?.content['application/json']?.schema, operationId);
      look(responses[200]?.content['application/json']?.schema, operationId);
    }
    expect([...open].sort()).toEqual(OPEN);
  });
});

function isOpen({ type, properties, additionalProperties, anyOf, enum: values, $ref }: SchemaNode): boolean {
  if (type === undefined) return anyOf === undefined && values === undefined && $ref === undefined;
  return type === 'object' && properties === undefined && additionalProperties === true;
}
