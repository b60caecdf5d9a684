import type { Db } from '../db.js';
import type { SchemaStep, SchemaTools } from '../migrate.js';
import { count } from './columns.js';

const STATUSES = ['paid', 'unpaid', 'pending', 'rejected', 'cancelled', 'processing'] as const;
const PART = 200_000; // visits a statement looks at, so that none meets the time limit

/** Every filter and order has an index, converted clicks a mark and a counter, and what referrals add up to is stored. */
export const countedListsStep: SchemaStep = {
  id: '004-counted-lists',
  async up(tools) {
    await indexes(tools);
    await convertedVisits(tools);
    await referralTotals(tools);
  },
};

async function indexes({ column, generated, index, dropIndex }: SchemaTools): Promise<void> {
  // whole addresses are longer than a key may be
  await column('visits', 'url_key', generated('varchar(500)', 'substr(url, 1, 500)'));
  await column('visits', 'referrer_key', generated('varchar(191)', 'substr(referrer, 1, 191)'));
  await column('affiliates', 'payment_email_key', generated('varchar(191)', 'lower(payment_email)'));
  await index('visits', ['url_key', 'id']);
  for (const name of ['referrer_key', 'ip', 'user_id', 'referral_id'])
    await index('visits', [name, 'id'], name); // searched for, never sorted by
  for (const name of ['payment_email_key', 'updated_at', 'rate_e4']) await index('affiliates', [name, 'id']);
  await index('payout_transactions', ['payout_id', 'id']);
  await index('referrals', ['affiliate_id', 'id', 'status']); // in order, and tells what the affiliate may see
  await dropIndex('referrals', ['affiliate_id', 'id']);
  for (const name of ['utm_campaign', 'description', 'provider_sub_id', 'currency'])
    await index('referrals', [name, 'id']);
}

async function convertedVisits({ db, column, index }: SchemaTools): Promise<void> {
  await column('visits', 'converted', 'smallint not null default 0'); // 1: a referral names the visit
  await column('affiliates', 'visits_converted', 'bigint not null default 0');
  await markConverted(db);
  await index('visits', ['converted', 'id']);
}

async function referralTotals({ db, create, key, column, dropIndex }: SchemaTools): Promise<void> {
  await create('referral_totals', (t) => {
    // one row per affiliate, provider and currency; '' for none
    t.bigInteger('affiliate_id').notNullable();
    key(t, 'provider', 100).notNullable();
    key(t, 'currency', 3).notNullable();
    count(t, ...STATUSES); // referrals
    count(t, 'paid_minor', 'paid_order_minor', 'unpaid_minor', 'unpaid_order_minor');
    t.primary(['affiliate_id', 'provider', 'currency']);
  });
  await column('affiliates', 'referral_changes', 'bigint not null default 0'); // grows with every change of a stored referral
  await countReferrals(db);
  await dropIndex('referrals', ['status', 'currency', 'amount_minor', 'order_total_minor']); // figures are read from the totals
}

async function countReferrals(db: Db): Promise<void> {
  const figures = [
    ...STATUSES.map((status) => `sum(case when status = '${status}' then 1 else 0 end)`),
    ...['paid', 'unpaid'].flatMap((status) =>
      ['amount_minor', 'coalesce(order_total_minor, 0)'].map(
        (value) => `sum(case when status = '${status}' then ${value} else 0 end)`,
      ),
    ),
  ];
  await db('referral_totals').delete();
  await db.execute(
    `insert into ${db.name('referral_totals')} (affiliate_id, provider, currency, ${STATUSES.join(', ')}, paid_minor, paid_order_minor, unpaid_minor, unpaid_order_minor) ` +
      `select coalesce(affiliate_id, 0), coalesce(provider, ''), coalesce(currency, ''), ${figures.join(', ')} from ${db.name('referrals')} ` +
      "group by coalesce(affiliate_id, 0), coalesce(provider, ''), coalesce(currency, '')",
  );
}

async function markConverted(db: Db): Promise<void> {
  const [visits, referrals] = [db.name('visits'), db.name('referrals')];
  const newest = (await db('visits').max({ id: 'id' }).first()) as
    { readonly id: number | string | null } | undefined;
  for (let from = 0; from < Number(newest?.id ?? 0); from += PART) {
    await db.execute(
      `update ${visits} set converted = 1 where id > ? and id <= ? and converted = 0 ` +
        `and id in (select visit_id from ${referrals} where visit_id > ? and visit_id <= ?)`,
      [from, from + PART, from, from + PART],
    );
  }
  await db.execute(
    `update ${db.name('affiliates')} set visits_converted = ` +
      `(select count(*) from ${visits} v where v.affiliate_id = ${db.name('affiliates')}.id and v.converted = 1)`,
  );
}
