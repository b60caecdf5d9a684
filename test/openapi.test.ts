import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { Route } from '../src/http/define-route.js';
import { openapi } from '../src/http/openapi.js';
import { allRoutes } from '../src/http/routes.js';
import { fixtureRoutes } from './http/routes-fixture.js';

const INFO = {
  title: 'Affiliate service',
  version: '1.0.0',
  serverUrl: 'https://shop.test/wp-json/affiliate-service/v2',
};
interface Operation {
  readonly 'x-alias-of'?: string;
}
type Document = { paths: Record<string, Record<string, Operation>> };
const documentOf = (routes: readonly Route[]): Document => openapi(routes, INFO) as unknown as Document;
const openPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

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

  it('uses only keywords of JSON Schema', () => {
    const text = JSON.stringify(documentOf(routes));
    for (const keyword of ['clean', 'lenient', 'flag', 'money', 'httpUrl'])
      expect(text).not.toContain(`"${keyword}":true`);
    expect(text).not.toContain('"lenient":');
  });
});
