// Clicks of a thousand visitors against several processes on one database, in simulated time;
// the answers and the rows against a model of the rule.
import { Agent, request } from 'node:http';
import { judgeClicks } from './click-model.mjs';
import { newDatabase, rowsOf, TITLES, versionOf } from './engines.mjs';
import { Child } from './processes.mjs';

const HOST = new URL('../cluster/host.mjs', import.meta.url);
const VISITORS = 1000;
const OFFICES = 3; // visitors behind one address
const PER_OFFICE = 40;
const AFFILIATES = 50;
const FAVOURITES = 4;
const ROUND = 4000;
const BURST = 5000;
const STEP = 7 * 60_000; // no sum of steps comes near the window or the hour
const IN_FLIGHT = 64;
const START = Date.UTC(2026, 0, 5, 8);
const users = Array.from({ length: AFFILIATES }, (_, at) => ({
  id: at + 1,
  login: `u${at + 1}`,
  email: `u${at + 1}@shop.test`,
}));

export async function countedClicks(engine, { clicks, processes, random }) {
  const database = await newDatabase(engine, { pool: { min: 0, max: 4 } });
  const children = Array.from({ length: processes }, () => new Child(HOST));
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  try {
    const hosts = [];
    for (const child of children) {
      await child.next();
      hosts.push(
        await child.ask({
          do: 'serve',
          simulated: true,
          database: database.config,
          users,
          options: { tracking: { trustProxy: ['127.0.0.1'] } },
        }),
      );
    }
    const affiliates = [];
    for (const { id } of users) affiliates.push(await enrol(hosts[0], id));
    const visitors = Array.from({ length: VISITORS }, (_, at) => visitor(at, affiliates, random));
    const rounds = [];
    let time = START;
    const began = performance.now();
    for (let sent = 0; sent < clicks; sent += ROUND) {
      time += STEP * (1 + Math.floor(random() * 6));
      rounds.push(
        await playRound({ hosts, agent, visitors, time, count: Math.min(ROUND, clicks - sent), random }),
      );
    }
    const seconds = (performance.now() - began) / 1000;
    const errors = [];
    for (const child of children) errors.push(...(await child.ask({ do: 'seen' })).errors);
    const violations = await children.at(-1).ask({ do: 'verify' });
    const { visits, wrong } = judgeClicks(rounds);
    const answers = {};
    for (const { message } of rounds.flat()) answers[message] = (answers[message] ?? 0) + 1;
    return {
      title: TITLES[engine],
      version: await versionOf(database),
      processes,
      clicks: rounds.flat().length,
      rounds: rounds.length,
      seconds,
      answers,
      expected: visits.size,
      problems: [
        ...wrong,
        ...(await compared(database, visits)),
        ...errors,
        ...violations.map((violation) => JSON.stringify(violation)),
      ],
    };
  } finally {
    agent.destroy();
    await Promise.all(children.map((child) => child.kill()));
    await database.drop();
  }
}

/** Some share an address and differ in their browser; one in five keeps the cookie. */
function visitor(at, affiliates, random) {
  const office = at < OFFICES * PER_OFFICE ? at % OFFICES : null;
  return {
    name: at,
    address: office === null ? `10.0.${at >> 8}.${at & 255}` : `192.0.2.${office + 1}`,
    agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + at}.0) Gecko/20100101 Firefox/${100 + at}.0`,
    favourites: Array.from(
      { length: FAVOURITES },
      () => affiliates[Math.floor(random() * affiliates.length)],
    ),
    keeps: at % 5 === 0,
    cookie: null,
    holder: null,
  };
}

async function playRound({ hosts, agent, visitors, time, count, random }) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  const waiting = Array.from({ length: count }, () => {
    const who = pick(visitors);
    return {
      who,
      affiliate: pick(who.favourites),
      at: time + Math.floor(random() * BURST),
      host: pick(hosts),
      cookie: who.cookie,
      holder: who.holder,
    };
  });
  const log = [];
  const kept = [];
  const work = async () => {
    for (let click = waiting.pop(); click; click = waiting.pop()) {
      const { who, affiliate, at, holder } = click;
      const { message, visit, cookie } = await send(click, agent);
      log.push({ at, visitor: who.name, address: who.address, affiliate, holder, message, visit });
      if (cookie !== null && who.keeps) kept.push({ who, cookie, holder: affiliate });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  for (const { who, cookie, holder } of kept) Object.assign(who, { cookie, holder });
  return log;
}

function send({ who, affiliate, at, host, cookie }, agent) {
  const body = JSON.stringify({
    __aff_id__: String(affiliate),
    url: 'https://shop.test/mugs?ref=x',
    referrer: 'https://blog.test/',
  });
  const headers = {
    'User-Agent': who.agent,
    'X-Forwarded-For': who.address,
    'X-Time': String(at),
    Origin: 'https://shop.test',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(cookie !== null && { Cookie: cookie }),
  };
  return new Promise((resolve, reject) => {
    const call = request(`${host.url}/track`, { method: 'POST', agent, headers }, (answer) => {
      const parts = [];
      answer.on('data', (part) => {
        parts.push(part);
      });
      answer.on('end', () => {
        const told = answer.statusCode === 200 ? JSON.parse(Buffer.concat(parts)) : {};
        resolve({
          message: told.message ?? String(answer.statusCode),
          visit: told.visit_id ?? null,
          cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? null,
        });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

export async function enrol({ url, headers }, userId) {
  const answer = await fetch(`${url}/affiliates`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      user_id: userId,
      status: 'active',
      rate_type: 'default',
      payment_email: `u${userId}@shop.test`,
    }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()).affiliate.id; // on Galera with gaps
}

/** Rows and counters against the visits of the model. */
async function compared(database, visits) {
  const knex = database.knex();
  try {
    const stored = new Map(
      rowsOf(await knex.raw('select id, affiliate_id from fa_visits')).map((row) => [
        Number(row.id),
        Number(row.affiliate_id),
      ]),
    );
    const perAffiliate = new Map();
    for (const affiliate of visits.values())
      perAffiliate.set(affiliate, (perAffiliate.get(affiliate) ?? 0) + 1);
    const counters = rowsOf(await knex.raw('select id, visits from fa_affiliates'));
    return [
      ...(stored.size === visits.size ? [] : [`${stored.size} rows, not ${visits.size}`]),
      ...[...visits]
        .filter(([id, affiliate]) => stored.get(id) !== affiliate)
        .slice(0, 5)
        .map(([id]) => `visit ${id} is not stored as answered`),
      ...counters
        .filter((row) => Number(row.visits) !== (perAffiliate.get(Number(row.id)) ?? 0))
        .slice(0, 5)
        .map((row) => `affiliate ${row.id} counts ${row.visits}, not ${perAffiliate.get(Number(row.id))}`),
    ];
  } finally {
    await knex.destroy();
  }
}
