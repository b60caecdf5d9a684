import { createContext, useContext } from 'react';
import { ApiError } from '../../shared/data.js';
import { sentence } from '../../shared/texts.js';
import { howToWrite } from '../../shared/typed.js';

/** What is wrong with a rule or with the levels, by the place in it, such as `reward/value`. */
export type Faults = Readonly<Record<string, string>>;

/** Faults of the service come by JSON pointer: `/rules/3/when/value` belongs to rule 3. */
export function faultsIn(error: unknown, start: string): Faults {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    Object.entries(error.errors)
      .filter(([pointer]) => pointer === start || pointer.startsWith(`${start}/`))
      .map(([pointer, rules]) => [pointer.slice(start.length + 1), textOf(rules)]),
  );
}

const textOf = (rules: Readonly<Record<string, string>>): string =>
  'numeric' in rules ? howToWrite('%') : sentence(Object.values(rules)[0] ?? '');

/** Does every fault of the answer belong to a rule or to the levels? */
export const areAllPlaced = (error: unknown): boolean =>
  error instanceof ApiError &&
  Object.keys(error.errors).length > 0 &&
  Object.keys(error.errors).every((pointer) => /^\/(?:rules\/\d+|levels)(?:\/|$)/u.test(pointer));

const isAt = (place: string, field: string): boolean => place === field || place.startsWith(`${field}/`);

/** The fault of a field, and of everything in it. */
export const faultAt = (faults: Faults, field: string): string | undefined =>
  Object.entries(faults).find(([place]) => isAt(place, field))?.[1];

/** The faults that belong to none of these fields. */
export const faultsBeside = (faults: Faults, fields: readonly string[]): readonly string[] => [
  ...new Set(
    Object.entries(faults)
      .filter(([place]) => !fields.some((field) => isAt(place, field)))
      .map(([, text]) => text),
  ),
];

/** The faults of the rule or the levels whose fields are inside. */
export const FaultsContext = createContext<Faults>({});

/** Returns the fault of a field by its place. */
export function useFaults(): (field: string) => string | undefined {
  const faults = useContext(FaultsContext);
  return (field) => faultAt(faults, field);
}
