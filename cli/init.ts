import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage, type Flags } from './arguments.js';
import { FRAMEWORKS, filesFor, type Plan } from './init-files.js';
import type { Terminal } from './print.js';

const IDS = ['text', 'integer'] as const;

/**
 * Asks what is not said by options, and writes what a site begins with.
 * Files that are there stay as they are.
 */
export async function init(flags: Flags, terminal: Terminal): Promise<number> {
  const framework = await choose(terminal, flags.framework, {
    name: 'framework',
    question: 'Which framework',
    words: FRAMEWORKS,
  });
  const ids = await choose(terminal, flags.ids, {
    name: 'ids',
    question: 'What are the ids of your users',
    words: IDS,
  });
  const database =
    flags.database ?? (await answer(terminal, 'Database (a SQLite file, postgres://… or mysql://…)')) ?? '';
  const plan: Plan = { framework, ids, database: database || 'affiliates.sqlite' };
  const folder = flags.dir ?? '.';
  if (!existsSync(folder)) usage(`--dir ${folder}: there is no such folder.`);
  for (const [name, text] of Object.entries(filesFor(plan))) {
    const path = join(folder, name);
    if (existsSync(path)) {
      terminal.out(`kept     ${name}\n`);
      continue;
    }
    writeFileSync(path, text);
    terminal.out(`written  ${name}\n`);
  }
  terminal.out(
    '\nNext: put your users and sessions into people.mjs, then `npx affiliate-service check-host ./host.mjs`.\n',
  );
  return 0;
}

async function choose<W extends string>(
  terminal: Terminal,
  given: string | undefined,
  {
    name,
    question,
    words,
  }: { readonly name: string; readonly question: string; readonly words: readonly W[] },
): Promise<W> {
  const said = given ?? (await answer(terminal, `${question} (${words.join(', ')})`)) ?? '';
  if (said === '' && given === undefined) return words[0] as W;
  return (
    words.find((word) => word === said.trim()) ?? usage(`--${name} ${said}: one of ${words.join(', ')}.`)
  );
}

const answer = async (terminal: Terminal, question: string): Promise<string | undefined> =>
  (await terminal.ask?.(`${question}: `))?.trim();
