import { randomUUID } from 'node:crypto';
import {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
} from 'affiliate-service';
import type { HostAdapter, HostMail } from 'affiliate-service/adapters';
import { Checkout } from '../checkout.js';
import type { Orders } from '../store/orders.js';
import type { Products } from '../store/products.js';
import type { Users } from '../store/users.js';
import { AFFILIATES, BUYERS, type DemoAffiliate } from './people.js';
import { MANAGER_RIGHTS } from '../seed.js';
import { addMaterial, addProgram } from './program.js';
import { Dice } from './random.js';
import { visit } from './visitor.js';

export interface DemoParts {
  readonly host: HostAdapter;
  readonly users: Users;
  readonly orders: Orders;
  readonly products: Products;
  readonly siteUrl: string;
  readonly options: AffiliateServiceOptions;
  /** Where the mails of those months go. */
  readonly keepMail: (mail: HostMail, at: number) => void;
}

const DAY = 86_400_000;
const DAYS = 120;
/** Sales older than this many days have sent no mail, so that the first start is quick. */
const MAILS = 3;
const HOURS = [9, 13, 16, 20];
const BUYS = 0.1;
/** One sale in so many is paid by invoice: some of the newest always wait for their payment. */
const INVOICE_EVERY = 5;
/** Weekdays bring more than weekends; Sunday first. */
const WEEK = [0.7, 1.1, 1.15, 1.1, 1, 0.9, 0.65];

interface Later {
  readonly day: number;
  readonly what: 'complete' | 'refund' | 'part';
  readonly order: number;
}

/** Four months of a program, lived through by a service whose clock is set back. */
export class Demo {
  readonly #dice = new Dice(7);
  readonly #later: Later[] = [];
  readonly #names = new Map<string, string>();
  #sales = 0;
  #now: number;
  readonly #today: number;

  constructor(private readonly parts: DemoParts) {
    this.#today = Math.floor(Date.now() / DAY);
    this.#now = (this.#today - DAYS) * DAY;
  }

  async run(): Promise<void> {
    const service = createAffiliateService(this.parts.host, {
      ...this.parts.options,
      clock: { now: () => this.#now },
      jobs: false,
      mailer: { send: async (mail: HostMail) => this.parts.keepMail(mail, this.#now) },
    });
    await service.ready();
    try {
      await addProgram(service);
      await tellOfSales(service, 'no');
      const manager = this.parts.users.findBy('login', 'manager');
      if (manager) await service.permissions.setPermissions(manager.id, [...MANAGER_RIGHTS]);
      for (let day = this.#today - DAYS; day <= this.#today; day += 1) await this.#day(service, day);
      this.#now = Date.now();
      await addMaterial(service, this.parts.siteUrl);
      await this.#flush(service);
    } finally {
      await service.close();
    }
  }

  async #day(service: AffiliateService, day: number): Promise<void> {
    const age = this.#today - day;
    if (age === MAILS) {
      await this.#flush(service);
      await tellOfSales(service, 'yes');
    }
    this.#now = Math.min(day * DAY + 7 * 3_600_000, Date.now());
    for (const person of AFFILIATES.filter(({ joined }) => joined === age)) await this.#join(service, person);
    await this.#changes(service, day);
    if (new Date(day * DAY).getUTCDate() === 5) await this.#pay(service, age);
    for (const hour of HOURS) {
      const moment = day * DAY + hour * 3_600_000 + this.#dice.below(3_000_000);
      if (moment > Date.now() - 60_000) break;
      this.#now = moment;
      await this.#clicks(service, day);
    }
    if (age % 10 === 0) await this.#flush(service);
  }

  async #join(service: AffiliateService, person: DemoAffiliate): Promise<void> {
    const { users } = this.parts;
    const user =
      users.findBy('login', person.login) ??
      (await users.create({
        login: person.login,
        email: `${person.login}@example.test`,
        password: randomUUID(),
        first_name: person.first_name,
        last_name: person.last_name,
      }));
    const groups = await service.groups.list({ page: 1, per_page: 20 });
    const group = groups.rows.find((row) => row['meta_key'] === person.group);
    await service.affiliates.create({
      user_id: user.id,
      status: person.status === 'pending' ? 'pending' : 'active',
      payment_email: `pay-${person.login}@example.test`,
      note: person.note,
      ...(group && { group_id: Number(group['id']), rate_type: 'group' }),
    });
    this.#names.set(person.login, person.login);
  }

  async #clicks(service: AffiliateService, day: number): Promise<void> {
    const season =
      (WEEK[new Date(day * DAY).getUTCDay()] ?? 1) * (0.65 + (0.6 * (DAYS - this.#today + day)) / DAYS);
    const active = AFFILIATES.filter(({ login, clicks }) => clicks > 0 && this.#names.has(login));
    const views = active.flatMap((person) =>
      Array.from({ length: this.#dice.around((person.clicks * season) / HOURS.length) }, () => person),
    );
    await Promise.all(views.map((person) => this.#view(service, person)));
  }

  async #view(service: AffiliateService, person: DemoAffiliate): Promise<void> {
    const dice = this.#dice;
    const product = 1 + dice.below(6);
    const page = dice.next() < 0.5 ? '/' : `/products/${product}`;
    const campaign = dice.next() < 0.7 ? `&utm_campaign=${dice.pick(person.campaigns)}` : '';
    const address = `${20 + dice.below(150)}.${dice.below(256)}.${dice.below(256)}.${1 + dice.below(250)}`;
    const buys = dice.next() < BUYS;
    const buyer = dice.pick(BUYERS);
    const quantity = dice.next() < 0.85 ? 1 : 2;
    const fate = dice.next();
    const referrer = dice.next() < 0.75 ? person.from : '';
    const cookie = await visit(
      service,
      { url: `${page}?ref=${person.login}${campaign}`, referrer, address },
      new URL(this.parts.siteUrl).host,
    );
    if (buys && cookie !== '') await this.#buy(service, { cookie, buyer, product, quantity, fate });
  }

  async #buy(
    service: AffiliateService,
    how: {
      readonly cookie: string;
      readonly buyer: readonly [string, string];
      readonly product: number;
      readonly quantity: number;
      readonly fate: number;
    },
  ): Promise<void> {
    const { orders, products } = this.parts;
    const [first, last] = how.buyer;
    const product = products.find(how.product);
    if (!product) return;
    this.#sales += 1;
    const payment = this.#sales % INVOICE_EVERY === 0 ? 'invoice' : 'card';
    const order = orders.place(
      {
        checkout_key: randomUUID(),
        user_id: null,
        email: `${first}.${last}@example.test`.toLowerCase(),
        first_name: first,
        last_name: last,
        coupon: null,
        payment,
        discount_cents: 0,
        tracking: how.cookie,
        items: [
          {
            product_id: product.id,
            title: product.title,
            category: product.category,
            quantity: how.quantity,
            price_cents: product.price_cents,
          },
        ],
      },
      new Date(this.#now),
    );
    await this.#checkout(service).settle(order);
    const day = Math.floor(this.#now / DAY);
    const later = (what: Later['what'], days: number): void => {
      this.#later.push({ day: day + days, what, order: order.id });
    };
    if (payment === 'invoice') later('complete', 4 + (order.id % 6));
    else if (how.fate > 0.95) later('refund', 3 + (order.id % 9));
    else if (how.fate > 0.91 && how.quantity === 2) later('part', 2 + (order.id % 7));
  }

  async #changes(service: AffiliateService, day: number): Promise<void> {
    const { orders } = this.parts;
    for (const { what, order: id } of this.#later.filter((change) => change.day === day)) {
      const half = Math.round((orders.find(id)?.subtotal_cents ?? 0) / 2);
      const order =
        what === 'complete' ? orders.complete(id) : orders.refund(id, what === 'part' ? half : null);
      if (order) await this.#checkout(service).settle(order);
    }
    if (day === this.#today - 60) {
      const paolo = this.parts.users.findBy('login', 'paolo');
      const affiliate = paolo && (await service.affiliates.findByUser(paolo.id));
      if (affiliate) await service.affiliates.changeStatus(affiliate.id, 'inactive');
    }
  }

  /**
   * On the fifth of a month, what was earned until the end of the one before;
   * the newest payout is still on its way.
   */
  async #pay(service: AffiliateService, age: number): Promise<void> {
    const until = new Date(this.#now);
    until.setUTCDate(0);
    const month = until.toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const config = {
      title: `Commissions until ${month}`,
      description: `Everything earned until the end of ${month}.`,
      end_date: until.toISOString().slice(0, 10),
      min_payout: 10,
    };
    const preview = await service.payouts.preview(config);
    if (Number(preview['payable_total_amount'] ?? 0) === 0) return;
    const payout = await service.payouts.process(config);
    if (age > 31) await service.payouts.markAllPaid(payout.id);
  }

  #checkout(service: AffiliateService): Checkout {
    return new Checkout({ orders: this.parts.orders, products: this.parts.products, service });
  }

  async #flush(service: AffiliateService): Promise<void> {
    await service.emails.deliverDue();
  }
}

async function tellOfSales(service: AffiliateService, active: 'yes' | 'no'): Promise<void> {
  for (const mail of ['new_sale_to_admin', 'new_sale_to_affiliate'])
    await service.emails.notifications.save(mail, { active });
}
