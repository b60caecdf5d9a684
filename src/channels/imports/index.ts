import { defineModule } from '../../platform/module.js';
import { migrationRoutes } from './routes.js';
import { MigrationsService } from './service.js';

export { type RunOptions } from './service.js';
export { defineMigrator, type MigratorDefinition, type StageReader } from './define-migrator.js';
export { csvMigrator, type CsvFile, type CsvSource } from './sources/csv.js';
export { wordpressMigrators, type WordpressSource } from './sources/wordpress.js';
export { ALIAS_KINDS, STAGES } from './types.js';
export type * from './types.js';

export const migrations = defineModule({
  name: 'migrations',
  Service: MigrationsService,
  routes: [...migrationRoutes],
  jobs: [
    {
      name: 'imports',
      everyMs: 0,
      isDue: (service) => service.isDue(),
      run: async (service) => service.resume(),
    },
  ],
});
