import type { PayerKind } from '../../src/edges/payers/types.js';
import { paypal } from './paypal.js';

const ENVIRONMENT = { label: 'Environment', required: true, choices: ['live', 'sandbox'] } as const;

/** The payers that a manager can set up in the console. */
export const PAYER_KINDS: readonly PayerKind[] = [
  {
    key: 'paypal',
    title: 'PayPal',
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
];
