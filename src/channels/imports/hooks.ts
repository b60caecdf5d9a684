import { isCollection, isFiniteNumber, isMap } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const importHooks = defineHooks(
  {
    migrators: filter<DataMap | readonly unknown[]>([], 'The import sources, each `{name, slug}`.', {
      check: isCollection,
    }),
    get_migration_statistics: mapFilter<[slug: string]>(
      ['slug'],
      'The number of rows of each kind in the source, and the number already imported.',
      { check: isMap, shown: true },
    ),
    get_current_data_counts: mapFilter(
      [],
      'The number of rows of each kind that deleting all data would remove.',
      {
        check: isMap,
        shown: true,
      },
    ),
    wipe_current_data: after<[]>([], 'All data was deleted.'),
    max_execution_time: filter<number>([], 'Seconds a long job can run before it pauses.', {
      check: isFiniteNumber,
    }),
  },
  {
    'import.sources': 'migrators',
    'import.statistics': 'get_migration_statistics',
    'import.current_counts': 'get_current_data_counts',
    'program.wiped': 'wipe_current_data',
    'job.max_seconds': 'max_execution_time',
  },
);
