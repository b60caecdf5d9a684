import {
  defineMigrator,
  HookVeto,
  type Affiliate,
  type AffiliateService,
  type Extension,
  type PayoutMethod,
  type SourceAffiliate,
} from 'affiliate-service';
import { standardProvider } from 'affiliate-service/adapters';

export interface LoyaltyOptions {
  /** Members of a deleted group move to this one, which cannot be deleted. */
  readonly fallbackGroup: string;
  /** From this number of points on, an affiliate gets a mail, once. */
  readonly mailFrom: number;
  /** Secrets of the tills in the shops, which report their orders. */
  readonly tillSecrets: readonly string[];
  /** Affiliates of the former program. */
  readonly formerMembers?: readonly FormerMember[];
  /** Gives a voucher to an affiliate. A voucher with the same number is given only once. */
  readonly issueVoucher: (voucher: {
    readonly number: string;
    readonly email: string;
    readonly amount: string;
  }) => void | Promise<void>;
}

export interface FormerMember {
  readonly number: string;
  readonly email: string;
}

/** An affiliate has one point for each whole unit of money it has earned. */
export const pointsOf = (affiliate: Affiliate): number => Math.floor(affiliate.total_earnings_minor / 100);

/** A loyalty program: one object with everything an extension can add (docs/extensions.md). */
export function loyalty(options: LoyaltyOptions): Extension {
  return {
    name: 'loyalty',

    groupFields: [
      {
        name: 'tier',
        label: { en: 'Tier', de: 'Stufe', es: 'Nivel', fr: 'Niveau', ar: 'المستوى' },
        type: 'select',
        options: [
          { value: 'bronze', label: 'Bronze' },
          { value: 'silver', label: { en: 'Silver', de: 'Silber', es: 'Plata', fr: 'Argent', ar: 'فضي' } },
          { value: 'gold', label: { en: 'Gold', es: 'Oro', fr: 'Or', ar: 'ذهبي' } },
        ],
      },
    ],
    affiliateFields: [
      {
        name: 'card_number',
        label: { en: 'Number of the loyalty card', de: 'Nummer der Kundenkarte' },
      },
    ],

    hooks: {
      before_delete_affiliate_group: async (group, { service }) => {
        if (group.meta_key === options.fallbackGroup) throw new HookVeto('The fallback group stays.');
        await moveMembers(service, group.id, await fallbackId(service, options.fallbackGroup));
      },
      referral_marked_unpaid: async ({ affiliate_id: id }, { service }) => {
        const affiliate = id === null ? null : await service.affiliates.find(id);
        const points = affiliate === null ? 0 : pointsOf(affiliate);
        if (affiliate === null || points < options.mailFrom) return;
        // the id makes it one mail, however often this runs
        await service.emails.send('points_to_affiliate', {
          affiliate_id: affiliate.id,
          id: `from-${options.mailFrom}`,
          values: { points },
        });
      },
    },

    mails: [
      {
        key: 'points_to_affiliate',
        title: 'Points reached',
        description: 'Tells affiliates that they have enough points for a voucher.',
        recipient: 'affiliate',
        subject: { en: 'You have {{mail.points}} points', de: 'Sie haben {{mail.points}} Punkte' },
        body: {
          en: '<p>Hello {{user.display_name}},</p><p>you have {{mail.points}} points. Ask for a voucher.</p>',
          de: '<p>Hallo {{user.display_name}},</p><p>Sie haben {{mail.points}} Punkte. Lösen Sie sie ein.</p>',
        },
        codes: { points: { label: { en: 'Points', de: 'Punkte' }, example: '120' } },
      },
    ],

    payoutMethods: [voucherMethod(options)],
    providers: [
      standardProvider({ key: 'till', title: 'Tills', secrets: options.tillSecrets, enabled: true }),
    ],
    migrators: [
      defineMigrator({
        slug: 'former_loyalty',
        name: 'Former loyalty program',
        stages: { affiliates: readerOf(options.formerMembers ?? []) },
      }),
    ],

    consolePages: [
      {
        title: { en: 'Points', de: 'Punkte', es: 'Puntos', fr: 'Points', ar: 'النقاط' },
        path: 'points',
        module: new URL('../pages/console.js', import.meta.url),
        right: 'affiliates',
      },
      { title: 'Tills', path: 'tills', url: '/loyalty/tills' },
    ],
    portalPages: [
      {
        title: { en: 'Points', de: 'Punkte', es: 'Puntos', fr: 'Points', ar: 'النقاط' },
        path: 'points',
        module: new URL('../pages/portal.js', import.meta.url),
      },
    ],
    widgets: [
      (affiliate) => ({
        title: 'Loyalty',
        content: `<p>Points: <strong>${pointsOf(affiliate)}</strong></p>`,
      }),
    ],

    // everything that needs the service when the program starts
    setup: async (service) => {
      await fallbackId(service, options.fallbackGroup);
    },
    close: () => {
      process.stdout.write('The loyalty program is closed.\n');
    },
  };
}

/** Pays with vouchers: who is paid comes with each transaction. */
const voucherMethod = ({ issueVoucher }: LoyaltyOptions): PayoutMethod => ({
  key: 'voucher',
  title: 'Voucher',
  acknowledge: (transaction, _payout, payee) =>
    issueVoucher({ number: `T${transaction.id}`, email: payee.email, amount: payee.amount }),
});

/** Pages of a list; the cursor is the place where the next one begins. */
const readerOf = (members: readonly FormerMember[]) => ({
  count: () => members.length,
  page: (cursor: string | null, limit: number) => {
    const from = Number(cursor ?? 0);
    const rows = members.slice(from, from + limit).map(({ number, email }): SourceAffiliate => ({
      id: number,
      user: { email },
      status: 'active',
      payment_email: email,
    }));
    return { rows, nextCursor: String(from + rows.length), done: from + rows.length >= members.length };
  },
});

type Groups = Pick<AffiliateService, 'groups' | 'affiliates'>;

async function fallbackId({ groups }: Groups, name: string): Promise<number> {
  const known = (await groups.names()).find((group) => group.name === name);
  return known?.id ?? (await groups.create({ meta_key: name, rate_type: 'default', status: 'active' })).id;
}

const PAGE = 200;

async function moveMembers({ affiliates }: Groups, from: number, to: number): Promise<void> {
  for (;;) {
    // Each round empties the first page.
    const { rows } = await affiliates.list(
      { page: 1, per_page: PAGE, groupId: from },
      { bankDetails: false },
    );
    for (const { id } of rows) await affiliates.update(Number(id), { group_id: to });
    if (rows.length < PAGE) return;
  }
}
