import { isCollection, isMap } from '../../platform/hooks/checks.js';
import { defineHooks, filter, type DataMap } from '../../platform/hooks/line.js';

export const reportHooks = defineHooks(
  {
    dashboard_stats: filter<DataMap, [query: DataMap]>(['query'], 'The figures of the dashboard.', {
      check: isMap,
      shown: true,
    }),
    'dashboard_{provider}_stats': filter<DataMap, [query: DataMap]>(
      ['query'],
      'The figures of one report provider.',
      { check: isMap, shown: true },
    ),
    advanced_report_providers: filter<DataMap | readonly unknown[]>([], 'Additional report providers.', {
      check: isCollection,
      shown: true,
    }),
  },
  {
    'report.dashboard': 'dashboard_stats',
    'report.dashboard.{provider}': 'dashboard_{provider}_stats',
    'report.providers': 'advanced_report_providers',
  },
);
