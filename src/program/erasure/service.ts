import { isMap } from '../../core/is-map.js';
import type { Db } from '../../platform/database/db.js';
import type { EventData } from '../event-log/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { Person } from './types.js';

/** Shorter texts also match other people's data. */
const WORD_MIN = 5;
/** Texts about a person in entries of the audit log: the reason of a decision, redirect links, the shop's name of a buyer. */
const PERSONAL_FIELDS = ['reason', 'slug', 'url', 'utm_campaign', 'customer_ref'];
/** The state of an idempotent request whose effect is stored and whose response is not. */
const COMMITTED = 0;

/**
 * Erases what other tables hold of a person; `places.ts` lists these places. The module that owns the person's row
 * empties the row itself.
 */
export class ErasureService {
  constructor(private readonly app: Deps) {}

  /**
   * `row`: the affiliate as stored, and its user. `blank`: the personal fields of its record, empty. Called before
   * the change is recorded as an event.
   */
  async affiliate(trx: Db, id: number, { row, blank }: { row: unknown; blank: EventData }): Promise<void> {
    const values = await store.linkValues(trx, id);
    const person: Person = {
      kind: 'affiliate',
      ids: [id, ...(await store.mergedIds(trx, id))],
      blank,
      words: wordsOf([row, values]),
    };
    await store.eraseMails(trx, person, this.app.clock.now());
    await store.eraseClicks(trx, { affiliates: person.ids });
    await store.deleteOwn(trx, person);
    await this.#everywhere(trx, person);
  }

  /** `visits`: the clicks of the buyer. */
  async customer(
    trx: Db,
    id: number,
    { row, blank, visits }: { row: unknown; blank: EventData; visits: readonly number[] },
  ): Promise<void> {
    await store.eraseClicks(trx, { visits });
    await this.#everywhere(trx, { kind: 'customer', ids: [id], blank, words: wordsOf(row) });
  }

  async #everywhere(trx: Db, person: Person): Promise<void> {
    await store.eraseEvents(trx, person);
    const fields = [...Object.keys(person.blank), ...PERSONAL_FIELDS];
    await store.eraseAudit(trx, person, (value) => this.app.audit.conceal(value, fields));
    await store.eraseMentions(trx, person, COMMITTED);
  }
}

/** The texts inside a value that are long enough to identify a person. */
function wordsOf(value: unknown): string[] {
  const words = new Set<string>();
  const add = (part: unknown): void => {
    if (typeof part === 'string' && part.trim().length >= WORD_MIN)
      words.add(JSON.stringify(part.trim()).slice(1, -1));
    else if (Array.isArray(part)) part.forEach(add);
    else if (isMap(part)) Object.values(part).forEach(add);
  };
  add(value);
  return [...words].slice(0, WORDS_MAX);
}

/** A statement compares at most this many texts. */
const WORDS_MAX = 50;
