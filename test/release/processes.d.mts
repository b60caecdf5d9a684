/** A process that is killed or asked. */
export class Child {
  constructor(file?: URL, env?: Readonly<Record<string, string>>);
  next(): Promise<unknown>;
  ask<T>(order: { readonly do: string } & Readonly<Record<string, unknown>>): Promise<T>;
  kill(): Promise<void>;
}
