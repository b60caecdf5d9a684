type Declare = (name: string, body: (...context: readonly unknown[]) => Promise<void>) => unknown;

/** What a suite needs of a test runner; `describe` and `it` of Jest, Vitest and node:test fit. */
export interface TestApi {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: Declare & { readonly skip?: Declare };
}
