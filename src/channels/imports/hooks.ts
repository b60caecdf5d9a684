import { isCollection, isFiniteNumber, isMap } from '../../platform/hooks/checks.js';
import { after, defineHooks, filter, mapFilter, type DataMap } from '../../platform/hooks/line.js';

export const importHooks = defineHooks(
  {
    migrators: filter<DataMap | readonly unknown[]>(
      [],
      'The systems that data can be imported from, each `{name, slug}`.',
      { check: isCollection },
    ),
    get_migration_statistics: mapFilter<[slug: string]>(
      ['slug'],
      'How many rows of each kind the other system has, and how many were imported.',
      { check: isMap, shown: true },
    ),
    get_current_data_counts: mapFilter(
      [],
      'How many rows of each kind a wipe would delete, shown before it.',
      {
        check: isMap,
        shown: true,
      },
    ),
    wipe_current_data: after<[]>([], 'All tables were emptied.'),
    max_execution_time: filter<number>([], 'Seconds a long job may work before it pauses.', {
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
