/** What a suite needs of a test runner; `describe` and `it` of Jest, Vitest and node:test fit. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
}
