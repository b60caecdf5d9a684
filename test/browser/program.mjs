// A shop with an affiliate program that looks alive, for the tests in a browser:
// `node test/browser/program.mjs [port]`.
import { createServer } from 'node:http';
import express from 'express';
import { openService } from '../../dist/src/service.js';
import { createMemoryHost } from '../../dist/adapters/index.js';
import { consoleApp, portalApp } from '../../dist/console/server/index.js';
import { bookshop } from './bookshop.mjs';

const NAMES = [
  'Alice Doe',
  'Bram de Vries',
  'Chiara Rossi',
  'Daniel Kim',
  'Elif Yılmaz',
  'Farid Haddad',
  'Grace Okafor',
  'Hanna Lindqvist',
  'Ivan Petrov',
  'Julia Novák',
  'Kenji Sato',
  'Lucía Fernández',
  'Marek Kowalski',
  'Nadia El Amrani',
  'Oskar Berg',
  'Priya Nair',
  'Quentin Lefèvre',
  'Rosa Almeida',
  'Sofia Papadaki',
  'Tomás Silva',
  'Uma Patel',
  'Viktor Nagy',
  'Wendy Chen',
  'Ximena Torres',
  'Yusuf Demir',
  'Zoë Martin',
];
const CAMPAIGNS = ['spring', 'newsletter', 'youtube', 'podcast', '', ''];
const DAY = 86_400_000;

/** Numbers that are the same in every run. */
function dice(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Starts the shop; `signIn(userId)` gives the cookie of a signed-in user.
 * Users: 1 administrator, 2 manager, 3 nobody, 10… affiliates.
 */
export async function startProgram({ port = 0, seed = true, nameOf = (_at, name) => name, ...options } = {}) {
  const clock = { time: Date.now() - 95 * DAY, now: () => clock.time };
  const users = [
    {
      id: 1,
      login: 'admin',
      email: 'ada@shop.test',
      display_name: 'Ada Admin',
      first_name: 'Ada',
      last_name: 'Admin',
      capabilities: ['manage_options'],
    },
    {
      id: 2,
      login: 'manager',
      email: 'mia@shop.test',
      display_name: 'Mia Manager',
      first_name: 'Mia',
      last_name: 'Manager',
    },
    {
      id: 3,
      login: 'nobody',
      email: 'nora@shop.test',
      display_name: 'Nora Nobody',
      first_name: 'Nora',
      last_name: 'Nobody',
    },
    ...NAMES.map((name, at) => ({
      id: 10 + at,
      login: name.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
      email: `${name
        .split(' ')[0]
        .toLowerCase()
        .replaceAll(/[^a-z]/g, 'e')}@mail.test`,
      display_name: nameOf(at, name),
      first_name: nameOf(at, name.split(' ')[0]),
      last_name: nameOf(at, name.split(' ').slice(1).join(' ')),
    })),
    ...['Adam Smith', 'Berta Klein', 'Carlos Ruiz'].map((name, at) => ({
      id: 80 + at,
      login: `user${at}`,
      email: `user${at}@mail.test`,
      display_name: name,
      first_name: name.split(' ')[0],
      last_name: name.split(' ')[1],
    })),
  ];
  const server = createServer();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const host = createMemoryHost({
    site: {
      url,
      name: 'Fernway',
      timeZone: 'Europe/Berlin',
      loginUrl: `${url}/login`,
      adminUrl: `${url}/affiliate-admin`,
    },
    users,
    clock,
  });
  const quiet = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => console.error(message, fields),
  };
  const { service, app: inside } = openService(host, {
    database: { client: 'better-sqlite3', connection: ':memory:' },
    secret: 'a secret for the tests in the browser',
    brandName: 'Fernway Partners',
    logger: quiet,
    clock,
    jobs: false,
    providers: [bookshop({ 'B-100': 1 })],
    ...options,
  });
  await service.ready();
  if (seed) await fill(service, inside, clock, url);
  clock.now = () => Date.now();
  const app = express();
  app.get('/sign-in/:id', (req, res) => {
    res.setHeader('Set-Cookie', `${host.signIn(Number(req.params.id)).cookie}; Path=/`);
    res.redirect(String(req.query.to ?? '/'));
  });
  app.get('/favicon.ico', (_req, res) => res.status(204).end());
  service.mount(app);
  app.use('/affiliate-admin', consoleApp(service));
  app.use('/partners', portalApp(service, { path: '/partners' }));
  app.get('/', (_req, res) => res.send('<!doctype html><title>Shop</title><p>Shop</p>'));
  server.on('request', app);
  return {
    url,
    host,
    service,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await service.close();
    },
  };
}

async function fill(service, app, clock, url) {
  const roll = dice(7);
  await service.settings.saveReferralConfig({
    rate_type: 'percentage',
    rate: 12,
    currency: 'EUR',
    hold_days: 14,
  });
  const gold = await service.groups.create({
    meta_key: 'Gold partners',
    rate_type: 'percentage',
    rate: 18,
    status: 'active',
    notes: 'More than 50 sales',
  });
  const press = await service.groups.create({
    meta_key: 'Press',
    rate_type: 'flat',
    rate: 10,
    status: 'active',
    notes: '',
  });
  const affiliates = [];
  for (const [at, name] of NAMES.entries()) {
    clock.time += roll(3) * DAY;
    const status = at % 9 === 8 ? 'pending' : at % 13 === 12 ? 'inactive' : 'active';
    const mail = `${name
      .split(' ')[0]
      .toLowerCase()
      .replaceAll(/[^a-z]/g, 'e')}@pay.test`;
    const affiliate = await service.affiliates.create({
      user_id: 10 + at,
      status,
      payment_email: mail,
      ...(at % 5 === 0 && { group_id: gold.id }),
      ...(at % 11 === 3 && { group_id: press.id, rate_type: 'group' }),
      ...(at % 7 === 2 && { rate_type: 'percentage', rate: 15 }),
    });
    affiliates.push(affiliate);
  }
  for (let day = 62; day >= 0; day--) {
    const visits = Array.from({ length: 20 + roll(60) }, () => {
      const who = affiliates[Math.min(roll(26), roll(26))];
      return {
        affiliate_id: who.id,
        url: `${url}/${['', 'lamp', 'mug', 'notebook', 'satchel'][roll(5)]}?ref=${who.id}`,
        referrer: ['', 'https://www.youtube.com/', 'https://blog.example/', 'https://news.example/'][roll(4)],
        utm_campaign: CAMPAIGNS[roll(6)] || null,
        created_at: Date.now() - day * DAY - roll(70_000) * 1000,
      };
    });
    await app.transaction((trx) => app.visits.insertMany(trx, visits));
  }
  clock.time = Date.now() - 62 * DAY;
  let order = 10_400;
  for (let day = 62; day >= 0; day--) {
    const sales = 1 + roll(5);
    for (let sale = 0; sale < sales; sale++) {
      clock.time = Date.now() - day * DAY - roll(70_000) * 1000;
      const who = affiliates[Math.min(roll(26), roll(26), roll(26))];
      if (who.status !== 'active') continue;
      order += 1 + roll(9);
      const total = (18 + roll(260) + roll(100) / 100).toFixed(2);
      await service.conversions.record(null, {
        provider: 'shop',
        reference: String(order),
        type: 'sale',
        status: day > 20 || roll(4) > 0 ? 'unpaid' : 'pending',
        affiliate: who.id,
        description: `Order ${order}`,
        order: { subtotal: total, total },
        customer: {
          email: `buyer${roll(70)}@mail.test`,
          first_name: NAMES[roll(26)].split(' ')[0],
          last_name: NAMES[roll(26)].split(' ')[1],
        },
      });
      if (roll(11) === 0)
        await service.conversions
          .refund({ provider: 'shop', reference: String(order), refunded_total: total })
          .catch(() => undefined);
    }
  }
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const program = await startProgram({ port: Number(process.argv[2] ?? 4600) });
  console.log(`${program.url}/sign-in/1?to=/affiliate-admin/`);
}
