// Shoppers and payers against the processes of a cluster:
// what they were told is kept, and compared with the rows at the end.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const PATIENCE = 120_000;

export class Shop {
  /** What was answered with success. */
  orders = new Map();
  visits = new Set();
  payouts = new Map();
  refunds = new Set();
  /** Name → the value that was acknowledged last, and those sent after it: one of them is stored. */
  edits = { cookie_duration: [null], note: [null] };
  refused = {};
  broken = [];
  #hosts;
  #random;
  #open = true;
  #gate = Promise.resolve();
  #pass = () => {};
  #underway = 0;
  #patience;

  /** `patience`: milliseconds until a request that is repeated counts as never answered. */
  constructor(hosts, random, { patience = PATIENCE } = {}) {
    this.#hosts = hosts;
    this.#random = random;
    this.#patience = patience;
  }

  close() {
    this.#open = false;
  }

  get isOpen() {
    return this.#open;
  }

  /** Holds every further request back; resolves when nothing is underway. */
  async pause() {
    this.#gate = new Promise((resolve) => {
      this.#pass = resolve;
    });
    while (this.#underway > 0) await sleep(5);
  }

  resume() {
    this.#pass();
  }

  /** Hosts that were killed are replaced here. */
  replace(at, host) {
    this.#hosts[at] = host;
  }

  #pick(list = this.#hosts) {
    return list[Math.floor(this.#random() * list.length)];
  }

  /**
   * One request; lost connections and refusals that name no fault of the caller are null,
   * so that it is repeated elsewhere.
   */
  async #send(path, { method = 'GET', headers = {}, body, admin = false } = {}) {
    await this.#gate;
    const host = this.#pick();
    this.#underway += 1;
    try {
      const answer = await fetch((admin ? host.url : host.origin) + path, {
        method,
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headers: {
          'User-Agent': AGENT,
          Accept: 'text/html,application/json',
          'Content-Type': 'application/json',
          ...(admin ? host.headers : {}),
          ...headers,
        },
      });
      const text = await answer.text();
      const told = text.startsWith('{') ? JSON.parse(text) : {};
      if (answer.status < 500)
        return {
          status: answer.status,
          body: told,
          cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0],
        };
      this.#note(`${answer.status} ${told.code ?? ''}`);
      if (answer.status !== 503)
        this.broken.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    } catch (error) {
      this.#note(error.cause?.code ?? error.name);
    } finally {
      this.#underway -= 1;
    }
    return null;
  }

  #note(name) {
    this.refused[name] = (this.refused[name] ?? 0) + 1;
  }

  /** Until it is answered, at another host each time. */
  async #insist(path, options) {
    const end = Date.now() + this.#patience;
    for (;;) {
      const answer = await this.#send(path, options);
      if (answer !== null || Date.now() > end) return answer;
      await sleep(50 + this.#random() * 150);
    }
  }

  /** Comes by a link, buys at another process, now and then orders twice or sends the goods back. */
  async visitor(affiliates) {
    while (this.#open) {
      const affiliate = this.#pick(affiliates);
      const below = (limit) => Math.floor(this.#random() * limit);
      const address = `10.${below(200)}.${below(250)}.${1 + below(250)}`;
      const headers = { 'X-Forwarded-For': address, Origin: 'https://shop.test' };
      const click = await this.#send('/track', {
        admin: true,
        method: 'POST',
        headers,
        body: { __aff_id__: String(affiliate), url: 'https://shop.test/?ref=x' },
      });
      if (click === null || click.body.message !== 'success') {
        if (click !== null) this.#note(`click: ${click.body.message ?? click.status}`);
        await sleep(50);
        continue;
      }
      this.visits.add(click.body.visit_id);
      await sleep(this.#random() * 200);
      const order = {
        provider: 'shop',
        reference: randomUUID(),
        type: 'sale',
        status: 'unpaid',
        order: { subtotal: '100.00' },
        customer: { email: `${randomUUID()}@example.test` },
      };
      const sent = { method: 'POST', headers: { ...headers, Cookie: click.cookie }, body: order };
      const twice = this.#random() < 0.1;
      const answers = await Promise.all(
        Array.from({ length: twice ? 2 : 1 }, () => this.#insist('/order', sent)),
      );
      for (const answer of answers)
        this.#keep(order.reference, { affiliate, visit: click.body.visit_id }, answer);
      if (this.#random() < 0.2) await this.#sendBack(order.reference);
    }
  }

  async #sendBack(reference) {
    const body = { reference, refunded_total: '50.00' };
    const answer = await this.#insist('/refund', { method: 'POST', body });
    if (answer?.status === 200) this.refunds.add(reference);
    else this.broken.push(`refund of ${reference}: ${JSON.stringify(answer)}`);
  }

  #keep(reference, { affiliate, visit }, answer) {
    const referral = answer?.body.referral;
    if (answer === null) this.broken.push(`order ${reference}: no answer`);
    else if (!referral) this.broken.push(`order ${reference}: ${JSON.stringify(answer.body).slice(0, 200)}`);
    else if (this.orders.has(reference) && this.orders.get(reference).id !== referral.id)
      this.broken.push(`order ${reference}: two referrals`);
    else this.orders.set(reference, { id: referral.id, affiliate, visit });
  }

  /**
   * Several payers at once at different processes, each with its own key,
   * which it repeats until there is an answer.
   */
  async payers(count) {
    while (this.#open) {
      await Promise.all(Array.from({ length: count }, () => this.#pay()));
      await sleep(200 + this.#random() * 300);
    }
  }

  async #pay() {
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { config: { title: 'Load', description: 'Load' } };
    const answer = await this.#insist('/payouts/process-payout', {
      admin: true,
      method: 'POST',
      headers,
      body,
    });
    if (answer === null) this.broken.push('payout: no answer');
    else if (answer.status === 200) this.payouts.set(answer.body.payout.id, answer.body.payout.total_amount);
    else this.#note(`payout: ${answer.body.code}`);
    return answer;
  }

  /** Marks transactions paid, takes some back, edits and rejects referrals, as people in an office do. */
  async clerk() {
    while (this.#open) {
      const what = this.#random();
      if (what < 0.5) await this.#transactions(what < 0.35 ? 'PATCH' : 'DELETE');
      else await this.#referrals();
      await sleep(100 + this.#random() * 200);
    }
  }

  /** Saves a setting and a note again and again. */
  async office(affiliate) {
    for (let at = 1; this.#open; at += 1) {
      const [days, note] = [1 + (at % 300), `Note ${at}`];
      await this.#edit('cookie_duration', days, '/settings/referral-config', 'POST', {
        referral_config: { cookie_duration: days },
      });
      await this.#edit('note', note, `/affiliates/${affiliate}`, 'PATCH', { note });
      await sleep(100 + this.#random() * 200);
    }
  }

  async #edit(name, value, path, method, body) {
    this.edits[name].push(value);
    const answer = await this.#send(path, { admin: true, method, body });
    if (answer?.status === 200) this.edits[name] = [value];
    else if (answer !== null) this.broken.push(`${method} ${path}: ${answer.status} ${answer.body.code}`);
  }

  async #transactions(method) {
    const payouts = await this.#send('/payouts?per_page=5', { admin: true });
    const payout = this.#pick(payouts?.body.payouts?.data ?? []);
    if (!payout) return;
    const page = await this.#send(`/payouts/${payout.id}/transactions?per_page=20`, { admin: true });
    const transaction = this.#pick(page?.body.transactions?.data ?? []);
    if (transaction)
      await this.#send(`/payouts/${payout.id}/transactions/${transaction.id}`, {
        admin: true,
        method,
        ...(method === 'PATCH' && { body: { status: 'paid' } }),
      });
  }

  async #referrals() {
    const page = await this.#send('/referrals?per_page=20&status=unpaid', { admin: true });
    const referral = this.#pick(page?.body.referrals?.data ?? []);
    if (referral)
      await this.#send(`/referrals/${referral.id}`, {
        admin: true,
        method: 'PATCH',
        body: this.#random() < 0.5 ? { description: `Looked at ${this.#random()}` } : { status: 'rejected' },
      });
  }
}
