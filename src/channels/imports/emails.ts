import { isEmail } from '../../core/address.js';
import type { BadEmail, Migrator } from '../../../adapters/imports.js';
import type { Raw } from '../../core/imports/values.js';

const PAGE = 500;
const TOLD = 100;

/** E-mail addresses of a source that cannot be used, at most a hundred of each kind of row. */
export async function badEmailsOf(migrator: Migrator): Promise<readonly BadEmail[]> {
  if (migrator.emails !== undefined) return migrator.emails();
  return [
    ...(await ofStage(migrator, 'affiliates', (row) => ({
      email: row.user?.email,
      payment_email: row.payment_email,
    }))),
    ...(await ofStage(migrator, 'customers', (row) => ({ email: row.email }))),
  ];
}

async function ofStage<S extends 'affiliates' | 'customers'>(
  migrator: Migrator,
  stage: S,
  emailsOf: (row: Awaited<ReturnType<typeof migrator.migrate<S>>>['rows'][number]) => Record<string, Raw>,
): Promise<BadEmail[]> {
  const found: BadEmail[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof migrator.migrate<S>>> = await migrator.migrate(stage, cursor, PAGE);
    for (const row of page.rows)
      for (const [column, value] of Object.entries(emailsOf(row)))
        if (isBad(value))
          found.push({ rows: stage, row: row.id, column, value: String(value).slice(0, 191) });
    if (page.done || found.length >= TOLD) return found.slice(0, TOLD);
    cursor = page.nextCursor;
  }
}

/** An address that is there, and is none. */
export function isBad(value: Raw): boolean {
  const text = String(value ?? '').trim();
  return text !== '' && !isEmail(text);
}
