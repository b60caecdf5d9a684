import { readId } from '../core/id.js';

// What a module lets hosts call is a choice of its service's methods: `api: (service) => only(service, ['list'])`.

/** Default query of a list. */
export const FIRST_PAGE = { page: 1, per_page: 20, search: '', order_by: '', order_type: 'DESC' } as const;

const wholeQuery = (query: unknown): object => ({
  ...FIRST_PAGE,
  ...Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== undefined)),
});

/** Lists: every part of their query is optional. */
type Lists<Service, Name extends keyof Service> = {
  readonly [Each in Name]: Service[Each] extends (query: infer Query, ...rest: infer Rest) => infer Answer
    ? (query?: Partial<Query>, ...rest: Rest) => Answer
    : never;
};

/** Like `Lists`, for lists of what belongs to one record. */
type ListsOf<Service, Name extends keyof Service> = {
  readonly [Each in Name]: Service[Each] extends (id: number, query: infer Query) => infer Answer
    ? (id: number, query?: Partial<Query>) => Answer
    : never;
};

/**
 * Methods whose first arguments are ids. A value that cannot be an id is treated like the id of no record.
 */
export function byId<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
  ids: 1 | 2 = 1,
): Pick<Service, Name> {
  const checked = changed(
    service,
    names,
    (member) =>
      (...given) =>
        member(...Array.from({ length: ids }, (_, at) => idOf(given[at])), ...given.slice(ids)),
  );
  return checked as Pick<Service, Name>;
}

/** Like `byId`, for methods that take a list of ids. */
export function byMany<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Pick<Service, Name> {
  const checked = changed(
    service,
    names,
    (member) => (ids) => member([...(ids as Iterable<unknown>)].map(idOf)),
  );
  return checked as Pick<Service, Name>;
}

/** 0 is the id of no record. */
export const idOf = (given: unknown): number => readId(given) ?? 0;

type Call = (...given: readonly unknown[]) => unknown;

export function lists<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Lists<Service, Name> {
  const lenient = changed(
    service,
    names,
    (list) =>
      (query, ...rest) =>
        list(wholeQuery(query), ...rest),
  );
  return lenient as Lists<Service, Name>;
}

export function listsOf<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): ListsOf<Service, Name> {
  const lenient = changed(service, names, (list) => (id, query) => list(idOf(id), wholeQuery(query)));
  return lenient as ListsOf<Service, Name>;
}

function changed<Service extends object>(
  service: Service,
  names: readonly (keyof Service)[],
  change: (member: Call) => Call,
): object {
  return Object.fromEntries(names.map((name) => [name, change((service[name] as Call).bind(service))]));
}

export function only<Service extends object, Name extends keyof Service>(
  service: Service,
  names: readonly Name[],
): Pick<Service, Name> {
  const members = names.map((name) => {
    const member = service[name];
    return [name, typeof member === 'function' ? (member.bind(service) as unknown) : member];
  });
  return Object.fromEntries(members) as Pick<Service, Name>;
}
