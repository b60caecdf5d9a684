import type { SchemaStep } from '../migrate.js';

/** Why an operation was stopped, as a sentence for people. */
export const operationMessagesStep: SchemaStep = {
  id: '026-operation-messages',
  up: ({ column }) => column('works', 'message', 'varchar(500)'),
};
