// A knex instance of the host, as far as the service uses it, for hosts that have no knex.

/* eslint-disable @typescript-eslint/no-explicit-any */
export interface Knex {
  (table: string): any;
  readonly client: any;
  readonly schema: any;
  raw(sql: string, ...bindings: any[]): any;
  transaction(...given: any[]): any;
  destroy(): Promise<void>;
}
export declare namespace Knex {
  type Config = any;
  type Logger = any;
  type QueryBuilder = any;
  type SchemaBuilder = any;
  type CreateTableBuilder = any;
  type ColumnBuilder = any;
  type TransactionConfig = any;
}
