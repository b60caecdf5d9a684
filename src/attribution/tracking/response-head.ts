import type { OutgoingHttpHeader, ServerResponse } from 'node:http';

/** The headers that a call of `writeHead` names, and the same call without some of them. */
export interface HeadCall {
  /** The values given for a header; nothing when the call does not name it. */
  values(name: string): string[];
  /** The headers that the call names, in lower case. */
  readonly names: ReadonlySet<string>;
}

/**
 * Runs `change` just before the head of a response is written. `change` may set headers on the response;
 * those whose names it returns are taken out of the call, so that they do not replace what was set.
 */
export function beforeHead(res: ServerResponse, change: (call: HeadCall) => Iterable<string>): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse;
  res.writeHead = (...args: unknown[]) => {
    if (res.headersSent) return writeHead(...args);
    const removed = new Set(change(callOf(args)));
    return writeHead(...args.map((arg) => without(arg, removed)));
  };
}

/** The values of a header that was set, as a list. */
export const asList = (value: OutgoingHttpHeader | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];

function callOf(args: readonly unknown[]): HeadCall {
  const entries = args.filter(isHeaders).flatMap(entriesOf);
  return {
    names: new Set(entries.map(([name]) => name.toLowerCase())),
    values: (wanted) =>
      entries
        .filter(([name]) => name.toLowerCase() === wanted)
        .flatMap(([, value]) => asList(value as OutgoingHttpHeader | undefined)),
  };
}

const isHeaders = (arg: unknown): arg is object => typeof arg === 'object' && arg !== null;

/** `writeHead` accepts headers as an object, as pairs, or as alternating names and values. */
function entriesOf(arg: object): [string, unknown][] {
  if (!Array.isArray(arg)) return Object.entries(arg);
  if (arg.every((each) => Array.isArray(each))) return arg as [string, unknown][];
  return arg.flatMap((name, at) => (at % 2 === 0 ? [[String(name), arg[at + 1]] as [string, unknown]] : []));
}

function without(arg: unknown, removed: ReadonlySet<string>): unknown {
  if (!isHeaders(arg)) return arg;
  const kept = entriesOf(arg).filter(([name]) => !removed.has(name.toLowerCase()));
  return Array.isArray(arg) ? kept.flat() : Object.fromEntries(kept);
}
