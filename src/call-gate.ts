import type { Start } from './start.js';

/** Methods that answer at once, without the database. */
const IMMEDIATE: ReadonlySet<string> = new Set([
  'integrations.get',
  'integrations.intake',
  'integrations.keys',
  'integrations.list',
  'integrations.register',
  'integrations.settings.formParts',
  'migrations.resume',
  'payouts.methods',
  'permissions.allPermissionSets',
  'sites.connectConfig',
  'tracking.signConversion',
]);

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

/** The same for an object of such services. */
export function gatedAll<Apis extends object>(apis: Apis, gate: Gate): Apis {
  return Object.fromEntries(
    Object.entries(apis).map(([name, api]) => [name, gated(api as object, name, gate)]),
  ) as Apis;
}

function gatedCall(call: Call, path: string, gate: Gate): Call {
  if (IMMEDIATE.has(path)) return call;
  if (path === 'migrations.exportProgram') return gatedRows(call as () => AsyncIterable<unknown>, gate);
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
