import type { Static, TSchema } from 'typebox';
import { pageEnvelope, type ExportPages, type Page } from '../../core/page.js';
import type { Policy } from '../access/policies.js';
import type { Call, Route, RouteSpec } from './define-route.js';
import { exportRows, type ExportSource } from './export.js';
import { exportOf, idParams, object, pageOf, string } from './schema.js';

// The usual routes of a record, declared by what differs between records. A route that differs more is declared
// by `defineRoute` beside them.

type Paths = RouteSpec<never, TSchema, TSchema, TSchema, TSchema>['paths'];
type RouteName = Pick<Route, 'id' | 'summary'>;
/** What a route of a resource may say about its requests. */
type More<A> = Partial<Pick<Route<A>, 'accepts' | 'formParts'>>;

/** A list: one page of rows below their name, as in `{ visits: { data: [...] } }`. */
export interface PageSpec<A, P extends TSchema, Q extends TSchema, R extends TSchema> extends RouteName {
  readonly paths: Paths;
  readonly access: Policy;
  readonly params?: P;
  readonly query: Q;
  readonly name: string;
  readonly row: R;
  readonly page: (call: Call<A, Static<P>, Static<Q>>) => Promise<Page<Static<R>>>;
}

/** What `ListsSpec` declares routes for. */
export interface Lists<Query, Row, Totals> {
  list(query: Query): Promise<Page<Row>>;
  totals?(query: Query): Promise<Totals>;
  export(query: Query): Promise<ExportPages>;
}

/** A list, its totals and its export: the same rows in three forms. */
export interface ListsSpec<A, Q extends TSchema, R extends TSchema, T extends TSchema> {
  readonly paths: Paths;
  readonly access: Policy;
  readonly name: string;
  readonly row: R;
  readonly query: Q;
  readonly of: (call: Call<A>) => Lists<Static<Q>, Static<R>, Static<T>>;
  readonly list: RouteName;
  /** `GET …/totals`. */
  readonly totals?: RouteName & { readonly schema: T };
  /** `GET …/export`. */
  readonly export: RouteName &
    Pick<ExportSource, 'columns' | 'escaped' | 'forReaders'> & {
      /** Where the cells of the JSON form have types of their own. */
      readonly response?: TSchema;
    };
}

/** What `RecordSpec` declares routes for. `present` makes the record of an answer. */
export interface Records<Stored, Create, Update, Shown> {
  create(input: Create): Promise<Stored>;
  get(id: number): Promise<Stored>;
  update(id: number, input: Update): Promise<Stored>;
  remove(id: number): Promise<unknown>;
  present(record: Stored): Shown | Promise<Shown>;
}

/** Routes that create, show, change and delete one record, which answers hold below its name. */
export interface RecordsSpec<A, C extends TSchema, U extends TSchema, R extends TSchema, Stored> {
  readonly paths: Paths;
  readonly access: Policy;
  readonly name: string;
  readonly record: R;
  readonly of: (call: Call<A>) => Records<Stored, Static<C>, Static<U>, Static<R>>;
  readonly create: RouteName & More<A> & { readonly body: C; readonly message: string };
  readonly get: RouteName;
  readonly update: RouteName & More<A> & { readonly body: U; readonly message: string };
  readonly remove: RouteName & { readonly message: string };
}

/** Makes the usual routes with this tag, whose handlers call the modules of `A`. */
export const resourcesFor = <A>(tag: string) => ({
  page: <Q extends TSchema, R extends TSchema, const P extends TSchema = TSchema>(
    spec: PageSpec<A, P, Q, R>,
  ): Route<A> => ({ tag, ...pageRoute(spec) }),

  /** In the order in which the routes are declared. */
  lists: <Q extends TSchema, R extends TSchema, T extends TSchema = TSchema>(
    spec: ListsSpec<A, Q, R, T>,
  ): Route<A>[] => inOrder(spec, listRoutes(spec)).map((route) => ({ tag, ...route })),

  records: <C extends TSchema, U extends TSchema, R extends TSchema, Stored>(
    spec: RecordsSpec<A, C, U, R, Stored>,
  ): Route<A>[] => inOrder(spec, recordRoutes(spec)).map((route) => ({ tag, ...route })),
});

type Untagged<A> = Omit<Route<A>, 'tag'>;

const inOrder = <A>(spec: object, routes: Readonly<Record<string, Untagged<A>>>): Untagged<A>[] =>
  Object.keys(spec).flatMap((name) => routes[name] ?? []);

function pageRoute<A, P extends TSchema, Q extends TSchema, R extends TSchema>({
  name,
  row,
  page,
  ...spec
}: PageSpec<A, P, Q, R>): Untagged<A> {
  return {
    ...spec,
    method: 'get',
    response: object({ [name]: pageOf(row) }),
    handler: async (call: Call<A, Static<P>, Static<Q>>) => ({
      [name]: pageEnvelope(call.request.url, await page(call)),
    }),
  };
}

function listRoutes<A, Q extends TSchema, R extends TSchema, T extends TSchema>(
  spec: ListsSpec<A, Q, R, T>,
): Record<string, Untagged<A>> {
  const { paths, access, name, row, query, of, totals } = spec;
  const { columns, escaped, forReaders, response, ...exported } = spec.export;
  type QueryCall = Call<A, unknown, Static<Q>>;
  return {
    list: pageRoute({
      ...spec.list,
      paths,
      access,
      name,
      row,
      query,
      page: (call) => of(call).list(call.query),
    }),
    ...(totals && {
      totals: {
        id: totals.id,
        method: 'get',
        paths: below(paths, '/totals'),
        access,
        summary: totals.summary,
        query,
        response: object({ totals: totals.schema }),
        handler: async (call: QueryCall) => ({ totals: await of(call).totals?.(call.query) }),
      },
    }),
    export: {
      ...exported,
      method: 'get',
      paths: below(paths, '/export'),
      access,
      query,
      response: response ?? exportOf(name, columns),
      files: ['text/csv'],
      handler: async (call: QueryCall) =>
        exportRows({
          name,
          columns,
          ...(escaped && { escaped }),
          ...(forReaders && { forReaders }),
          ...(await of(call).export(call.query)),
        }),
    },
  };
}

function recordRoutes<A, C extends TSchema, U extends TSchema, R extends TSchema, Stored>(
  spec: RecordsSpec<A, C, U, R, Stored>,
): Record<string, Untagged<A>> {
  const { paths, access, name, record, of } = spec;
  const { message: created, ...create } = spec.create;
  const { message: updated, ...update } = spec.update;
  const { message: removed, ...remove } = spec.remove;
  const saved = object({ [name]: record, message: string });
  const one = { paths: below(paths, '/:id'), access, params: idParams };
  type IdCall = Call<A, Static<typeof idParams>>;
  return {
    create: {
      ...create,
      method: 'post',
      paths,
      access,
      response: saved,
      handler: async (call: Call<A, unknown, unknown, Static<C>>) => {
        const records = of(call);
        return { [name]: await records.present(await records.create(call.body)), message: created };
      },
    },
    get: {
      ...spec.get,
      ...one,
      method: 'get',
      response: object({ [name]: record }),
      handler: async (call: IdCall) => {
        const records = of(call);
        return { [name]: await records.present(await records.get(call.params.id)) };
      },
    },
    update: {
      ...update,
      ...one,
      method: 'patch',
      response: saved,
      handler: async (call: Call<A, Static<typeof idParams>, unknown, Static<U>>) => {
        const records = of(call);
        const stored = await records.update(call.params.id, call.body);
        return { [name]: await records.present(stored), message: updated };
      },
    },
    remove: {
      ...remove,
      ...one,
      method: 'delete',
      response: object({ message: string }),
      handler: async (call: IdCall) => {
        await of(call).remove(call.params.id);
        return { message: removed };
      },
    },
  };
}

const below = ([first, ...aliases]: Paths, end: `/${string}`): Paths => [
  `${first}${end}`,
  ...aliases.map((path) => `${path}${end}` as const),
];
