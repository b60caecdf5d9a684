import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Route } from '../../src/platform/http/define-route.js';
import { inMatchingOrder } from '../../src/platform/http/route-table.js';
import { addKeywords } from '../../src/platform/http/keywords.js';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

// The schemas themselves are checked by test/openapi.test.ts; each is compiled once per process, for few answers.
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});
addKeywords(ajv);

/** Does a 2xx answer fit what its route declares? Throws with the first differences. */
export class AnswerCheck {
  readonly #matchers: readonly { readonly route: Route; readonly pattern: RegExp }[];

  constructor(routes: readonly Route[]) {
    this.#matchers = inMatchingOrder(routes).map(({ route, path }) => ({ route, pattern: patternOf(path) }));
  }

  /** The route that serves a method and a path below the base path. */
  find(method: string, path: string): Route | undefined {
    const bare = path.split('?')[0]?.replace(/\/$/, '') ?? '';
    return this.#matchers.find(
      ({ route, pattern }) => route.method === method.toLowerCase() && pattern.test(bare),
    )?.route;
  }

  /** For a client: checks what it got, if it is JSON of a route we know. */
  checkResponse(method: string, path: string, { status, type, body }: Answer): void {
    const route = status === 200 && type === 'application/json' ? this.find(method, path) : undefined;
    if (route) this.check(route, body);
  }

  check(route: Route, body: unknown): void {
    const validate: ValidateFunction = ajv.compile(route.response); // once per schema
    if (validate(body)) return;
    const failures = (validate.errors ?? []).slice(0, 5).map(text).join('\n');
    throw new Error(`${route.id}: the answer does not match its schema:\n${failures}`);
  }
}

// Ids are digits; other parameters are one segment.
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'id' || name.endsWith('_id') ? '\\d+' : '[^/]+'))}$`,
    'i',
  );

const text = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;
