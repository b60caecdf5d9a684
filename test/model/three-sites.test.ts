import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { connectSite, MemoryQueue, PrimaryError, type ConnectedSite } from '../../connected-site/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { SEED, seeded } from '../support/seed.js';
import { connectChild } from '../support/sites.js';

// Three connected sites with two servers each tell of random orders while the primary is away, answers get lost, pages
// of proxies answer instead, and sites are disconnected and connected again. In the end, each order earns what a
// naive model says.

const SITES = ['https://one.test', 'https://two.test', 'https://three.test'] as const;
const STEPS = Number(process.env['STEPS'] ?? 400);
const RATE = 0.1;

interface ModelOrder {
  readonly site: number;
  readonly reference: string;
  readonly affiliate: number;
  readonly cents: number;
  /** The server that reports its changes; the first one reported the order. */
  readonly server: number;
  paid: boolean;
  canceled: boolean;
  refunded: number;
}

type Trouble = 'none' | 'away' | 'answer_lost' | 'proxy' | 'maintenance';

const page = (status: number): Response =>
  new Response('<h1>Sorry</h1>', { status, headers: { 'Content-Type': 'text/html' } });
const decimal = (cents: number): string => (cents / 100).toFixed(2);

class Sites {
  readonly orders: ModelOrder[] = [];
  readonly servers: ConnectedSite[][] = [];
  readonly #queues = SITES.map(() => [new MemoryQueue(), new MemoryQueue()]);
  trouble: Trouble = 'none';
  readonly unexpected: unknown[] = [];
  readonly counts = { orders: 0, changes: 0, lost: 0, pages: 0, reconnected: 0 };

  constructor(
    private readonly t: TestApp,
    private readonly random: () => number,
    private readonly affiliates: readonly number[],
  ) {}

  one<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  /** Connects a site, or connects it again: its servers get the new token and keep what waits. */
  async connect(site: number): Promise<void> {
    const { site_id, server_token, site_url } = await connectChild(this.t, SITES[site]);
    const { port } = this.t.server.address() as AddressInfo;
    const config = {
      site_id,
      server_token,
      site_url,
      primary_url: 'https://shop.test',
      api_url: `http://127.0.0.1:${port}${this.t.service.basePath}`,
      param_key: 'ref',
      cookie_duration: 30,
      credit_last_referrer: 'yes' as const,
    };
    this.servers[site] = this.#queues[site]!.map((queue) =>
      connectSite(config, {
        fetch: (input, init) => this.#send(input, init),
        now: () => this.t.clock.now(),
        wait: async () => {},
        queue,
        onError: (error) => this.#seen(error),
      }),
    );
  }

  async reconnect(site: number): Promise<void> {
    const listed = await this.t.admin.get('/settings/connected-sites-config').expect(200);
    const sites = listed.body.config.sites as { site_id: string; site_url: string }[];
    const known = sites.find(({ site_url: url }) => url === SITES[site]);
    await this.t.admin
      .post('/settings/connected-sites-config/disconnect')
      .send({ site_id: known?.site_id })
      .expect(200);
    await this.deliver(site); // refused now; what waits is kept
    await this.connect(site);
    this.counts.reconnected += 1;
  }

  async #send(input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]): Promise<Response> {
    if (this.trouble === 'away') throw new TypeError('fetch failed');
    if (this.trouble === 'proxy' || this.trouble === 'maintenance') {
      this.counts.pages += 1;
      return page(this.trouble === 'proxy' ? this.one([400, 404, 413, 502]) : 200);
    }
    const answer = await fetch(input, init);
    if (this.trouble === 'none') return answer;
    await answer.arrayBuffer();
    this.counts.lost += 1;
    throw new TypeError('terminated');
  }

  /** A change may come before its order, and a site may be refused for a while; anything else is a mistake. */
  #seen(error: unknown): void {
    const code =
      error instanceof PrimaryError ? error.code : (error as { cause?: { code?: string } }).cause?.code;
    const known = ['referral_not_found', 'site_auth_failed', 'unexpected_answer', 'unreachable', 'offline'];
    if (!known.includes(code ?? '')) this.unexpected.push(error);
  }

  async deliver(site: number): Promise<void> {
    for (const server of this.servers[site]!) await server.deliver();
  }

  async #tell(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#seen(error);
    }
  }

  async order(): Promise<void> {
    const site = Math.floor(this.random() * SITES.length);
    const made: ModelOrder = {
      site,
      reference: `O-${this.orders.length}`,
      affiliate: this.one(this.affiliates),
      cents: 1 + Math.floor(this.random() * 20_000),
      server: this.one([0, 0, 1]),
      paid: this.random() < 0.5,
      canceled: false,
      refunded: 0,
    };
    this.orders.push(made);
    this.counts.orders += 1;
    await this.#tell(() =>
      this.servers[site]![0]!.recordConversion(null, {
        reference: made.reference,
        affiliate_param: String(made.affiliate),
        order: { subtotal: decimal(made.cents) },
        status: made.paid ? 'unpaid' : 'pending',
        customer: { email: `${made.reference}@buyer.test` },
      }),
    );
  }

  async change(): Promise<void> {
    const open = this.orders.filter((order) => !order.canceled && order.refunded < order.cents);
    if (open.length === 0) return;
    const order = this.one(open);
    const tell = (change: { status?: 'unpaid' | 'rejected'; refunded_total?: string }): Promise<void> =>
      this.#tell(() => this.servers[order.site]![order.server]!.updateConversion(order.reference, change));
    this.counts.changes += 1;
    const roll = this.random();
    if (roll < 0.3 && !order.paid) {
      order.paid = true;
      await tell({ status: 'unpaid' });
    } else if (roll < 0.4) {
      order.canceled = true;
      await tell({ status: 'rejected' });
    } else {
      const more = this.random() < 0.2 ? order.cents : 1 + Math.floor(this.random() * 3000);
      order.refunded = Math.min(order.cents, order.refunded + more);
      await tell({ refunded_total: decimal(order.refunded) });
    }
  }
}

/** Status, commission in cents and affiliate. */
const due = ({ canceled, paid, cents, refunded, affiliate }: ModelOrder): [string, number, number] =>
  canceled || refunded === cents
    ? ['rejected', 0, affiliate]
    : [paid ? 'unpaid' : 'pending', Math.round((cents - refunded) * RATE), affiliate];

it(`three sites with two servers each are owed what a naive model says, over ${STEPS} steps`, async () => {
  const t = await startApp({ rate: 10, connectedSites: { requestsPerMinute: 1_000_000 } });
  const affiliates = [2, 3, 4].map(async (user_id) => (await t.records.affiliate({ user_id })).id);
  const random = seeded(SEED);
  const sites = new Sites(t, random, await Promise.all(affiliates));
  for (const site of SITES.keys()) await sites.connect(site);

  for (let step = 0; step < STEPS; step++) {
    t.clock.advance(1000 + Math.floor(random() * 20_000));
    const roll = random();
    if (roll < 0.15)
      sites.trouble = sites.one(['none', 'none', 'away', 'answer_lost', 'proxy', 'maintenance']);
    else if (roll < 0.55) await sites.order();
    else if (roll < 0.9) await sites.change();
    else if (roll < 0.99) await sites.deliver(sites.one([0, 1, 2]));
    else await sites.reconnect(sites.one([0, 1, 2]));
  }
  sites.trouble = 'none';
  for (let round = 0; round < 5; round++) {
    t.clock.advance(120_000);
    for (const site of SITES.keys()) await sites.deliver(site);
  }

  expect(sites.unexpected).toEqual([]);
  for (const server of sites.servers.flat()) expect(await server.waiting()).toBe(0);
  const rows: {
    provider_sub_id: string;
    status: string;
    amount_minor: number | string;
    affiliate_id: number;
  }[] = await t.app.db('referrals').select('provider_sub_id', 'status', 'amount_minor', 'affiliate_id');
  const booked = new Map(
    rows.map((row) => [
      row.provider_sub_id,
      [row.status, row.status === 'rejected' ? 0 : Number(row.amount_minor), Number(row.affiliate_id)],
    ]),
  );
  expect(rows).toHaveLength(sites.orders.length);
  const wrong = sites.orders.filter(
    (order) => JSON.stringify(booked.get(order.reference)) !== JSON.stringify(due(order)),
  );
  expect(wrong.map((order) => ({ order, due: due(order), booked: booked.get(order.reference) }))).toEqual([]);
  expect(await t.service.verify()).toEqual([]);
  process.stdout.write(`three sites: ${JSON.stringify(sites.counts)}\n`);
}, 300_000);
