// The tables of the site, made without Prisma's engine, which no npm package brings.
import { createRequire } from 'node:module';
import { join } from 'node:path';

makeTables(process.argv[2]);

function makeTables(folder) {
  const Database = createRequire(import.meta.url)('better-sqlite3');
  const database = new Database(join(folder, 'site.sqlite'));
  database.exec(`create table if not exists "User" (
    "id" text not null primary key,
    "name" text not null default '',
    "email" text not null default '',
    "password" text not null,
    "isAdmin" boolean not null default false);
    create unique index if not exists "User_email_key" on "User" ("email");`);
  database.close();
}
