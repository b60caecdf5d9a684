import type { createMemoryHost } from '../adapters/memory-host.js';
import { catalog } from '../hooks/catalog.js';
import type { App } from '../src/app/app.js';
import type { AffiliateService, HostMail } from '../src/index.js';

/** An entry of the ledger: what a step did to the earnings of an affiliate, in minor units. */
export interface Booked {
  readonly affiliate: string;
  readonly kind: string;
  readonly total: number;
  readonly unpaid: number;
  readonly currency: string;
}

/** What a step led to. */
export interface Effects {
  readonly ledger: readonly Booked[];
  /** The names of the actions that were called, in their order. */
  readonly hooks: readonly string[];
  readonly events: readonly { readonly type: string; readonly data: unknown }[];
  readonly mails: readonly Pick<HostMail, 'to' | 'subject'>[];
}

type Host = ReturnType<typeof createMemoryHost>;

/** Notes what happens in a program, and hands it out step by step. */
export class Recorder {
  #hooks: string[] = [];
  #entry = 0;
  #event = 0;
  #mail = 0;

  constructor(
    private readonly app: App,
    private readonly service: AffiliateService,
    private readonly host: Host,
  ) {
    for (const [name, line] of Object.entries(catalog)) {
      if (line.kind !== 'after' || name.includes('{')) continue;
      service.hooks.addAction(name as 'loaded', () => {
        this.#hooks.push(name);
      });
    }
  }

  /** What happened since the last call. */
  async take(): Promise<Effects> {
    const hooks = this.#hooks;
    this.#hooks = [];
    const mails = this.host.mailbox.slice(this.#mail).map(({ to, subject }) => ({ to, subject }));
    this.#mail = this.host.mailbox.length;
    return { ledger: await this.#booked(), hooks, events: await this.#events(), mails };
  }

  async #booked(): Promise<Booked[]> {
    const rows: Readonly<Record<string, unknown>>[] = await this.app
      .db('ledger_entries')
      .select('id', 'affiliate_id', 'kind', 'total_delta_minor', 'unpaid_delta_minor', 'currency')
      .where('id', '>', this.#entry)
      .orderBy('id');
    this.#entry = Number(rows.at(-1)?.['id'] ?? this.#entry);
    const affiliates = await this.service.affiliates.findMany(rows.map((row) => Number(row['affiliate_id'])));
    const users = await this.host.users.find([...affiliates.values()].map(({ user_id: id }) => id ?? 0));
    const nameOf = (id: number): string =>
      users.find((user) => user.id === affiliates.get(id)?.user_id)?.login ?? `affiliate ${id}`;
    return rows.map((row) => ({
      affiliate: nameOf(Number(row['affiliate_id'])),
      kind: String(row['kind']),
      total: Number(row['total_delta_minor']),
      unpaid: Number(row['unpaid_delta_minor']),
      currency: String(row['currency']),
    }));
  }

  async #events(): Promise<Effects['events']> {
    const events = await this.service.webhooks.list(this.#event);
    this.#event = events.at(-1)?.id ?? this.#event;
    return events.map(({ type, data }) => ({ type, data }));
  }
}
