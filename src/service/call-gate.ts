import { MODULES } from '../app/modules.js';
import type { Start } from './start.js';

const pathsOf = (part: 'immediate' | 'rows'): string[] =>
  MODULES.flatMap((module) => module[part].map((method) => `${module.name}.${method}`));

/** Methods that return at once, without the database. */
const IMMEDIATE: ReadonlySet<string> = new Set([...pathsOf('immediate'), 'permissions.allPermissionSets']);
/** Methods that return rows one by one. */
const ROWS: ReadonlySet<string> = new Set(pathsOf('rows'));

type Gate = Pick<Start, 'isOpen' | 'forCall'>;
type Call = (...given: unknown[]) => unknown;

/**
 * Makes calls from code wait until the database is open; the first call opens it. After the service was
 * closed they fail with `service_closed`.
 */
export function gated<Api extends object>(api: Api, name: string, gate: Gate): Api {
  return new Proxy(api, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      const path = `${name}.${String(key)}`;
      if (typeof member === 'function') return gatedCall(member.bind(target) as Call, path, gate);
      return isService(member) ? gated(member, path, gate) : member;
    },
  });
}

/** Like `gated`, for an object of such services. */
export function gatedAll<Apis extends object>(apis: Apis, gate: Gate): Apis {
  const made = new Map<object, object>(); // a service with two names stays one object
  for (const [name, api] of Object.entries(apis) as [string, object][])
    if (!made.has(api)) made.set(api, gated(api, name, gate));
  return Object.fromEntries(
    Object.entries(apis).map(([name, api]) => [name, made.get(api as object)]),
  ) as Apis;
}

function gatedCall(call: Call, path: string, gate: Gate): Call {
  if (IMMEDIATE.has(path)) return call;
  if (ROWS.has(path)) return gatedRows(call as () => AsyncIterable<unknown>, gate);
  return (...given) => (gate.isOpen ? call(...given) : gate.forCall().then(() => call(...given)));
}

const gatedRows = (rows: () => AsyncIterable<unknown>, gate: Gate): Call =>
  async function* waiting() {
    await gate.forCall();
    yield* rows();
  };

/** A part of a service with methods of its own, such as `settings.features`. */
function isService(member: unknown): member is object {
  if (typeof member !== 'object' || member === null || Array.isArray(member)) return false;
  return Object.getPrototypeOf(member) !== Object.prototype;
}
