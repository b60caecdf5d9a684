import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { required, usage, type Flags } from './arguments.js';
import { withService, type OpenedService } from './open.js';
import { printResult, printViolations, type Terminal } from './print.js';

const isCompressed = (path: string): boolean => path.endsWith('.gz');

/** Writes the whole program to a file, which gets its name only when it is complete. */
export async function exportProgram(flags: Flags, terminal: Terminal): Promise<number> {
  const path = required(flags, 'file');
  const part = `${path}.part`;
  return withService(flags, terminal, async ({ service }) => {
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
    }
  });
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** Imports such a file into an empty program, completely or not at all. */
export async function importProgram(flags: Flags, terminal: Terminal): Promise<number> {
  const path = required(flags, 'file');
  if (!existsSync(path)) usage('The file of --file does not exist.');
  const work = async ({ service }: OpenedService): Promise<number> => {
    const counts = await service.imports.importProgram(linesOf(path));
    printResult(flags, terminal, counts, [['table', 'rows'], ...Object.entries(counts)]);
    return printViolations(terminal, await service.verify());
  };
  return withService(flags, terminal, work, {});
}

/** Opens the file when the first line is read: a line reader drops lines that arrive before it is read. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = isCompressed(path) ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => text.destroy(error));
  yield* createInterface({ input: text, crlfDelay: Infinity });
}
