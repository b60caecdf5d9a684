/** Small files with the columns that an import needs most. */
export const EXAMPLES = {
  affiliates:
    'email,full_name,status,payment_email,custom_param,created_at\n' +
    'ann@example.com,Ann Example,active,ann@example.com,ann,2026-01-31\n',
  customers:
    'email,full_name,affiliate_email,created_at\nbuyer@example.com,Bo Buyer,ann@example.com,2026-02-01\n',
  commissions:
    'id,affiliate_email,provider,provider_id,order_total,amount,currency,status,customer_email,created_at\n' +
    '1,ann@example.com,shop,1001,100.00,10.00,USD,unpaid,buyer@example.com,2026-02-01\n',
  clicks:
    'affiliate_email,url,created_at\nann@example.com,https://shop.example/?ref=ann,2026-02-01 10:30:00\n',
  payouts:
    'id,affiliate_email,amount,currency,status,commission_ids,created_at\n' +
    '1,ann@example.com,10.00,USD,processing,1,2026-03-01\n',
  coupons: 'code,affiliate_email,provider\nANN10,ann@example.com,shop\n',
} as const;
