export const FRAMEWORKS = ['express', 'fastify', 'koa', 'nest', 'next', 'node', 'payload'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Plan {
  readonly framework: Framework;
  readonly ids: 'text' | 'integer';
  /** A SQLite file, `postgres://…` or `mysql://…`. */
  readonly database: string;
  readonly language: 'typescript' | 'javascript';
}

/** What differs between TypeScript and JavaScript. */
export interface LanguageStyle {
  /** The ending of files, also in imports: Node runs TypeScript as it is, so imports name the file. */
  readonly end: '.ts' | '.mjs';
  /** Text that only TypeScript needs; empty for JavaScript. */
  readonly type: (text: string) => string;
}
