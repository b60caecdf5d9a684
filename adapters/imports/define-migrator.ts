import { STAGES } from '../../src/core/imports/stages.js';
import type { Migrator, SourcePage, Stage, StageRows } from '../imports.js';

/** How a migrator reads the rows of one stage. */
export interface StageReader<R> {
  count(): number | Promise<number>;
  /** A page of at most `limit` rows after the cursor; null is the beginning. */
  page(cursor: string | null, limit: number): SourcePage<R> | Promise<SourcePage<R>>;
}

export interface MigratorDefinition extends Omit<Migrator, 'isAvailable' | 'counts' | 'migrate'> {
  /** Whether there is something to import. Default: yes. */
  isAvailable?(): Promise<boolean>;
  /** A reader for each stage that the source has. */
  readonly stages: { readonly [S in Stage]?: StageReader<StageRows[S]> };
}

/**
 * Returns a `Migrator` of readers for its stages (docs/extensions.md), for the option `migrators` or an extension.
 * Stages without a reader are empty.
 */
export function defineMigrator({ stages, ...more }: MigratorDefinition): Migrator {
  return {
    isAvailable: async () => true,
    ...more,
    counts: async () => {
      const counts = await Promise.all(
        STAGES.map(async (stage) => [stage, (await stages[stage]?.count()) ?? 0] as const),
      );
      return Object.fromEntries(counts);
    },
    migrate: async <S extends Stage>(stage: S, cursor: string | null, limit: number) => {
      const reader: StageReader<StageRows[S]> | undefined = stages[stage];
      return reader === undefined ? { rows: [], nextCursor: null, done: true } : reader.page(cursor, limit);
    },
  };
}
