/**
 * A deep copy of plain data (objects, lists, dates), frozen when asked. Anything with a class of its own (a
 * request, a function) is passed as it is. `__proto__` keys are omitted, so a returned value cannot reach a
 * prototype.
 */
export function copy<T>(value: T, freeze: boolean, seen: Map<object, unknown> = new Map()): T {
  if (typeof value !== 'object' || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known as T;
  if (Array.isArray(value)) return copyList(value, freeze, seen) as T;
  if (value instanceof Date) return new Date(value.getTime()) as T;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? copyMap(value, freeze, seen) : value;
}

function copyList(value: readonly unknown[], freeze: boolean, seen: Map<object, unknown>): unknown[] {
  const out: unknown[] = [];
  seen.set(value, out);
  for (const item of value) out.push(copy(item, freeze, seen));
  if (freeze) Object.freeze(out);
  return out;
}

function copyMap<T extends object>(value: T, freeze: boolean, seen: Map<object, unknown>): T {
  const out: Record<string, unknown> = {};
  seen.set(value, out);
  for (const [key, item] of Object.entries(value)) {
    if (key !== '__proto__') out[key] = copy(item, freeze, seen);
  }
  if (freeze) Object.freeze(out);
  return out as T;
}
