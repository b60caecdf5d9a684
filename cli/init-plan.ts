export const FRAMEWORKS = ['express', 'fastify', 'koa', 'nest', 'next', 'node'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Plan {
  readonly framework: Framework;
  readonly ids: 'text' | 'integer';
  /** A SQLite file, `postgres://…` or `mysql://…`. */
  readonly database: string;
  readonly language: 'typescript' | 'javascript';
}

/** What differs between the two languages. */
export interface Writing {
  /** How files end, and how they are imported: TypeScript that Node runs as it is names its files. */
  readonly end: '.ts' | '.mjs';
  /** A piece of TypeScript; nothing in JavaScript. */
  readonly type: (text: string) => string;
}
