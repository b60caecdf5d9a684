export { defineMigrator, type MigratorDefinition, type StageReader } from './define-migrator.js';
export { wordpressMigrators, type WordpressSource } from './wordpress.js';
