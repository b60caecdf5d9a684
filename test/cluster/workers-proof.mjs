// Processes killed one after another under clicks, orders, refunds, payouts,
// clerks and changed settings, on one database.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { enrol } from '../release/clicks.mjs';
import { newDatabase, rowsOf, TITLES, versionOf } from '../release/engines.mjs';
import { Pool } from '../release/processes.mjs';
import { Shop } from './shop.mjs';
import { judged, judgedEdits } from './judge.mjs';

const AFFILIATES = 20;
/** Processes that serve already and wait for their turn: a start takes longer than a life. */
const SPARES = 2;
/** After so many kills the load stops for a look at the books. */
const LOOKED_AFTER = 20;
const HOST = new URL('host.mjs', import.meta.url);
// each process finds what Node compiled for the first
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'affiliate-service-compiled');
const users = Array.from({ length: AFFILIATES }, (_, at) => ({
  id: at + 1,
  login: `u${at + 1}`,
  email: `u${at + 1}@shop.test`,
}));

export async function killedWorkers(engine, { kills, seconds: limit, processes = 2, visitors = 3, random }) {
  const database = await newDatabase(engine, { pool: { min: 0, max: 5 } });
  const knex = database.knex();
  const rows = (sql) => knex.raw(sql).then(rowsOf);
  const children = new Set();
  const pool = new Pool(SPARES, HOST);
  const serve = async () => {
    const child = await pool.take();
    children.add(child);
    return {
      child,
      ...(await child.ask({
        do: 'serve',
        database: database.config,
        users,
        options: { jobs: true, tracking: { trustProxy: ['127.0.0.1'] } },
      })),
    };
  };
  try {
    const hosts = [];
    for (let at = 0; at < processes; at += 1) hosts.push(await serve());
    const affiliates = [];
    for (const { id } of users) affiliates.push(await enrol(hosts[0], id));
    // A payer that is killed leaves a lease for a minute, and the next one lives for two seconds.
    const shop = new Shop([...hosts], random, { patience: limit * 1000 });
    const began = Date.now();
    const work = [
      ...Array.from({ length: visitors }, () => shop.visitor(affiliates)),
      shop.payers(2),
      shop.clerk(),
      shop.office(affiliates[0]),
    ];
    const broken = [];
    const look = async ({ child }) => {
      await shop.pause();
      const violations = await child.ask({ do: 'verify' });
      broken.push(
        ...violations.map((row) => JSON.stringify(row)),
        ...(await judgedEdits(rows, affiliates[0], shop)),
      );
      shop.resume();
    };
    const spares = [];
    const start = () => {
      const starting = serve();
      starting.catch(() => {}); // told when its turn comes
      spares.push(starting);
    };
    for (let at = 0; at < SPARES; at += 1) start();
    let made = 0;
    for (; made < kills && Date.now() - began < limit * 1000; made += 1) {
      const index = made % processes;
      const next = await spares.shift();
      start();
      await sleep(random() * 300);
      await hosts[index].child.kill();
      children.delete(hosts[index].child);
      hosts[index] = next;
      shop.replace(index, next);
      if ((made + 1) % LOOKED_AFTER === 0) await look(next);
    }
    shop.close();
    await Promise.all([...work, ...spares]);
    const seconds = (Date.now() - began) / 1000;
    const errors = [];
    for (const { child } of hosts) {
      await child.ask({ do: 'close' });
      errors.push(...(await child.ask({ do: 'seen' })).errors);
    }
    const judge = await serve();
    const violations = await judge.child.ask({ do: 'verify' });
    const found = await judged(rows, shop);
    return {
      ...found,
      title: TITLES[engine],
      version: await versionOf(database),
      wanted: kills,
      kills: made,
      processes,
      visitors,
      seconds,
      refused: shop.refused,
      problems: [
        ...shop.broken,
        ...broken,
        ...found.problems,
        ...violations.map((violation) => JSON.stringify(violation)),
      ],
      errors,
    };
  } finally {
    await pool.close();
    await Promise.all([...children].map((child) => child.kill()));
    await knex.destroy();
    await database.drop();
  }
}
