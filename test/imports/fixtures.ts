import {
  addUsers,
  affiliateOf,
  at,
  GONE,
  MOJIBAKE,
  NO_DATE,
  noisy,
  PHP_HOSTILE,
  PHP_PRODUCTS,
  times,
  userOf,
  type OldSite,
  type OldRow,
} from './old-site.js';

const CURRENCIES = ['USD', 'USD', 'EUR', '', 'JPY'];
const currencyOf = (n: number): string => CURRENCIES[n % CURRENCIES.length] ?? '';
const word = <T>(words: readonly T[], n: number): T => words[n % words.length] as T;

export async function affiliateWp(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.insert('options', [
    {
      option_name: 'affwp_settings',
      option_value: 'a:2:{s:8:"currency";s:3:"USD";s:18:"referral_rate_type";s:10:"percentage";}',
    },
  ]);
  await site.table('affiliate_wp_affiliates', {
    affiliate_id: 'id',
    user_id: 'int',
    rate: 'str',
    rate_type: 'str',
    payment_email: 'str',
    status: 'str',
    earnings: 'str',
    unpaid_earnings: 'str',
    date_registered: 'date',
  });
  await site.insert(
    'affiliate_wp_affiliates',
    times(size.affiliates, (n) => ({
      user_id: userOf(n, size),
      rate: word([null, '0', '12.5', '150'], n),
      rate_type: word(['', 'percentage', 'flat'], n),
      payment_email: n % 9 ? `pay${n}@old.test` : 'not an address',
      status: word(['active', 'active', 'pending', 'rejected', 'inactive'], n),
      earnings: '100.5',
      unpaid_earnings: '3',
      date_registered: n % 11 ? at(n) : NO_DATE,
    })),
  );
  await site.table('affiliate_wp_referrals', {
    referral_id: 'id',
    affiliate_id: 'int',
    visit_id: 'int',
    customer_id: 'int',
    payout_id: 'int',
    parent_id: 'int',
    description: 'latin1',
    status: 'str',
    amount: 'text',
    currency: 'str',
    context: 'str',
    reference: 'str',
    products: 'text',
    campaign: 'str',
    date: 'date',
    type: 'str',
  });
  const payouts = new Map<string, { affiliate: number; ids: number[]; cents: number }>();
  await site.insert(
    'affiliate_wp_referrals',
    times(size.referrals, (n): OldRow => {
      const affiliate = affiliateOf(n, site);
      const status = word(['paid', 'unpaid', 'paid', 'pending', 'rejected'], n);
      const cents = site.pick(50_000);
      const key = `${affiliate}:${n % 3}`;
      const payout = payouts.get(key) ?? { affiliate, ids: [], cents: 0 };
      // every seventh paid one was settled outside any payout
      if (status === 'paid' && n % 7 && currencyOf(n) === 'USD') {
        payout.ids.push(n);
        payout.cents += cents;
        payouts.set(key, payout);
      }
      return {
        affiliate_id: affiliate,
        visit_id: n % 4 ? site.pick(size.visits) : GONE * 10,
        customer_id: site.pick(Math.ceil(size.referrals / 4)),
        payout_id: 0,
        parent_id: 0,
        description: n % 13 ? `Order ${n}` : MOJIBAKE,
        status,
        amount: n % 97 ? String(noisy(cents)) : 'abc',
        currency: currencyOf(n),
        context: 'woocommerce',
        reference: String(n),
        products: word([PHP_PRODUCTS, PHP_HOSTILE, 'a:9:{broken', '', null], n),
        campaign: n % 5 ? null : 'spring',
        date: n % 17 ? at(n) : NO_DATE,
        type: 'sale',
      };
    }),
  );
  await site.table('affiliate_wp_payouts', {
    payout_id: 'id',
    affiliate_id: 'int',
    referrals: 'text',
    amount: 'text',
    owner: 'int',
    payout_method: 'str',
    status: 'str',
    date: 'date',
  });
  await site.insert(
    'affiliate_wp_payouts',
    [...payouts.values()].map((payout, n) => ({
      affiliate_id: payout.affiliate,
      referrals: `${payout.ids.join(',')},,x`,
      amount: n % 10 ? String(payout.cents / 100) : '1.23',
      owner: 1,
      payout_method: word(['manual', 'paypal'], n),
      status: n % 25 ? 'paid' : 'failed',
      date: `2024-0${1 + (n % 3)}-01 10:00:00`,
    })),
  );
  await site.table('affiliate_wp_customers', {
    customer_id: 'id',
    user_id: 'int',
    email: 'str',
    first_name: 'latin1',
    last_name: 'str',
    ip: 'str',
    date_created: 'date',
  });
  await site.insert(
    'affiliate_wp_customers',
    times(Math.ceil(size.referrals / 4), (n) => ({
      user_id: 0,
      email: n % 20 ? `buyer${n}@old.test` : 'BUYER1@old.test ',
      first_name: n % 6 ? 'Jo' : 'José',
      last_name: 'Doe',
      ip: '203.0.113.9',
      date_created: at(n),
    })),
  );
  await visitTable(
    site,
    'affiliate_wp_visits',
    (n) => ({
      affiliate_id: affiliateOf(n, site),
      url: `https://shop.test/p/${n}`,
      referrer: 'https://blog.test/',
      campaign: 'x',
      ip: '203.0.113.7',
      date: n % 31 ? at(n / 8) : NO_DATE,
    }),
    'visit_id',
  );
}

async function visitTable(
  site: OldSite,
  name: string,
  make: (n: number) => OldRow,
  key: string,
): Promise<void> {
  const kinds = Object.entries(make(1)).map(
    ([column]) =>
      [
        column,
        column.includes('affiliate')
          ? 'int'
          : column.includes('date') || column.endsWith('_at') || column.includes('Created')
            ? 'date'
            : 'str',
      ] as const,
  );
  await site.table(name, { [key]: 'id', ...Object.fromEntries(kinds) });
  await site.insert(name, times(site.size.visits, make));
}

export async function sliceWp(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.table('slicewp_collections', { id: 'id', object_context: 'str', type: 'str', name: 'str' });
  await site.insert('slicewp_collections', [
    ...['Gold', ' gold ', 'Silver'].map((name) => ({ object_context: 'affiliate', type: 'group', name })),
    { object_context: 'creative', type: 'category', name: 'Banners' },
  ]);
  await site.table('slicewp_collection_meta', {
    meta_id: 'id',
    slicewp_collection_id: 'int',
    meta_key: 'str',
    meta_value: 'text',
  });
  await site.insert('slicewp_collection_meta', [
    { slicewp_collection_id: 1, meta_key: 'commission_rate_sale', meta_value: '33' },
  ]);
  await site.table('slicewp_collection_object_relationships', {
    id: 'id',
    collection_id: 'int',
    object_id: 'int',
    object_context: 'str',
  });
  await site.insert(
    'slicewp_collection_object_relationships',
    times(Math.floor(size.affiliates / 3), (n) => ({
      collection_id: 1 + (n % 3),
      object_id: n * 3,
      object_context: 'affiliate',
    })),
  );
  await site.insert('slicewp_collection_object_relationships', [
    { collection_id: 4, object_id: 1, object_context: 'creative' },
  ]);
  await site.table('slicewp_affiliates', {
    id: 'id',
    user_id: 'int',
    date_created: 'date',
    payment_email: 'str',
    website: 'str',
    status: 'str',
  });
  await site.insert(
    'slicewp_affiliates',
    times(size.affiliates, (n) => ({
      user_id: userOf(n, size),
      date_created: n % 11 ? at(n) : NO_DATE,
      payment_email: `pay${n}@old.test`,
      website: 'https://blog.test',
      status: word(['active', 'inactive', 'pending', 'rejected'], n),
    })),
  );
  await site.table('slicewp_affiliate_meta', {
    meta_id: 'id',
    slicewp_affiliate_id: 'int',
    meta_key: 'str',
    meta_value: 'text',
  });
  await site.insert('slicewp_affiliate_meta', [
    { slicewp_affiliate_id: 1, meta_key: 'commission_rate_sale', meta_value: '12.34567' },
    { slicewp_affiliate_id: 1, meta_key: 'commission_rate_type_sale', meta_value: 'fixed_amount' },
  ]);
  await site.table('slicewp_commissions', {
    id: 'id',
    affiliate_id: 'int',
    visit_id: 'int',
    customer_id: 'int',
    payment_id: 'int',
    date_created: 'date',
    type: 'str',
    status: 'str',
    reference: 'str',
    amount: 'double',
    reference_amount: 'double',
    origin: 'str',
    currency: 'str',
  });
  const held = new Map<number, number[]>(); // unpaid ones in payments that are on their way
  await site.insert(
    'slicewp_commissions',
    times(size.referrals, (n) => {
      const status = word(['paid', 'unpaid', 'pending', 'rejected'], n);
      const affiliate = affiliateOf(n, site);
      if (status === 'unpaid' && n % 3 === 0) held.set(affiliate, [...(held.get(affiliate) ?? []), n]);
      return {
        affiliate_id: affiliate,
        visit_id: site.pick(size.visits),
        customer_id: site.pick(50),
        payment_id:
          affiliate !== GONE && ((status === 'paid' && n % 5) || (status === 'unpaid' && n % 3 === 0))
            ? affiliate
            : 0,
        date_created: at(n),
        type: n % 6 ? 'sale' : 'subscription',
        status,
        reference: String(n),
        amount: noisy(site.pick(9000)),
        reference_amount: 100,
        origin: 'woo',
        currency: n % 8 ? 'USD' : 'EUR',
      };
    }),
  );
  await site.table('slicewp_payouts', {
    id: 'id',
    originator_user_id: 'int',
    amount: 'double',
    date_created: 'date',
  });
  await site.insert(
    'slicewp_payouts',
    times(3, (n) => ({ originator_user_id: 1, amount: 1, date_created: at(n) })),
  );
  await site.table('slicewp_payments', {
    id: 'id',
    affiliate_id: 'int',
    payout_id: 'int',
    amount: 'double',
    currency: 'str',
    payout_method: 'str',
    commission_ids: 'text',
    status: 'str',
    date_created: 'date',
  });
  await site.insert(
    'slicewp_payments',
    times(size.affiliates, (n) => ({
      affiliate_id: n,
      payout_id: n % 7 ? 1 + (n % 3) : 77,
      amount: 5,
      currency: 'USD',
      payout_method: 'manual',
      commission_ids: (held.get(n) ?? []).join(','),
      status: word(['paid', 'processing', 'failed'], n),
      date_created: at(n),
    })),
  );
  await site.table('slicewp_customers', {
    id: 'id',
    user_id: 'int',
    affiliate_id: 'int',
    email: 'str',
    first_name: 'str',
    last_name: 'str',
    date_created: 'date',
  });
  await site.insert(
    'slicewp_customers',
    times(50, (n) => ({
      user_id: 0,
      affiliate_id: n,
      email: n % 10 ? `buyer${n}@old.test` : '',
      first_name: 'Jo',
      last_name: `Doe ${n}`,
      date_created: at(n),
    })),
  );
  await visitTable(
    site,
    'slicewp_visits',
    (n) => ({
      affiliate_id: affiliateOf(n, site),
      date_created: at(n),
      ip_address: '::1',
      landing_url: 'https://shop.test/',
      referrer_url: null,
    }),
    'id',
  );
  await site.table('slicewp_creatives', {
    id: 'id',
    name: 'str',
    type: 'str',
    alt_text: 'str',
    landing_url: 'str',
    image_url: 'str',
    status: 'str',
  });
  await site.insert('slicewp_creatives', [
    {
      name: 'Banner',
      type: 'image',
      alt_text: 'Alt',
      landing_url: 'https://shop.test/a',
      image_url: 'https://shop.test/a.png',
      status: 'active',
    },
    {
      name: 'Broken',
      type: 'image',
      alt_text: '',
      landing_url: 'javascript:alert(1)',
      image_url: null,
      status: 'active',
    },
  ]);
}

export async function solidAffiliate(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.table('solid_affiliate_affiliate_groups', {
    id: 'id',
    name: 'str',
    commission_type: 'str',
    commission_rate: 'double',
  });
  await site.insert('solid_affiliate_affiliate_groups', [
    { name: 'VIP', commission_type: 'percentage', commission_rate: 25 },
    { name: 'Flat', commission_type: 'flat', commission_rate: 5 },
  ]);
  await site.table('solid_affiliate_affiliates', {
    id: 'id',
    user_id: 'int',
    affiliate_group_id: 'int',
    commission_type: 'str',
    commission_rate: 'double',
    payment_email: 'str',
    status: 'str',
    created_at: 'date',
  });
  await site.insert(
    'solid_affiliate_affiliates',
    times(size.affiliates, (n) => ({
      user_id: userOf(n, size),
      affiliate_group_id: n % 4 ? 0 : 1 + (n % 3),
      commission_type: word(['site_default', 'percentage', 'flat'], n),
      commission_rate: 7.5,
      payment_email: null,
      status: word(['approved', 'pending', 'rejected'], n),
      created_at: at(n),
    })),
  );
  await site.table('solid_affiliate_referrals', {
    id: 'id',
    affiliate_id: 'int',
    visit_id: 'int',
    customer_id: 'int',
    payout_id: 'int',
    order_id: 'int',
    order_amount: 'double',
    commission_amount: 'double',
    referral_type: 'str',
    description: 'text',
    serialized_item_commissions: 'text',
    status: 'str',
    created_at: 'date',
  });
  await site.insert(
    'solid_affiliate_referrals',
    times(size.referrals, (n) => {
      const affiliate = affiliateOf(n, site);
      const status = word(['paid', 'unpaid', 'draft', 'rejected'], n);
      return {
        affiliate_id: affiliate,
        visit_id: site.pick(size.visits),
        customer_id: site.pick(size.affiliates),
        payout_id: status === 'paid' && affiliate !== GONE ? affiliate : 0,
        order_id: n,
        order_amount: 50,
        commission_amount: noisy(site.pick(9000)),
        referral_type: 'purchase',
        description: '',
        serialized_item_commissions: n % 9 ? PHP_PRODUCTS : PHP_HOSTILE,
        status,
        created_at: at(n),
      };
    }),
  );
  await site.table('solid_affiliate_payouts', {
    id: 'id',
    affiliate_id: 'int',
    bulk_payout_id: 'int',
    amount: 'double',
    payout_method: 'str',
    status: 'str',
    created_at: 'date',
  });
  await site.insert(
    'solid_affiliate_payouts',
    times(size.affiliates, (n) => ({
      affiliate_id: n,
      bulk_payout_id: 1 + (n % 3),
      amount: 9,
      payout_method: 'paypal',
      status: n % 6 ? 'paid' : 'failed',
      created_at: at(n),
    })),
  );
  await site.table('solid_affiliates_bulk_payouts', {
    id: 'id',
    method: 'str',
    status: 'str',
    date_range_start: 'date',
    date_range_end: 'date',
    updated_at: 'date',
  });
  await site.insert('solid_affiliates_bulk_payouts', [
    { method: 'csv', status: 'success', updated_at: at(1) },
    { method: 'paypal', status: 'processing', updated_at: NO_DATE },
  ]);
  await site.table('solid_affiliate_affiliate_customer_links', {
    id: 'id',
    affiliate_id: 'int',
    customer_id: 'int',
    customer_email: 'str',
  });
  await site.insert(
    'solid_affiliate_affiliate_customer_links',
    times(20, (n) => ({
      affiliate_id: n,
      customer_id: n % 15,
      customer_email: n % 3 ? null : `buyer${n}@old.test`,
    })),
  );
  await visitTable(
    site,
    'solid_affiliate_visits',
    (n) => ({
      affiliate_id: affiliateOf(n, site),
      landing_url: 'https://shop.test/',
      http_referrer: '',
      http_ip: '10.0.0.1',
      created_at: at(n),
    }),
    'id',
  );
  await site.table('solid_affiliate_creatives', {
    id: 'id',
    name: 'str',
    url: 'str',
    creative_image_url: 'str',
    status: 'str',
  });
  await site.insert('solid_affiliate_creatives', [
    { name: 'Link', url: 'https://shop.test/', creative_image_url: null, status: 'active' },
  ]);
}
