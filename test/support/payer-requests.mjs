// What a request to a payer may look like: facts of the payers' published descriptions (PayPal Payouts 1.9 and its
// webhooks, the parameters of Stripe's API, Wise's batch groups), written as small JSON Schemas of our own.
import { Ajv } from 'ajv';

const text = (maxLength, minLength = 0) => ({ type: 'string', minLength, maxLength, pattern: '^.*$' });
const matching = (pattern) => ({ type: 'string', pattern });
const all = (properties, more = {}) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties: { ...properties, ...more },
});
/** Texts of a form or an address. */
const whole = (most, least = 0) => ({ type: 'string', pattern: '^\\d+$', least, most });
const url = matching('^https?://[^\\s]+$');
const NOTHING = all({});
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';

const PAYPAL = {
  'POST /v1/oauth2/token': { form: all({ grant_type: { const: 'client_credentials' } }) },
  'POST /v1/payments/payouts': {
    headers: { 'paypal-request-id': text(1000, 1) },
    body: all({
      sender_batch_header: all(
        { sender_batch_id: text(256, 1) },
        { email_subject: text(255), email_message: text(1000), note: text(1000) },
      ),
      items: {
        type: 'array',
        minItems: 1,
        maxItems: 15_000,
        items: all(
          {
            recipient_type: { enum: ['EMAIL', 'PHONE', 'PAYPAL_ID', 'USER_HANDLE'] },
            receiver: text(127, 3),
            amount: all({
              currency: matching('^[A-Z]{3}$'),
              value: { ...matching('^\\d+(\\.\\d\\d)?$'), not: { pattern: '^0+(\\.0+)?$' } },
            }),
            sender_item_id: text(63, 1),
          },
          { note: text(4000) },
        ),
      },
    }),
  },
  'GET /v1/payments/payouts/[^/]{1,1000}': {
    query: all(
      {},
      {
        page: whole(1000),
        page_size: whole(1000),
        total_required: { enum: ['true', 'false'] },
        fields: text(1000, 1),
      },
    ),
  },
  'GET /v1/payments/payouts-item/[^/]{1,32}': {},
  'POST /v1/payments/payouts-item/[^/]{1,32}/cancel': {},
  'GET /v1/reporting/balances': { query: all({ currency_code: matching('^[A-Z]{3}$') }) },
  'POST /v1/notifications/verify-webhook-signature': {
    body: all({
      auth_algo: { ...matching('^[a-zA-Z0-9]+$'), maxLength: 100 },
      cert_url: { ...url, maxLength: 500 },
      transmission_id: { ...matching('^(?!\\d+$)\\w+\\S+'), maxLength: 50 },
      transmission_sig: { ...matching('^(?!\\d+$)\\w+\\S+'), maxLength: 500 },
      transmission_time: { ...matching('^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$'), maxLength: 100 },
      webhook_id: { ...matching('^[a-zA-Z0-9]+$'), maxLength: 50 },
      webhook_event: { type: 'object' },
    }),
  },
};

const ACCOUNT = matching('^acct_[A-Za-z0-9]+$');
const STRIPE = {
  'GET /v1/balance': {},
  'POST /v1/transfers': {
    headers: { 'idempotency-key': text(255, 1) },
    form: all(
      { amount: whole(99_999_999_999, 1), currency: matching('^[a-z]{3}$'), destination: ACCOUNT },
      { transfer_group: text(500), 'metadata[payment]': text(500), 'metadata[batch]': text(500) },
    ),
  },
  'GET /v1/transfers': { query: all({}, { limit: whole(100, 1), transfer_group: text(500) }) },
  'GET /v1/transfers/[^/]+': {},
  'POST /v1/accounts': {
    form: all(
      { type: { enum: ['custom', 'express', 'standard'] } },
      { email: text(254, 3), 'capabilities[transfers][requested]': { enum: ['true', 'false'] } },
    ),
  },
  'GET /v1/accounts/acct_[A-Za-z0-9]+': {},
  'POST /v1/account_links': {
    form: all({
      account: ACCOUNT,
      type: { enum: ['account_onboarding', 'account_update'] },
      refresh_url: url,
      return_url: url,
    }),
  },
};

const CURRENCY = matching('^[A-Z]{3}$');
const GROUP = '/v3/profiles/\\d+/batch-groups/[^/]+';
const WISE = {
  'GET /v4/profiles/\\d+/balances': { query: all({ types: { enum: ['STANDARD', 'SAVINGS'] } }) },
  'POST /v3/profiles/\\d+/batch-groups': { body: all({ name: text(100, 1), sourceCurrency: CURRENCY }) },
  [`GET ${GROUP}`]: {},
  [`PATCH ${GROUP}`]: {
    body: all({
      status: { enum: ['COMPLETED', 'CANCELLED', 'MARKED_FOR_CANCELLATION'] },
      version: { type: 'integer' },
    }),
  },
  'POST /v1/accounts': {
    body: all({
      profile: { type: 'integer' },
      accountHolderName: text(140, 1),
      currency: CURRENCY,
      type: { enum: ['iban', 'sort_code'] },
      details: all(
        { legalType: { enum: ['PRIVATE', 'BUSINESS'] } },
        {
          IBAN: matching('^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$'),
          sortCode: matching('^\\d{6}$'),
          accountNumber: matching('^\\d{6,8}$'),
        },
      ),
    }),
  },
  'POST /v3/profiles/\\d+/quotes': {
    body: all({
      sourceCurrency: CURRENCY,
      targetCurrency: CURRENCY,
      targetAmount: { type: 'number', exclusiveMinimum: 0 },
      targetAccount: { type: 'integer' },
      payOut: { enum: ['BANK_TRANSFER', 'BALANCE'] },
    }),
  },
  [`POST ${GROUP}/transfers`]: {
    body: all({
      targetAccount: { type: 'integer' },
      quoteUuid: text(100, 1),
      customerTransactionId: matching(UUID),
      details: all({ reference: text(35) }),
    }),
  },
  'POST /v3/profiles/\\d+/batch-payments/[^/]+/payments': { body: all({ type: { const: 'BALANCE' } }) },
  'GET /v1/transfers/\\d+': {},
  'PUT /v1/transfers/\\d+/cancel': {},
};

const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addKeyword({ keyword: 'most', type: 'string', validate: (most, data) => Number(data) <= most });
ajv.addKeyword({ keyword: 'least', type: 'string', validate: (least, data) => Number(data) >= least });

const compiled = (rules) =>
  Object.entries(rules).map(([where, rule]) => ({
    where: new RegExp(`^${where}$`),
    headers: ajv.compile({
      type: 'object',
      required: Object.keys(rule.headers ?? {}),
      properties: rule.headers ?? {},
    }),
    query: ajv.compile(rule.query ?? NOTHING),
    form: ajv.compile(rule.form ?? NOTHING),
    body: ajv.compile(rule.body ?? NOTHING),
  }));
const PAYERS = { paypal: compiled(PAYPAL), stripe: compiled(STRIPE), wise: compiled(WISE) };

/** What the description does not allow about this request; empty: it is valid. */
export function faultsOfRequest(payer, { method, url: address, headers, text: sent }) {
  const { pathname, searchParams } = new URL(address, 'https://payer.test');
  const rule = PAYERS[payer].find(({ where }) => where.test(`${method} ${pathname}`));
  if (rule === undefined) return [`${method} ${pathname} is not described`];
  const isJson = sent.startsWith('{');
  const low = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const parts = {
    headers: low,
    query: Object.fromEntries(searchParams),
    form: isJson ? {} : Object.fromEntries(new URLSearchParams(sent)),
    body: isJson ? JSON.parse(sent) : {},
  };
  const faults = Object.entries(parts).flatMap(([part, value]) =>
    rule[part](value)
      ? []
      : rule[part].errors.map((error) => `${part}${error.instancePath} ${error.message}`),
  );
  if (!/^(?:Basic|Bearer) \S+$/.test(low.authorization ?? '')) faults.push('no authorization');
  if (
    sent !== '' &&
    low['content-type'] !== (isJson ? 'application/json' : 'application/x-www-form-urlencoded')
  )
    faults.push(`content-type ${low['content-type']}`);
  return faults.map((fault) => `${method} ${pathname}: ${fault}`);
}
