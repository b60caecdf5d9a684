import { readFileSync } from 'node:fs';
import type { Policy } from '../../src/platform/access/policies.js';
import type { Route } from '../../src/platform/http/define-route.js';

interface Operation {
  readonly section: string;
  readonly method: string;
  readonly paths: string[];
  readonly slash_forms: string[];
  readonly access: string;
}
interface Endpoints {
  readonly operations: Operation[];
  readonly mounted: string[];
}

/** One method and path of the specification, with the access it asks for. */
export interface Form {
  readonly form: string;
  readonly access: string;
}

const read = (): Endpoints =>
  JSON.parse(readFileSync(new URL('../endpoints.json', import.meta.url), 'utf8')) as Endpoints;

/** Every form of every operation of the specification. */
export const specForms = (): Form[] =>
  read().operations.flatMap(({ method, paths, slash_forms, access }) =>
    [...paths, ...slash_forms].map((path) => ({ form: `${method} ${path}`, access })),
  );

/** The forms that have answered before. */
export const formsMountedBefore = (): string[] => read().mounted;

/** Every form of a list of routes, in the notation of the specification. */
export const routeForms = (routes: readonly Route[]): Map<string, Route> =>
  new Map(
    routes.flatMap((route) =>
      route.paths.map(
        (path) => [`${route.method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, route] as const,
      ),
    ),
  );

/** A policy in the notation of the specification. */
export function accessText(policy: Policy): string {
  if (policy.kind === 'section') return `AFF-CAP(fa_view_${policy.section})`;
  return policy.kind === 'signed_in' ? 'AUTH' : policy.kind.toUpperCase();
}
