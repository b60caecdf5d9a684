import { PAYER_TITLES } from '../../src/core/payer-titles.js';
import type { PayerKind } from '../payers.js';
import { nacha } from './nacha.js';
import { paypal } from './paypal.js';
import { sepa } from './sepa.js';
import { stripeConnect } from './stripe.js';
import { wise } from './wise.js';

const ENVIRONMENT = { label: 'Environment', required: true, choices: ['live', 'sandbox'] } as const;

/** The payers that a manager can set up in the console. */
export const PAYER_KINDS: readonly PayerKind[] = [
  {
    key: 'paypal',
    title: PAYER_TITLES.paypal,
    fields: {
      environment: ENVIRONMENT,
      client_id: { label: 'Client ID', required: true },
      client_secret: { label: 'Client secret', required: true, secret: true },
      webhook_id: { label: 'Webhook ID' },
    },
    make: (given) =>
      paypal({
        clientId: given['client_id'] ?? '',
        clientSecret: given['client_secret'] ?? '',
        sandbox: given['environment'] !== 'live',
        ...(given['webhook_id'] && { webhookId: given['webhook_id'] }),
      }),
  },
  {
    key: 'stripe',
    title: PAYER_TITLES.stripe,
    fields: {
      key: { label: 'Restricted key', required: true, secret: true },
      webhook_secret: { label: 'Signing secrets, separated by spaces', secret: true },
    },
    make: (given) =>
      stripeConnect({
        key: given['key'] ?? '',
        webhookSecret: (given['webhook_secret'] ?? '').split(/[\s,]+/),
      }),
  },
  {
    key: 'wise',
    title: PAYER_TITLES.wise,
    fields: {
      environment: ENVIRONMENT,
      token: { label: 'API token', required: true, secret: true },
      profile_id: { label: 'Number of the profile', required: true },
      source_currency: { label: 'Currency of the balance that pays', required: true },
      public_key: { label: 'Public key for webhooks (PEM)' },
    },
    make: (given) =>
      wise({
        token: given['token'] ?? '',
        profileId: given['profile_id'] ?? '',
        sourceCurrency: (given['source_currency'] ?? '').toUpperCase(),
        sandbox: given['environment'] !== 'live',
        ...(given['public_key'] && { publicKey: given['public_key'] }),
      }),
  },
  {
    key: 'sepa',
    title: PAYER_TITLES.sepa,
    fields: {
      name: { label: 'Account holder', required: true },
      iban: { label: 'IBAN of the paying account', required: true },
    },
    make: ({ name = '', iban = '' }) => sepa({ name, iban }),
  },
  {
    key: 'nacha',
    title: PAYER_TITLES.nacha,
    fields: {
      routing: { label: 'Routing number of your bank', required: true },
      bank_name: { label: 'Name of your bank', required: true },
      company_id: { label: 'Company ID given by your bank', required: true },
      company_name: { label: 'Company name', required: true },
    },
    make: (given) =>
      nacha({
        routing: given['routing'] ?? '',
        bankName: given['bank_name'] ?? '',
        companyId: given['company_id'] ?? '',
        companyName: given['company_name'] ?? '',
      }),
  },
];
