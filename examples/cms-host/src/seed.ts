import type { AffiliateService } from 'affiliate-service';
import type { Sqlite } from './store/open.js';
import type { Users } from './store/users.js';

/** The accounts of the example; password = login. */
export const ACCOUNTS = [
  {
    login: 'admin',
    first_name: 'Ada',
    last_name: 'Admin',
    role: 'administrator',
    about: 'Runs the shop and the affiliate program: approves, corrects, pays.',
    home: '/affiliate-admin',
    button: 'Open the console',
  },
  {
    login: 'manager',
    first_name: 'Mia',
    last_name: 'Manager',
    role: 'subscriber',
    about: 'Looks after affiliates and commissions, and sees nothing else.',
    home: '/affiliate-admin',
    button: 'Open the console',
  },
  {
    login: 'alice',
    first_name: 'Alice',
    last_name: 'Doe',
    role: 'subscriber',
    about: 'An affiliate with a newsletter: links, earnings, payments.',
    home: '/partners',
    button: 'Open the portal',
  },
  {
    login: 'bob',
    first_name: 'Bob',
    last_name: 'Byers',
    role: 'subscriber',
    about: 'A customer who has not applied yet.',
    home: '/partners',
    button: 'Apply as Bob',
  },
  {
    login: 'editor',
    first_name: 'Edi',
    last_name: 'Torres',
    role: 'editor',
    about: 'Writes for the shop and has no right in the program.',
    home: '/affiliate-admin',
    button: 'Knock at the console',
  },
] as const;

/** What the manager may do; the administrator changes it in the console. */
export const MANAGER_RIGHTS = ['manage_all_affiliates', 'read_all_referrals'] as const;

const PRODUCTS = [
  [
    'Walnut desk lamp',
    'A warm, dimmable light with a solid walnut foot and a linen cable. Made to be repaired.',
    'lighting',
    10_000,
  ],
  [
    'Stoneware mug',
    'Thrown by hand and glazed in fern green. Holds a quarter of a litre and survives the dishwasher.',
    'kitchen',
    1850,
  ],
  [
    'Dotted notebook',
    '192 pages of paper that takes a fountain pen, sewn so that it lies flat.',
    'paper',
    1490,
  ],
  ['Canvas satchel', 'Waxed canvas, brass buckles, room for a laptop and for lunch.', 'bags', 8900],
  ['Felt desk mat', 'Wool felt on cork: quiet, soft and big enough for keyboard and mouse.', 'desk', 4200],
  [
    'Fern in a pot',
    'A sturdy plant that forgives a forgotten weekend. Pot and saucer are included.',
    'plants',
    2400,
  ],
] as const;

const PAGES = [
  [
    'about',
    'About us',
    'Fernway is a small workshop that makes things for the desk, and this shop is all there is to it.\n\nIt is also an example: a small content management system with a shop, into which the affiliate service is built. Nothing here is sent, charged or delivered.',
  ],
  [
    'affiliates',
    'Earn with us',
    'Tell people about Fernway and earn ten percent of what they buy.\n\nYou get a link with your name in it. Whoever follows it is remembered for thirty days, and every order in that time earns you a commission. We pay out once a month.',
  ],
  [
    'terms',
    'Terms',
    'Orders placed here are for demonstration only.\n\nCommissions are confirmed when an order is paid and taken back when it is refunded.',
  ],
] as const;

/** Fills an empty CMS; does nothing later. */
export async function seedCms(db: Sqlite, users: Users): Promise<void> {
  for (const { login, first_name, last_name, role } of ACCOUNTS) {
    if (users.findBy('login', login)) continue;
    await users.create({
      login,
      email: `${login}@fernway.test`,
      password: login,
      first_name,
      last_name,
      role,
    });
  }
  db.transaction(() => {
    const product = db.prepare(
      'INSERT OR IGNORE INTO products (id, title, summary, category, price_cents) VALUES (?, ?, ?, ?, ?)',
    );
    PRODUCTS.forEach((row, at) => product.run(at + 1, ...row));
    const page = db.prepare('INSERT OR IGNORE INTO pages (slug, title, content) VALUES (?, ?, ?)');
    for (const row of PAGES) page.run(...row);
    db.prepare("INSERT OR IGNORE INTO coupons (code, percent) VALUES ('WELCOME10', 10)").run();
  }).immediate();
}

/**
 * The program's terms and alice's account. Alice comes last, so a start that was cut short is
 * made up for by the next one.
 */
export async function seedProgram(service: AffiliateService, users: Users): Promise<void> {
  const alice = users.findBy('login', 'alice');
  if (alice === null || (await service.affiliates.findByUser(alice.id))) return;
  await service.settings.saveReferralConfig({
    rate_type: 'percentage',
    rate: 10,
    referral_format: 'username',
    currency: 'USD',
  });
  const manager = users.findBy('login', 'manager');
  if (manager) await service.permissions.setPermissions(manager.id, [...MANAGER_RIGHTS]);
  await service.affiliates.create({ user_id: alice.id, status: 'active', payment_email: alice.email });
}
