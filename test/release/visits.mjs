// A million visits: deep pages beside the first one, and the export's memory.
import { numbers, STAMP } from './books.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';
import { Child } from './processes.mjs';

const VISITS = 1_000_000;
const AFFILIATES = 100;
const REPEATS = 5;
const users = Array.from({ length: AFFILIATES }, (_, at) => ({ id: at + 1, login: `u${at + 1}`, email: `u${at + 1}@shop.test`, first_name: 'User', last_name: String(at + 1) }));

export async function millionVisits(engine) {
  const database = await newDatabase(engine);
  const host = new Child(new URL('host.mjs', import.meta.url));
  try {
    await host.next();
    const { url, headers } = await host.ask({ do: 'serve', database: database.config, users });
    await seed(database);
    const get = async (path) => {
      const began = performance.now();
      const answer = await fetch(url + path, { headers });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      return { answer, text: await answer.text(), took: performance.now() - began };
    };
    return { title: TITLES[engine], version: await versionOf(database), pages: await pages(get), growth: await exportGrowth({ host, url, headers }) };
  } finally {
    await host.kill();
    await database.drop();
  }
}

async function seed({ engine, knex: connect }) {
  const knex = connect();
  const text = engine === 'mysql' ? (...parts) => `concat(${parts.join(', ')})` : (...parts) => parts.map((part) => (part.startsWith("'") ? part : `cast(${part} as varchar(20))`)).join(' || ');
  await knex.raw('insert into fa_affiliates (user_id, rate_type, status, settings, visits, created_at, updated_at) '
    + `select n + 1, 'default', 'active', '{}', ${VISITS / AFFILIATES}, ${STAMP}, ${STAMP} from ${numbers(2)} order by n`);
  for (let part = 0; part < 10; part += 1) {
    await knex.raw('insert into fa_visits (affiliate_id, url, referrer, utm_campaign, utm_medium, utm_source, ip, visitor_key, created_at, updated_at) '
      + `select 1 + n % ${AFFILIATES}, ${text("'https://shop.example.test/products/blue-mug-with-a-handle?ref='", 'n')}, ${text("'https://blog.example.test/post/'", 'n')}, `
      + `${text("'c'", 'n % 1000')}, 'cpc', 'news', '203.0.113.0', '0123456789abcdef0123456789abcdef', ${STAMP} + ${part} * 100000 + n, ${STAMP} from ${numbers(5)} order by n`);
  }
  await knex.raw({ sqlite: 'analyze', postgres: 'vacuum analyze fa_visits', mysql: 'analyze table fa_visits' }[engine]);
  await knex.destroy();
}

/** The best of five, because others use the machine too. */
async function pages(get) {
  const rows = [];
  for (const [order, size] of [['id', 20], ['id', 200], ['created_at', 200]]) {
    const last = VISITS / size;
    const times = {};
    for (const page of [1, Math.min(10_000, last), last / 2, last]) {
      times[page] = Infinity;
      for (let at = 0; at < REPEATS; at += 1) times[page] = Math.min(times[page], (await get(`/visits?order_by=${order}&per_page=${size}&page=${page}`)).took);
    }
    rows.push({ order, size, times });
  }
  return rows;
}

async function exportGrowth({ host, url, headers }) {
  await drain(`${url}/visits/export?format=csv&search=u1-nothing`, headers); // loads what an export needs
  await host.ask({ do: 'memory' });
  const before = await host.ask({ do: 'memory' });
  const began = performance.now();
  const { rows, bytes } = await drain(`${url}/visits/export?format=csv`, headers);
  return { before, peak: await host.ask({ do: 'memory' }), rows, bytes, seconds: (performance.now() - began) / 1000 };
}

async function drain(url, headers) {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  let rows = -1; // the header
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.length;
    for (const byte of part) if (byte === 10) rows += 1;
  }
  return { rows, bytes };
}
