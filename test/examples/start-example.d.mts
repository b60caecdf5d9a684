export interface RunningExample {
  readonly url: string;
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}
export function startExample(name: string, env?: Readonly<Record<string, string>>): Promise<RunningExample>;
