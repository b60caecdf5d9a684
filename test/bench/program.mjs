// A seeded program behind a host of its own, and requests to it.
import { Child, MEMORY_SETTINGS } from '../release/processes.mjs';
import { connect } from './engines.mjs';
import { seed } from './seed.mjs';

const FIRST_ADMIN = 100_000; // test/release/host.mjs
const ADMINS = 40; // the interface takes 1,200 requests per user and minute

/**
 * `get(path, who)` answers { took, status, text }; `who` is an admin unless it is
 * `owner`, the user of affiliate 1.
 */
export async function openProgram({ engine, database, size, pages = false, options = {} }) {
  const host = new Child(new URL('../release/host.mjs', import.meta.url), MEMORY_SETTINGS);
  await host.next();
  const users = Array.from({ length: size.affiliates }, (_, at) => ({
    id: at + 1,
    login: `u${at + 1}`,
    email: `u${at + 1}@shop.test`,
    first_name: 'User',
    last_name: String(at + 1),
  }));
  const { site, url, headers } = await host.ask({ do: 'serve', database, users, pages, options });
  await fill({ engine, database, size });
  const admins = [headers];
  for (let at = 1; at < ADMINS; at += 1)
    admins.push(await host.ask({ do: 'signIn', user: FIRST_ADMIN + at }));
  const owner = await host.ask({ do: 'signIn', user: 1 });
  let turn = 0;
  const get = async (path, who) => {
    const began = performance.now();
    const answer = await fetch(url + path, {
      headers: who === 'owner' ? owner : admins[(turn += 1) % ADMINS],
    });
    const text = await answer.text();
    if (answer.status !== 200)
      throw Object.assign(new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`), {
        status: answer.status,
      });
    return performance.now() - began;
  };
  return { host, site, url, headers, owner, get };
}

async function fill({ engine, database, size }) {
  const knex = connect(database);
  try {
    await seed(knex, engine, size);
  } finally {
    await knex.destroy();
  }
}
