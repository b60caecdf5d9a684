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
} from './old-site.js';

const word = <T>(words: readonly T[], n: number): T => words[n % words.length] as T;

const PAYOUT_STATUSES = ['confirmed', 'confirmed', 'pending', 'failed'];

function typeOf(n: number): string {
  if (n % 20 === 7) return 'refund';
  if (n % 33 === 0) return 'adjustment';
  return n % 6 === 0 ? 'payout' : 'credit';
}

function statusOf(n: number): string {
  if (n % 41 === 0) return 'failed';
  return n % 43 === 0 ? 'pending' : 'confirmed';
}

export async function affiliateManager(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.table('wpam_affiliates', {
    affiliateId: 'id',
    userId: 'int',
    status: 'str',
    email: 'str',
    paypalEmail: 'str',
    firstName: 'str',
    lastName: 'str',
    bountyType: 'str',
    bountyAmount: 'double',
    dateCreated: 'date',
  });
  await site.insert(
    'wpam_affiliates',
    times(size.affiliates, (n) => ({
      userId: n % 5 ? userOf(n, size) : null,
      status: word(['active', 'applied', 'declined', 'active'], n),
      email: n % 10 ? `aff${n}@old.test` : '',
      paypalEmail: `pay${n}@old.test`,
      firstName: 'A',
      lastName: `B${n}`,
      bountyType: word(['percent', 'fixed'], n),
      bountyAmount: 10,
      dateCreated: at(n),
    })),
  );
  await site.table('wpam_transactions', {
    transactionId: 'id',
    affiliateId: 'int',
    dateCreated: 'date',
    type: 'str',
    status: 'str',
    amount: 'double',
    description: 'text',
    referenceId: 'str',
    email: 'str',
  });
  let last = { affiliate: 1, order: '0', cents: 0 };
  await site.insert(
    'wpam_transactions',
    times(size.referrals, (n) => {
      const type = typeOf(n);
      const refund = type === 'refund' && n % 60 !== 7; // the others refund an order nobody knows
      const affiliate = refund ? last.affiliate : affiliateOf(n, site);
      const cents =
        type === 'refund'
          ? -Math.max(1, Math.floor(last.cents / 2))
          : site.pick(5000) * (type === 'payout' ? -2 : 1);
      const order = refund ? last.order : `o${n}`;
      if (type === 'credit') last = { affiliate, order, cents };
      return {
        affiliateId: affiliate,
        dateCreated: at(n),
        type,
        status: type === 'payout' ? word(PAYOUT_STATUSES, n / 6) : statusOf(n),
        amount: noisy(cents),
        description: n % 8 ? 'Sale' : MOJIBAKE,
        referenceId: order,
        email: n % 4 ? `buyer${n % 40}@old.test` : '',
      };
    }),
  );
  await site.table('wpam_tracking_tokens', {
    trackingTokenId: 'id',
    sourceAffiliateId: 'int',
    referer: 'str',
    dateCreated: 'date',
    ipAddress: 'str',
  });
  await site.insert(
    'wpam_tracking_tokens',
    times(size.visits, (n) => ({
      sourceAffiliateId: affiliateOf(n, site),
      referer: 'https://blog.test',
      dateCreated: at(n),
      ipAddress: '203.0.113.5',
    })),
  );
  await site.table('wpam_tracking_tokens_purchase_logs', {
    trackingTokenPurchaseLogId: 'id',
    trackingTokenId: 'int',
    purchaseLogId: 'str',
  });
  await site.insert(
    'wpam_tracking_tokens_purchase_logs',
    times(Math.floor(size.referrals / 2), (n) => ({
      trackingTokenId: site.pick(size.visits),
      purchaseLogId: `o${n}`,
    })),
  );
}

export async function ultimateAffiliate(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.insert('options', [{ option_name: 'uap_currency', option_value: 'EUR' }]);
  await site.table('uap_ranks', {
    id: 'id',
    label: 'str',
    amount_type: 'str',
    amount_value: 'str',
    status: 'int',
  });
  await site.insert('uap_ranks', [
    { label: 'Starter', amount_type: 'percentage', amount_value: '10', status: 1 },
    { label: 'Pro', amount_type: 'flat', amount_value: '3', status: 0 },
  ]);
  await site.table('uap_affiliates', {
    id: 'id',
    uid: 'int',
    rank_id: 'int',
    start_data: 'date',
    status: 'int',
  });
  await site.insert(
    'uap_affiliates',
    times(size.affiliates, (n) => ({
      uid: userOf(n, size),
      rank_id: n % 4,
      start_data: at(n),
      status: n % 3 ? 1 : 0,
    })),
  );
  await site.table('uap_referrals', {
    id: 'id',
    affiliate_id: 'int',
    visit_id: 'int',
    refferal_wp_uid: 'int',
    parent_referral_id: 'int',
    campaign: 'str',
    description: 'text',
    source: 'str',
    reference: 'str',
    amount: 'str',
    currency: 'str',
    date: 'date',
    status: 'int',
    payment: 'int',
  });
  const paid = new Map<number, number[]>();
  const waiting = new Map<number, number[]>();
  await site.insert(
    'uap_referrals',
    times(size.referrals, (n) => {
      const affiliate = affiliateOf(n, site);
      const done = n % 4 === 3;
      const isWaiting = n % 12 === 2;
      if (affiliate !== GONE && isWaiting) waiting.set(affiliate, [...(waiting.get(affiliate) ?? []), n]);
      if (affiliate !== GONE && done) paid.set(affiliate, [...(paid.get(affiliate) ?? []), n]);
      return {
        affiliate_id: affiliate,
        visit_id: site.pick(size.visits),
        refferal_wp_uid: n % 3 ? site.pick(size.affiliates) : 0,
        parent_referral_id: n % 10 === 0 ? n - 1 : 0,
        campaign: '',
        description: MOJIBAKE,
        source: 'woo',
        reference: `w${n}`,
        amount: String(noisy(site.pick(9000))),
        currency: word(['USD', '', 'EUR'], n),
        date: n % 17 ? at(n) : NO_DATE,
        status: done ? 2 : n % 3,
        payment: done ? 2 : Number(isWaiting),
      };
    }),
  );
  await site.table('uap_payments', {
    id: 'id',
    payment_type: 'str',
    referral_ids: 'text',
    affiliate_id: 'int',
    amount: 'str',
    currency: 'str',
    create_date: 'date',
    update_date: 'date',
    status: 'int',
  });
  const payments = [
    ...[...paid].map(([affiliate, ids]) => ({ affiliate, ids, status: 2 })),
    ...[...waiting].map(([affiliate, ids]) => ({ affiliate, ids, status: 1 })),
  ];
  await site.insert(
    'uap_payments',
    payments.map(({ affiliate, ids, status }, n) => ({
      affiliate_id: affiliate,
      payment_type: 'bt',
      referral_ids: n === 4 ? PHP_HOSTILE : ids.join(','),
      amount: '1',
      currency: 'EUR',
      create_date: `2024-01-0${1 + (n % 5)} 12:00:00`,
      status,
    })),
  );
  await site.table('uap_payments_meta', {
    id: 'id',
    payment_id: 'str',
    meta_name: 'str',
    meta_value: 'text',
  });
  await site.insert(
    'uap_payments_meta',
    payments.flatMap((_, n) =>
      n % 2 ? [{ payment_id: String(n + 1), meta_name: 'payout_id', meta_value: '1' }] : [],
    ),
  );
  await site.table('uap_payouts', { id: 'id', method: 'str', created_time: 'date' });
  await site.insert('uap_payouts', [{ method: 'bt', created_time: at(5) }]);
  await site.table('uap_visits', {
    id: 'id',
    affiliate_id: 'int',
    referral_id: 'int',
    campaign_name: 'str',
    url: 'text',
    ref_url: 'text',
    ip: 'str',
    visit_date: 'date',
  });
  await site.insert(
    'uap_visits',
    times(size.visits, (n) => ({
      affiliate_id: affiliateOf(n, site),
      referral_id: 0,
      campaign_name: 'c',
      url: 'https://shop.test',
      ref_url: '',
      ip: 'unknown',
      visit_date: at(n),
    })),
  );
  await site.table('uap_banners', {
    id: 'id',
    name: 'str',
    url: 'str',
    image: 'str',
    status: 'int',
    DATE: 'date',
  });
  await site.insert('uap_banners', [
    { name: 'Top', url: 'https://shop.test', image: 'https://shop.test/b.png', status: 1, DATE: at(7) },
  ]);
}

export async function fluentAffiliate(site: OldSite): Promise<void> {
  const { size } = site;
  await addUsers(site);
  await site.table('fa_meta', {
    id: 'id',
    object_type: 'str',
    object_id: 'int',
    meta_key: 'str',
    value: 'text',
    created_at: 'date',
  });
  await site.insert('fa_meta', [
    {
      object_type: 'affiliate_group',
      object_id: 0,
      meta_key: 'Partners',
      value: 'a:3:{s:9:"rate_type";s:10:"percentage";s:4:"rate";s:4:"12.5";s:6:"status";s:6:"active";}',
      created_at: at(1),
    },
    ...[
      ['1', '["read_all_visits","unknown"]'],
      ['2', 'a:1:{i:0;s:15:"manage_all_data";}'],
      ['3', PHP_HOSTILE],
      ['4', '["read_all_payouts"]'],
      ['5', '[]'],
    ].map(([user = '', value = '']) => ({
      object_type: 'user_meta',
      object_id: user,
      meta_key: '_fa_access_permissions',
      value,
      created_at: at(1),
    })),
    {
      object_type: 'affiliate_group',
      object_id: 0,
      meta_key: 'Json',
      value: '{"rate_type":"fixed","rate":4}',
      created_at: at(1),
    },
    {
      object_type: 'affiliate_group',
      object_id: 0,
      meta_key: 'Hostile',
      value: PHP_HOSTILE,
      created_at: at(1),
    },
  ]);
  await site.table('fa_affiliates', {
    id: 'id',
    contact_id: 'int',
    user_id: 'int',
    group_id: 'int',
    rate: 'double',
    total_earnings: 'double',
    unpaid_earnings: 'double',
    rate_type: 'str',
    custom_param: 'str',
    payment_email: 'str',
    status: 'str',
    lead_counts: 'int',
    settings: 'text',
    note: 'latin1',
    created_at: 'date',
  });
  await site.insert(
    'fa_affiliates',
    times(size.affiliates, (n) => ({
      user_id: userOf(n, size),
      group_id: n % 3 ? null : word([1, 3, 44], n),
      rate: 5,
      total_earnings: 10.1,
      unpaid_earnings: 1,
      rate_type: word(['default', 'group', 'flat', 'percentage'], n),
      custom_param: n % 5 ? null : `param${Math.floor(n / 10)}`,
      payment_email: `pay${n}@old.test`,
      status: 'active',
      lead_counts: n % 3,
      settings: n % 7 ? '{"bank_details":"IBAN 1","disable_new_ref_email":"yes"}' : PHP_HOSTILE,
      note: 'Grüße',
      created_at: at(n),
    })),
  );
  await site.table('fa_referrals', {
    id: 'id',
    affiliate_id: 'int',
    parent_id: 'int',
    customer_id: 'int',
    visit_id: 'int',
    description: 'text',
    status: 'str',
    amount: 'double',
    order_total: 'double',
    currency: 'str',
    utm_campaign: 'str',
    provider: 'str',
    provider_id: 'str',
    provider_sub_id: 'str',
    products: 'text',
    settings: 'text',
    payout_transaction_id: 'int',
    payout_id: 'int',
    type: 'str',
    created_at: 'date',
  });
  await site.insert(
    'fa_referrals',
    times(size.referrals, (n) => {
      const affiliate = affiliateOf(n, site);
      const status = word(['paid', 'unpaid', 'pending', 'rejected', 'processing', 'cancelled'], n);
      const claimed =
        ((status === 'paid' && n % 12) ||
          (status === 'processing' && n % 24 === 4) ||
          (status === 'unpaid' && n % 36 === 1)) &&
        affiliate !== GONE
          ? affiliate
          : null;
      return {
        affiliate_id: affiliate,
        parent_id: n % 15 ? null : n - 1,
        customer_id: site.pick(30),
        visit_id: site.pick(size.visits),
        description: 'd',
        status,
        amount: noisy(site.pick(9000)),
        order_total: 90.005,
        currency: word(['USD', 'EUR', null], n),
        utm_campaign: null,
        provider: 'woo',
        provider_id: String(n),
        provider_sub_id: null,
        products: PHP_PRODUCTS,
        settings: '{"order":"<b>1</b>"}',
        payout_transaction_id: claimed,
        payout_id: claimed && 1,
        type: 'sale',
        created_at: at(n),
      };
    }),
  );
  await site.table('fa_payouts', { id: 'id', title: 'str', description: 'text', created_at: 'date' });
  await site.insert('fa_payouts', [{ title: 'January', description: 'All of January', created_at: at(9) }]);
  await site.table('fa_payout_transactions', {
    id: 'id',
    affiliate_id: 'int',
    payout_id: 'int',
    total_amount: 'double',
    payout_method: 'str',
    status: 'str',
    currency: 'str',
    created_at: 'date',
  });
  await site.insert(
    'fa_payout_transactions',
    times(size.affiliates, (n) => ({
      affiliate_id: n,
      payout_id: 1,
      total_amount: 7,
      payout_method: 'paypal',
      status: n % 4 ? 'paid' : 'processing',
      currency: 'USD',
      created_at: at(n),
    })),
  );
  await site.table('fa_customers', {
    id: 'id',
    user_id: 'int',
    by_affiliate_id: 'int',
    email: 'str',
    first_name: 'str',
    last_name: 'str',
    ip: 'str',
    created_at: 'date',
  });
  await site.insert(
    'fa_customers',
    times(30, (n) => ({
      user_id: n,
      by_affiliate_id: n % 2 ? n : GONE,
      email: `buyer${n % 28}@old.test`,
      first_name: 'J',
      last_name: 'D',
      ip: '',
      created_at: at(n),
    })),
  );
  await site.table('fa_visits', {
    id: 'id',
    affiliate_id: 'int',
    url: 'text',
    referrer: 'text',
    utm_campaign: 'str',
    utm_medium: 'str',
    utm_source: 'str',
    ip: 'str',
    created_at: 'date',
  });
  await site.insert(
    'fa_visits',
    times(size.visits, (n) => ({
      affiliate_id: affiliateOf(n, site),
      url: 'https://shop.test/',
      referrer: '',
      utm_campaign: 'a',
      utm_medium: 'b',
      utm_source: 'c',
      ip: '203.0.113.1',
      created_at: at(n),
    })),
  );
  await site.table('fa_creatives', {
    id: 'id',
    name: 'str',
    type: 'str',
    image: 'str',
    text: 'text',
    url: 'str',
    privacy: 'str',
    status: 'str',
    affiliate_ids: 'text',
    group_ids: 'text',
    meta: 'text',
    created_at: 'date',
  });
  await site.insert('fa_creatives', [
    {
      name: 'Private',
      type: 'text',
      text: 'Buy',
      url: 'https://shop.test',
      privacy: 'private',
      status: 'active',
      affiliate_ids: '[1,"2",999999]',
      group_ids: '["1"]',
      meta: PHP_HOSTILE,
      created_at: at(1),
    },
    {
      name: 'Summer',
      type: 'html',
      text: '<b>Sale</b><script>x</script>',
      url: 'https://shop.test',
      privacy: 'public',
      status: 'scheduled',
      affiliate_ids: '[]',
      group_ids: '[]',
      meta: '{"start_time":"2026-06-01 00:00:00","end_time":"2026-07-01 00:00:00","media_width":728}',
      created_at: at(1),
    },
  ]);
}
