import type { Knex } from 'knex';

// Column types: ids and times are BIGINT (times: epoch milliseconds, UTC), money is BIGINT minor units, rates
// are × 10 000, keys are compared byte by byte, JSON is text. No column has a database default that depends
// on time or locale.
export const MAX_MINOR = 999_999_999_999_999; // 15 digits: exact as a JSON number

type Table = Knex.CreateTableBuilder;

export const id = (t: Table): void => {
  t.bigIncrements('id');
};
export const ref = (t: Table, name: string): void => {
  t.bigInteger(name).nullable();
};
export const time = (t: Table, ...names: string[]): void => {
  for (const name of names) t.bigInteger(name).notNullable();
};
export const count = (t: Table, ...names: string[]): void => {
  for (const name of names) t.bigInteger(name).notNullable().defaultTo(0);
};
export const amount = (t: Table, name: string): void => {
  t.bigInteger(name).notNullable().defaultTo(0);
  t.check(`?? between -${MAX_MINOR} and ${MAX_MINOR}`, [name]);
};
