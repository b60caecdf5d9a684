import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ask } from '../shared/ask.js';
import { useWrite, type RowOf } from '../shared/data.js';
import { When } from '../shared/dates.js';
import { List, type Column } from '../shared/list.js';
import { Status } from '../shared/parts.js';
import { number, sentence, t, word } from '../shared/texts.js';
import { dayFilters } from './people.js';

type Row = RowOf<'integrations.deliveries'>;

const STATES = ['received', 'processing', 'done', 'ignored', 'failed', 'dead'] as const;

/** What shops told and what became of it: of all, or of one shop. */
export function Inbox({ provider }: { provider?: string }): ReactNode {
  const replay = useWrite('integrations.replay', { quiet: true, done: t('It was processed again.') });
  const columns: readonly Column<Row>[] = [
    {
      key: 'topic',
      label: t('Event'),
      head: true,
      cell: (row) => <span className="fa-strong">{row.topic ?? word('unreadable')}</span>,
    },
    ...(provider === undefined
      ? [{ key: 'shop', label: t('Shop'), cell: (row: Row) => word(row.provider) }]
      : []),
    { key: 'status', label: t('Status'), cell: (row) => <Status of={row.status} /> },
    {
      key: 'reason',
      label: t('Reason'),
      cell: ({ reason, problem }) =>
        problem === null ? word(reason) : `${problem.field}: ${sentence(problem.message)}`,
    },
    { key: 'tries', label: t('Attempts'), end: true, cell: (row) => number(row.attempts) },
    { key: 'came', label: t('Date'), end: true, cell: (row) => <When at={row.received_at} /> },
    {
      key: 'again',
      label: '',
      end: true,
      cell: (row) =>
        row.can_replay && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              ask({
                title: t('Process it again?'),
                text: t('What the shop reported is processed once more, as if it arrived now.'),
                yes: t('Process again'),
                run: () => replay.run({ params: { id: row.id } }),
              })
            }
          >
            {t('Process again')}
          </Button>
        ),
    },
  ];
  return (
    <List
      name="inbox"
      prefix="in-"
      operation="integrations.deliveries"
      input={provider === undefined ? {} : { query: { provider } }}
      columns={columns}
      rowKey={(row) => row.id}
      search={false}
      filters={[
        {
          key: 'status',
          label: t('Status'),
          choices: STATES.map((value) => ({ value, label: word(value) })),
        },
        ...dayFilters(),
      ]}
      empty={{
        title: t('Nothing came yet'),
        text: t('Webhooks of shops are listed here for 30 days, with their outcome.'),
      }}
    />
  );
}
