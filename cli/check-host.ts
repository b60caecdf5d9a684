import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  HOST_CHECKS,
  HOST_PARTS,
  hostParts,
  whySkipped,
  type HostFixture,
  type HostPart,
} from '../adapters/contract/index.js';
import { hostProblems, type HostAdapter } from '../adapters/index.js';
import { usage, type Flags } from './arguments.js';
import { table, type Terminal } from './print.js';

type Result = 'passed' | 'failed' | 'skipped';
interface Line {
  readonly rule: string;
  readonly result: Result;
  readonly reason: string;
}
type LoadedModule = Readonly<Record<string, unknown>>;

/**
 * Checks the form of an adapter, lists its optional parts, and runs the contract suite if there is a fixture
 * beside it.
 */
export async function checkHost(flags: Flags, terminal: Terminal, file: string | undefined): Promise<number> {
  if (file === undefined) usage('check-host needs the file that exports the host, e.g. ./host.ts.');
  const module = await load(file);
  const given = module['default'] ?? module['host'];
  const host: unknown = typeof given === 'function' ? await (given as () => unknown)() : given;
  const problems = hostProblems(host);
  for (const problem of problems) terminal.err(`${problem}\n`);
  if (problems.length > 0) return 1;
  const adapter = host as HostAdapter;
  const parts = hostParts(adapter);
  const fixture = await fixtureOf(flags.fixture ?? file.replace(/(?=\.\w+$)/, '.fixture'), module);
  const lines = fixture === null ? [] : await runSuite(fixture);
  if (flags.json) terminal.out(`${JSON.stringify({ parts, rules: lines }, null, 2)}\n`);
  else report(terminal, parts, lines);
  return lines.some(({ result }) => result === 'failed') ? 1 : 0;
}

function report(terminal: Terminal, parts: readonly HostPart[], lines: readonly Line[]): void {
  const known = Object.entries(HOST_PARTS).map(([part, meaning]) => [
    parts.includes(part as HostPart) ? 'yes' : 'no',
    part,
    meaning,
  ]);
  terminal.out('Optional parts\n');
  for (const [has = '', part = '', meaning = ''] of known)
    terminal.out(`  ${has.padEnd(4)}${part.padEnd(20)}${meaning}\n`);
  if (lines.length === 0) {
    terminal.out(
      '\nThe host has all parts. To run the contract suite, export `fixture` from the file ' +
        'or from <name>.fixture.ts (or .mjs) beside it; `init` writes one.\n',
    );
    return;
  }
  terminal.out('\nRules\n');
  for (const { result, rule, reason } of lines)
    terminal.out(`  ${result.padEnd(8)}${rule}${reason === '' ? '' : `: ${reason}`}\n`);
  const count = (result: Result): number => lines.filter((line) => line.result === result).length;
  terminal.out(
    `\n${table([
      ['passed', 'failed', 'skipped'],
      [count('passed'), count('failed'), count('skipped')],
    ])}`,
  );
}

async function load(file: string): Promise<LoadedModule> {
  if (!existsSync(file)) usage(`${file}: file not found.`);
  if (/\.m?ts$/.test(file) && !process.features.typescript)
    usage(
      `${file}: Node ${process.versions.node} cannot read TypeScript. Use Node 22.18 or later, or pass the compiled file.`,
    );
  return (await import(pathToFileURL(resolve(file)).href)) as LoadedModule;
}

async function fixtureOf(file: string, module: LoadedModule): Promise<(() => Promise<HostFixture>) | null> {
  const own = module['fixture'] ?? (existsSync(file) ? (await load(file))['fixture'] : undefined);
  return typeof own === 'function' ? async () => (own as () => Promise<HostFixture>)() : null;
}

async function runSuite(make: () => Promise<HostFixture>): Promise<Line[]> {
  const lines: Line[] = [];
  for (const check of HOST_CHECKS) {
    const fixture = await make();
    try {
      const reason = whySkipped(check, fixture);
      if (reason === null) await check.run(fixture);
      lines.push({ rule: check.title, result: reason === null ? 'passed' : 'skipped', reason: reason ?? '' });
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
      lines.push({ rule: check.title, result: 'failed', reason });
    } finally {
      await fixture.close?.();
    }
  }
  return lines;
}
