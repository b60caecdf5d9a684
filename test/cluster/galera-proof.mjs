// Three Galera nodes with writers on each of them; one node is killed under load and comes back.
import { setTimeout as sleep } from 'node:timers/promises';
import { enrol } from '../release/clicks.mjs';
import { Child } from '../release/processes.mjs';
import { GaleraCluster, missingForGalera } from './galera.mjs';
import { judged } from './judge.mjs';
import { Shop } from './shop.mjs';

const NODES = 3;
const AFFILIATES = 20;
const WAITING_SECONDS = 8;
const HOST = new URL('host.mjs', import.meta.url);
const users = Array.from({ length: AFFILIATES }, (_, at) => ({
  id: at + 1,
  login: `u${at + 1}`,
  email: `u${at + 1}@shop.test`,
}));

/** `{ missing }` where Galera is not installed. */
export async function galeraProof({ seconds, kills, processes = 6, visitors = 12, random }) {
  const missing = missingForGalera();
  if (missing !== null) return { missing };
  const cluster = new GaleraCluster();
  const children = [];
  const serve = async (nodes, options) => {
    const child = new Child(HOST);
    children.push(child);
    await child.next();
    return {
      child,
      ...(await child.ask({
        do: 'serve',
        database: { client: 'mysql2', pool: { min: 0, max: 5 } },
        nodes,
        users,
        options: { tracking: { trustProxy: ['127.0.0.1'] }, ...options },
      })),
    };
  };
  try {
    await cluster.start(NODES);
    const [first] = cluster.nodes;
    await first.query('create database shop character set utf8mb4');
    const urls = cluster.nodes.map((node) => node.url('shop'));
    // each process has a node of its own and goes to another while that one is away
    const staff = async (count) => {
      const hosts = [];
      for (let at = 0; at < count; at += 1)
        hosts.push(await serve([...urls.slice(at % NODES), ...urls.slice(0, at % NODES)], { jobs: true }));
      return hosts;
    };
    const hosts = await staff(processes);
    const affiliates = [];
    for (const { id } of users) affiliates.push(await enrol(hosts[0], id));
    const shop = new Shop(hosts, random);
    const began = Date.now();
    const work = [
      ...Array.from({ length: visitors }, () => shop.visitor(affiliates)),
      shop.payers(3),
      shop.clerk(),
      shop.clerk(),
    ];
    const away = await killing(cluster, { seconds, kills, random });
    shop.close();
    await Promise.all(work);
    const took = (Date.now() - began) / 1000;
    await cluster.settled(NODES);
    const seen = await dismiss(hosts);
    const violations = [];
    for (const url of urls) violations.push((await (await serve([url])).child.ask({ do: 'verify' })).length);
    const found = await everywhere(cluster, shop);
    const mailsMarked = Number(
      (await first.query("select count(*) as n from shop.fa_outbox where status = 'sent'"))[0].n,
    );

    for (const node of cluster.nodes) await node.query('set global wsrep_sync_wait = 1');
    const waiting = new Shop(await staff(NODES), random);
    const patient = Array.from({ length: visitors }, () => waiting.visitor(affiliates));
    await sleep(WAITING_SECONDS * 1000);
    waiting.close();
    await Promise.all(patient);
    return {
      ...found,
      seconds: took,
      kills,
      away,
      processes,
      violations,
      retries: sum(seen.map(({ retries }) => retries)),
      errors: seen.flatMap(({ errors }) => errors),
      refused: shop.refused,
      mails: { sent: seen.flatMap(({ mails }) => mails).length, marked: mailsMarked },
      waiting: { ...(await unlinked(first, waiting)), broken: waiting.broken },
      version: (await first.query('select version() as v'))[0].v,
    };
  } finally {
    await Promise.all(children.map((child) => child.kill()));
    await cluster.stop();
  }
}

/** Ends the processes as a deployment does, and tells what they saw. */
async function dismiss(hosts) {
  return Promise.all(
    hosts.map(async ({ child }) => {
      await child.ask({ do: 'close' });
      return child.ask({ do: 'seen' });
    }),
  );
}

/**
 * Orders whose referral does not name the click they came by:
 * another node had not applied it yet when the order arrived there.
 */
async function unlinked(node, shop) {
  const visits = new Map(
    (await node.query('select provider_id, visit_id from shop.fa_referrals')).map((row) => [
      row.provider_id,
      Number(row.visit_id),
    ]),
  );
  return {
    orders: shop.orders.size,
    unlinked: [...shop.orders].filter(([reference, { visit }]) => visits.get(reference) !== visit).length,
  };
}

/**
 * Spreads the kills over the time; each node is away for a while and then catches up.
 * Returns how long each was away.
 */
async function killing(cluster, { seconds, kills, random }) {
  const away = [];
  for (let at = 0; at < kills; at += 1) {
    await sleep((seconds * 1000) / (kills + 1));
    const node = cluster.nodes[Math.floor(random() * NODES)];
    const began = Date.now();
    await node.kill();
    await sleep(3000 + random() * 5000);
    await node.start();
    await cluster.settled(NODES);
    away.push(Math.round((Date.now() - began) / 1000));
  }
  await sleep((seconds * 1000) / (kills + 1));
  return away;
}

const sum = (maps) =>
  maps.reduce(
    (all, map) =>
      Object.fromEntries(
        [...new Set([...Object.keys(all), ...Object.keys(map)])].map((key) => [
          key,
          (all[key] ?? 0) + (map[key] ?? 0),
        ]),
      ),
    {},
  );

/** What was promised against what is there, on every node; and the nodes against each other. */
async function everywhere(cluster, shop) {
  const problems = [...shop.broken];
  const sums = new Set();
  let found;
  for (const [at, node] of cluster.nodes.entries()) {
    const rows = (sql) => node.query(sql.replaceAll('fa_', 'shop.fa_'));
    found = await judged(rows, shop);
    problems.push(...found.problems.map((problem) => `node ${at + 1}: ${problem}`));
    sums.add(
      JSON.stringify(
        await rows(
          'checksum table fa_affiliates, fa_referrals, fa_visits, fa_payouts, fa_payout_transactions, ' +
            'fa_payout_items, fa_ledger_entries, fa_audit, fa_customers, fa_outbox',
        ),
      ),
    );
  }
  if (sums.size !== 1) problems.push('the nodes differ');
  return { ...found, problems, ...(await unlinked(cluster.nodes[0], shop)) };
}
