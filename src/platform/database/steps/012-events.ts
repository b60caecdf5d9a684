import type { SchemaStep, SchemaTools } from '../migrate.js';

/**
 * Outgoing events: what happened, who wants to be told, and the outbox as the one
 * queue of mails and deliveries.
 */
export const eventsStep: SchemaStep = {
  id: '012-events',
  async up(tools) {
    await tools.create('event_queue', (t) => {
      eventColumns(tools, t); // written in the transaction of the change
      tools.json(t, 'stored_row'); // a row as it stood, where many changed in one statement
      t.bigInteger('created_at').notNullable();
    });
    await tools.create('events', (t) => {
      eventColumns(tools, t); // in line: ids grow in the order in which they can be read
      t.bigInteger('created_at').notNullable();
      t.index(['created_at']);
      t.index(['type', 'id']);
    });
    await tools.create('webhook_endpoints', (t) => {
      t.bigIncrements('id');
      t.string('url', 2048).notNullable();
      t.string('description', 255).notNullable();
      tools.json(t, 'event_types'); // list of types, or ["*"]
      t.string('status', 20).notNullable(); // active, disabled
      t.string('disabled_reason', 20).nullable(); // gone, failing; null: switched off by a person
      t.smallint('payment_details').notNullable().defaultTo(0);
      t.text('secret').notNullable(); // sealed
      t.text('former_secret').nullable(); // sealed; signs beside the new one for a day
      t.bigInteger('former_until').nullable();
      t.bigInteger('failing_since').nullable(); // the first failure since the last success
      t.integer('failures').notNullable().defaultTo(0); // one after the other
      t.bigInteger('paused_until').nullable();
      t.bigInteger('created_by').nullable();
      t.bigInteger('created_at').notNullable();
      t.bigInteger('updated_at').notNullable();
    });
    // mail, webhook:<endpoint>
    await tools.column('outbox', 'channel', "varchar(40) not null default 'mail'");
    // one after the other for the same object
    await tools.column('outbox', 'object_key', 'varchar(100) null');
    await tools.column('outbox', 'event_id', 'bigint null');
    await tools.column('outbox', 'answer_status', 'integer null');
    await tools.column('outbox', 'answer', 'text null'); // the first 1 KiB
    await tools.index('outbox', ['channel', 'status', 'next_attempt_at']);
    await tools.index('outbox', ['channel', 'object_key', 'status', 'id']);
    await tools.index('outbox', ['channel', 'id']);
    // 1: balance.threshold_reached was told
    await tools.column('affiliates', 'threshold_told', 'smallint not null default 0');
  },
};

function eventColumns(
  { key, json }: SchemaTools,
  t: Parameters<Parameters<SchemaTools['create']>[1]>[0],
): void {
  t.bigIncrements('id');
  key(t, 'type', 60).notNullable();
  key(t, 'object_type', 30).notNullable();
  key(t, 'object_id', 64).notNullable();
  json(t, 'data');
  json(t, 'previous');
}
