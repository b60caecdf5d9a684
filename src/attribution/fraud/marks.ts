import { mailbox } from '../../core/mailbox.js';
import { DAY } from '../../core/duration.js';
import type { Db } from '../../platform/database/db.js';
import { addressKey } from '../../platform/http/client-address.js';
import type { Affiliate } from '../../program/affiliates/types.js';
import type { Deps } from './deps.js';
import * as store from './repository.js';
import type { MarkKind } from './types.js';

/** How long marks are stored: an address changes hands after a while, a card does not. */
const KEPT_MS = { address: 90 * DAY, payment: 730 * DAY } as const;
const PAGE = 500;
const PAGES = 100;
const PROGRESS = 'fraud_payout_marks';
const IBAN = /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b/g;
const TEXT_MIN = 8;

interface Progress {
  readonly upto: number;
  /** Identifies the secret with which the marks were made; with another secret they have to be made again. */
  readonly made_with?: string;
}

type FraudMark = keyof typeof KEPT_MS;

/** Keyed hashes by which affiliates are recognized again. */
export class AffiliateMarks {
  constructor(private readonly app: Deps) {}

  async has(affiliateId: number, kind: FraudMark, value: string | null): Promise<boolean> {
    if (value === null || value === '') return false;
    return store.hasMark(
      this.app.db,
      affiliateId,
      kind,
      this.app.secrets.signatures(purposeOf(kind), spelled(kind, value)),
      this.app.clock.now() - KEPT_MS[kind],
    );
  }

  /** Remembers an address or a means of payment of the affiliate; only while a rule asks for it. */
  async saw(affiliateId: number, kind: FraudMark, value: string | null): Promise<void> {
    if (value === null || value === '') return;
    const { sameAddress, samePayment } = (await this.app.settings.rules()).fraud;
    if ((kind === 'address' ? sameAddress : samePayment) === 'off') return;
    await store.addMarks(this.app.db, [
      { affiliate_id: affiliateId, kind, mark: this.#mark(kind, value), seen_at: this.app.clock.now() },
    ]);
  }

  /** Another affiliate who is paid to the same place. */
  async sharesPayout(affiliate: Affiliate): Promise<number | null> {
    const marks = payoutPlaces(affiliate).flatMap((each) =>
      this.app.secrets.signatures(purposeOf('payout'), each),
    );
    return marks.length === 0 ? null : store.sharesMark(this.app.db, affiliate.id, 'payout', marks);
  }

  /** Stores where affiliates are paid, after that was entered or changed. */
  async learnPayout(db: Db, affiliates: readonly Affiliate[]): Promise<void> {
    const now = this.app.clock.now();
    const marks = affiliates.flatMap((affiliate) =>
      payoutPlaces(affiliate).map((place) => ({
        affiliate_id: affiliate.id,
        kind: 'payout' as const,
        mark: this.#mark('payout', place),
        seen_at: now,
      })),
    );
    await store.replaceMarks(
      db,
      affiliates.map(({ id }) => id),
      'payout',
      marks,
    );
  }

  /** Processes affiliates that were imported or are older than the marks; a part of them each time. */
  async catchUp(): Promise<number> {
    if ((await this.app.settings.rules()).fraud.sharedPayout === 'off') return 0;
    const madeWith = this.app.secrets.sign(PROGRESS, '');
    const known = await this.app.settings.read<Progress>(PROGRESS, { upto: 0 });
    let upto = known.made_with === madeWith ? known.upto : 0; // with another secret, marks are made again
    let done = 0;
    for (let page = 0; page < PAGES; page++) {
      const ids = await store.affiliateIdsAfter(this.app.db, upto, PAGE);
      const last = ids.at(-1);
      if (last === undefined) break;
      const affiliates = [...(await this.app.affiliates.findMany(ids)).values()];
      await this.app.transaction(async (trx, afterCommit) => {
        await this.learnPayout(trx, affiliates);
        await this.app.settings.write(trx, afterCommit, PROGRESS, { upto: last, made_with: madeWith });
      });
      upto = last;
      done += ids.length;
    }
    return done;
  }

  async purge(now: number): Promise<number> {
    const kinds = Object.entries(KEPT_MS) as [FraudMark, number][];
    let purged = 0;
    for (const [kind, lifetime] of kinds) purged += await store.purgeMarks(this.app.db, kind, now - lifetime);
    return purged;
  }

  #mark(kind: MarkKind, value: string): string {
    return this.app.secrets.sign(purposeOf(kind), spelled(kind, value));
  }
}

/** One spelling per subscriber: IPv6 by its /64 network. */
const spelled = (kind: MarkKind, value: string): string => (kind === 'address' ? addressKey(value) : value);

const purposeOf = (kind: MarkKind): string => `affiliate-${kind}`;

/** Where an affiliate is paid: mailbox and accounts, in one spelling. */
const payoutPlaces = ({ payment_email: email, settings }: Affiliate): string[] => [
  ...new Set([mailbox(email), ...accountsOf(settings.bank_details)].filter((each) => each !== null)),
];

/** The account numbers in a text, else the text itself in one spelling. */
function accountsOf(details: string): string[] {
  const text = details.toUpperCase();
  const plain = (part: string): string => part.replaceAll(/[^A-Z0-9]/g, '');
  const numbers = [...text.matchAll(IBAN)].map(([number]) => plain(number));
  if (numbers.length > 0) return numbers;
  return plain(text).length >= TEXT_MIN ? [plain(text)] : [];
}
