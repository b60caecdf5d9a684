/** What a map holds under a name that came from outside; `toString` and the like, which every object has, are nothing. */
export const own = <T>(map: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;
