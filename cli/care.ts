import { silentLogger } from '../src/index.js';
import { storedRisks } from '../src/platform/risks.js';
import { connectionOf } from '../adapters/database/source.js';
import { createDatabase } from '../src/platform/database/index.js';
import { required, UsageError, type Flags } from './arguments.js';
import { firstLine, openService, refuseMissingFile, withService } from './open.js';
import { printResult, printViolations, violationText, type Terminal } from './print.js';

/** Computes stored totals again and prints every figure it changed. */
export function reconcile(flags: Flags, terminal: Terminal): Promise<number> {
  return withService(flags, terminal, async ({ service }) => {
    const repairs = await service.ledger.reconcile();
    const violations = await service.verify();
    if (repairs.length === 0 && !flags.json) terminal.out("Every affiliate's figures agree with its rows.\n");
    else
      printResult(flags, terminal, { repairs, violations }, [
        ['affiliate', 'figure', 'was', 'is'],
        ...repairs.map((repair) => [repair.affiliate_id, repair.column, repair.before, repair.after]),
      ]);
    return printViolations(terminal, violations, violations.length);
  });
}

const SCHEMA_STATES = {
  current: 'up to date',
  newer: 'newer than this version; update this process too',
  unknown: 'unknown',
} as const;

/**
 * Prints one line each about connection, schema, durability, books and risks; changes nothing. Ends with 1 when
 * the books do not balance or mails failed for good.
 */
export async function doctor(flags: Flags, terminal: Terminal): Promise<number> {
  const warnings = new Set<string>();
  const lines: [string, string][] = [];
  const logger = {
    ...silentLogger,
    warn: (message: string) => {
      warnings.add(firstLine(message));
    },
  };
  try {
    const { service, app } = await openService(flags, { migrate: false, logger });
    try {
      const { schema: state } = await service.health();
      lines.push(['database', app.db.dialect.name], ['schema', SCHEMA_STATES[state]]);
      const violations = await service.verify();
      lines.push([
        'books',
        violations.length === 0
          ? 'balanced'
          : `${violations.length} rows violate an invariant; run reconcile`,
      ]);
      for (const violation of violations.slice(0, 10)) lines.push(['broken', violationText(violation)]);
      const risks = await storedRisks(app);
      for (const { code, severity, text } of risks) lines.push([`${severity} ${code}`, text]);
      for (const [name, n] of Object.entries(await service.imports.dataCounts()))
        lines.push([name, String(n)]);
      const isWell = violations.length === 0 && !risks.some(({ code }) => code === 'mails_failed');
      return print(isWell ? 0 : 1);
    } finally {
      await service.close();
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    lines.push(['problem', error instanceof Error ? error.message : String(error)]);
    return print(1);
  }

  function print(code: number): number {
    const all = [...lines, ...Array.from(warnings, (warning): [string, string] => ['warning', warning])];
    const named = all.map(([name, value]) => ({ name, value }));
    printResult(flags, terminal, named, all);
    return code;
  }
}

/** Prints what the missing schema steps do; changes nothing. */
async function plan(flags: Flags, terminal: Terminal): Promise<number> {
  refuseMissingFile(flags, { migrate: false });
  const database = createDatabase({
    database: connectionOf(required(flags, 'database')),
    tablePrefix: flags['table-prefix'] ?? 'fa_',
    migrate: false,
    durability: 'warn',
    log: silentLogger,
  });
  try {
    const steps = await database.plan();
    const rows = steps.flatMap(({ id, changes }) =>
      changes.map(({ does, table: name, rows: n, locks }) => [id, does, name ?? '', n, locks]),
    );
    if (steps.length === 0 && !flags.json) terminal.out('The tables are up to date.\n');
    else printResult(flags, terminal, steps, [['step', 'does', 'table', 'rows now', 'locks'], ...rows]);
    return 0;
  } finally {
    await database.close();
  }
}

/** Prints whether the tables are up to date; with --apply, updates them. */
export async function schema(flags: Flags, terminal: Terminal): Promise<number> {
  if (flags.plan) return plan(flags, terminal);
  try {
    const { service, app } = await openService(flags, { migrate: flags.apply, logger: silentLogger });
    const steps: { id: string; applied_at: number | string }[] = await app
      .db('schema_steps')
      .select('id', 'applied_at')
      .orderBy('id');
    const { schema: state } = await service.health();
    await service.close();
    const applied = steps.map((step) => [step.id, new Date(Number(step.applied_at)).toISOString()] as const);
    printResult(flags, terminal, Object.fromEntries(applied), [['step', 'applied'], ...applied]);
    terminal.err(`The schema is ${SCHEMA_STATES[state]}.\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    terminal.err(`${error instanceof Error ? error.message : String(error)}\n`);
    if (!flags.apply) terminal.err('`affiliate-service schema --apply` does the same.\n');
    return 1;
  }
}
