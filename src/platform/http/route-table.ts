import type { Route } from './define-route.js';

export interface MountedPath<A> {
  readonly route: Route<A>;
  readonly path: string;
}

/** A route that matches a request's address, and the values of its parameters. */
export interface Match<A> {
  readonly route: Route<A>;
  readonly params: Readonly<Record<string, string>>;
}

interface Entry<A> {
  readonly route: Route<A>;
  /** Without the first one; literal ones in lower case. */
  readonly segments: readonly string[];
}

/** Finds routes by their method, the first segment and the number of segments. The first one is never a parameter. */
export class RouteTable<A> {
  readonly #entries = new Map<string, Entry<A>[]>();

  constructor(routes: readonly Route<A>[]) {
    for (const { route, path } of inMatchingOrder(routes)) {
      const [first = '', ...segments] = segmentsOf(path);
      const key = keyOf(route.method, first, segments);
      const entry = { route, segments: segments.map((each) => (isParam(each) ? each : each.toLowerCase())) };
      this.#entries.set(key, [...(this.#entries.get(key) ?? []), entry]);
    }
  }

  /**
   * The routes that have this address, literal segments before parameters. Letters of any case and one slash at
   * the end make no difference. A segment that cannot be decoded is a URIError.
   */
  *find(method: string, target: string): Generator<Match<A>> {
    const [first = '', ...segments] = segmentsOf(target.split(/[?#]/u, 1)[0] ?? '');
    const verb = method === 'HEAD' ? 'GET' : method;
    for (const entry of this.#entries.get(keyOf(verb, first, segments)) ?? [])
      if (entry.segments.every((wanted, at) => fits(wanted, segments[at]!)))
        yield { route: entry.route, params: paramsOf(entry.segments, segments) };
  }
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/u, '').split('/').slice(1);
const keyOf = (method: string, first: string, { length }: readonly string[]): string =>
  `${method} ${first} ${length}`.toLowerCase();
const isParam = (segment: string): boolean => segment.startsWith(':');
const fits = (wanted: string, given: string): boolean =>
  isParam(wanted) ? given !== '' : given.toLowerCase() === wanted;

function paramsOf(wanted: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of wanted.entries())
    if (isParam(name)) params[name.slice(1)] = decodeURIComponent(given[at]!);
  return params;
}

/**
 * Every path of every route, literal segments before parameters, so that `/affiliates/export`
 * wins over `/affiliates/:id`.
 */
export function inMatchingOrder<A>(routes: readonly Route<A>[]): MountedPath<A>[] {
  return routes
    .flatMap((route) => route.paths.map((path) => ({ route, path })))
    .map((mounted) => ({
      mounted,
      key: mounted.path
        .split('/')
        .map((segment) => (isParam(segment) ? '1' : '0'))
        .join(''),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ mounted }) => mounted);
}
