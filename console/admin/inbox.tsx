import type { ReactNode } from 'react';
import { RowButton } from '../shared/buttons.js';
import { useWrite, type RowOf } from '../shared/data.js';
import { choicesOf } from '../shared/filters.js';
import { List, type Column } from '../shared/list.js';
import { Status } from '../shared/parts.js';
import { sentence, t, word } from '../shared/texts.js';
import { dayFilters } from './people.js';
import { reasonText } from './reasons.js';

type Row = RowOf<'integrations.deliveries'>;

const STATES = ['received', 'processing', 'done', 'ignored', 'failed', 'dead'] as const;

/** Webhook deliveries of all shops, or of one. */
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
        problem === null ? reasonText(reason ?? '') : `${problem.field}: ${sentence(problem.message)}`,
    },
    { key: 'tries', label: t('Attempts'), of: 'attempts', kind: 'number' },
    { key: 'came', label: t('Date'), of: 'received_at', kind: 'time' },
    {
      key: 'again',
      label: '',
      end: true,
      cell: (row) =>
        row.can_replay && (
          <RowButton
            question={{
              title: t('Process it again?'),
              text: t('Processes this webhook again as if it arrived now.'),
              yes: t('Process again'),
              run: () => replay.run({ params: { id: row.id } }),
            }}
          >
            {t('Process again')}
          </RowButton>
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
      search={false}
      filters={[{ key: 'status', label: t('Status'), choices: choicesOf(STATES, word) }, ...dayFilters()]}
      empty={{
        title: t('Nothing received yet'),
        text: t('Webhooks of shops are listed here for 30 days, with their outcome.'),
      }}
    />
  );
}
