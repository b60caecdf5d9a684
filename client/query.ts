/** Path with its parameters filled in; throws when one is missing. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === null || value === '')
      throw new TypeError(`The path parameter "${name}" is missing.`);
    return encodeURIComponent(String(value));
  });
}

/** `?a=1&list[]=2&filters[key][value]=3`, or nothing. Undefined, null and empty text are omitted. */
export function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) append(pairs, name, value);
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

function append(pairs: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null || value === '') return;
  if (Array.isArray(value)) for (const entry of value) append(pairs, `${name}[]`, entry);
  else if (typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) append(pairs, `${name}[${key}]`, inner);
  else pairs.append(name, `${value as string | number | boolean}`);
}
