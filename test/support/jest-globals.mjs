// What `@jest/globals` stands for in plain Node, loaded anew for each file of tests.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
