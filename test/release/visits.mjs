// A million visits: deep pages beside the first one, and the export's memory,
// as `npm run bench` measures them.
import { exportFigures } from '../bench/export.mjs';
import { deepPages } from '../bench/lists.mjs';
import { openProgram } from '../bench/program.mjs';
import { LARGE } from '../bench/seed.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';

export async function millionVisits(engine) {
  const database = await newDatabase(engine);
  let program;
  try {
    program = await openProgram({ engine, database: database.config, size: LARGE });
    const pages = await deepPages(program.get, { only: /^\/visits\?order_by=(?:id|created_at)/ });
    return {
      title: TITLES[engine],
      version: await versionOf(database),
      pages,
      growth: await exportFigures(program, database.config, { repeats: 1 }),
    };
  } finally {
    await program?.host.kill();
    await database.drop();
  }
}
