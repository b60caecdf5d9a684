// Many processes race to pay the same referrals: each is paid once, the losers find nothing to pay.
import { figures, fill, sumOfAmounts, undo } from './books.mjs';
import { newDatabase, TITLES, versionOf } from './engines.mjs';
import { Child } from './processes.mjs';

const AFFILIATES = 200;

/**
 * Rounds until `count` or `seconds`; every fourth one without the lease,
 * so that row locks and keys alone decide.
 */
export async function races(engine, { processes, referrals, count, seconds }) {
  const database = await newDatabase(engine);
  const children = [];
  const found = {
    engine,
    title: TITLES[engine],
    processes,
    referrals,
    wanted: count,
    rounds: 0,
    free: 0,
    milliseconds: 0,
    codes: {},
    problems: [],
  };
  const knex = database.knex();
  const end = Date.now() + seconds * 1000;
  try {
    for (let at = 0; at < processes; at += 1) children.push(new Child());
    for (const child of children) await child.next();
    for (const child of children)
      await child.ask({ do: 'open', database: database.config, users: AFFILIATES });
    await fill(knex, { affiliates: AFFILIATES, referrals });
    found.version = await versionOf(database);
    while (found.rounds < count && Date.now() < end) {
      const free = found.rounds % 4 === 3;
      const began = performance.now();
      const codes = await Promise.all(children.map((child) => child.ask({ do: 'process', lease: !free })));
      found.milliseconds += performance.now() - began;
      found.rounds += 1;
      found.free += free ? 1 : 0;
      for (const code of codes) found.codes[code] = (found.codes[code] ?? 0) + 1;
      found.problems.push(
        ...[...wrongCodes(codes, free), ...wrongFigures(await figures(knex), referrals)].map(
          (problem) => `round ${found.rounds}: ${problem}`,
        ),
      );
      found.problems.push(
        ...(await children[0].ask({ do: 'verify' })).map(
          (violation) => `round ${found.rounds}: ${JSON.stringify(violation)}`,
        ),
      );
      await undo(knex);
    }
  } finally {
    await Promise.all(children.map((child) => child.kill()));
    await knex.destroy();
    await database.drop();
  }
  return { ...found, milliseconds: Math.round(found.milliseconds / Math.max(1, found.rounds)) };
}

/**
 * One winner; without the lease a loser may also hear that its set changed under it,
 * or that the database stayed locked.
 */
function wrongCodes(codes, free) {
  const allowed = free ? ['nothing_to_pay', 'preview_outdated', 'busy'] : ['nothing_to_pay'];
  const losers = codes.filter((code) => code !== 'ok');
  return [
    ...(losers.length === codes.length - 1 ? [] : [`${codes.length - losers.length} winners`]),
    ...losers.filter((code) => !allowed.includes(code)).map((code) => `a loser got ${code}`),
  ];
}

function wrongFigures(seen, referrals) {
  const sum = Number(sumOfAmounts(referrals));
  const expected = {
    referrals,
    unpaid: 0,
    payouts: 1,
    transactions: AFFILIATES,
    items: referrals,
    once: referrals,
    item_sum: sum,
    transaction_sum: sum,
    payout_sum: sum,
    paid: referrals,
  };
  return Object.entries(expected)
    .filter(([name, value]) => seen[name] !== value)
    .map(([name, value]) => `${name} is ${seen[name]}, not ${value}`);
}
