export { migrationRoutes } from './routes.js';
export { MigrationsService, type RunOptions } from './service.js';
export { csvMigrator, type CsvFile, type CsvSource } from './sources/csv.js';
export { wordpressMigrators, type WordpressSource } from './sources/wordpress.js';
export type * from './types.js';
