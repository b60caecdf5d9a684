export { migrationRoutes } from './routes.js';
export { MigrationsService, type RunOptions } from './service.js';
export { defineMigrator, type MigratorDefinition, type StageReader } from './define-migrator.js';
export { csvMigrator, type CsvFile, type CsvSource } from './sources/csv.js';
export { wordpressMigrators, type WordpressSource } from './sources/wordpress.js';
export { ALIAS_KINDS, STAGES } from './types.js';
export type * from './types.js';
