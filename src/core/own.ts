/**
 * The value a map holds under a name that came from outside. Names that every object has, such as `toString`,
 * have none.
 */
export const own = <T>(map: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;
