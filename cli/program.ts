import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { required, usage, type Flags } from './arguments.js';
import { openService, terminalLogger } from './open.js';
import { table, violationText, type Terminal } from './print.js';

const isCompressed = (path: string): boolean => path.endsWith('.gz');

/** Writes the whole program to a file, which gets its name only when it is complete. */
export async function exportProgram(flags: Flags, terminal: Terminal): Promise<number> {
  const path = required(flags, 'file');
  const { service } = await openService(flags, {
    migrate: false,
    logger: terminalLogger((line) => terminal.err(line)),
  });
  const part = `${path}.part`;
  try {
    const lines = Readable.from(withBreaks(service.imports.exportProgram()));
    const out = createWriteStream(part, { mode: 0o600 });
    await (isCompressed(path) ? pipeline(lines, createGzip(), out) : pipeline(lines, out));
    await rename(part, path);
    terminal.err(`${path}: the whole program, without secrets, keys and connected sites.\n`);
    return 0;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await service.close();
  }
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Imports such a file into an empty program, completely or not at all. */
export async function importProgram(flags: Flags, terminal: Terminal): Promise<number> {
  const path = required(flags, 'file');
  if (!existsSync(path)) usage('The file of --file does not exist.');
  const { service } = await openService(flags, { logger: terminalLogger((line) => terminal.err(line)) });
  try {
    const counts = await service.imports.importProgram(linesOf(path));
    terminal.out(
      flags.json
        ? `${JSON.stringify(counts, null, 2)}\n`
        : table([['table', 'rows'], ...Object.entries(counts)]),
    );
    const violations = await service.verify();
    for (const violation of violations.slice(0, 20)) terminal.err(`${violationText(violation)}\n`);
    return violations.length === 0 ? 0 : 1;
  } finally {
    await service.close();
  }
}

/** Opens the file when the first line is read: a line reader drops lines that arrive before it is read. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = isCompressed(path) ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => text.destroy(error));
  yield* createInterface({ input: text, crlfDelay: Infinity });
}
