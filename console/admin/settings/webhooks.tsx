import { Button, Checkbox, Code, Modal, Switch, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { ConfirmButton, RowButton } from '../../shared/buttons.js';
import { ChoiceInput } from '../../shared/choice-input.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { NewButton } from '../../shared/url-dialog.js';
import { Loaded, Copyable, Empty, Panel, Status } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { Sheet } from '../../shared/sheet.js';
import { t, tn } from '../../shared/texts.js';

type Endpoint = ResponseOf<'webhooks.list'>['webhooks'][number];
type OpenDialog =
  { readonly what: 'edit' | 'deliveries' | 'secret'; readonly endpoint: Endpoint } | { readonly what: 'new' };

/** The open dialog: `new`, or an endpoint such as `edit-3`. */
function shownOf(open: string, endpoints: readonly Endpoint[]): OpenDialog | null {
  if (open === 'new') return { what: 'new' };
  const [, what, id] = /^(edit|deliveries|secret)-(\d+)$/.exec(open) ?? [];
  const endpoint = endpoints.find((each) => String(each.id) === id);
  return endpoint ? { what: what as 'edit' | 'deliveries' | 'secret', endpoint } : null;
}

/** The webhook endpoints of the program. */
export function Webhooks(): ReactNode {
  const reading = useRead('webhooks.list');
  const [open, setOpen] = useOpenRecord();
  const shown = shownOf(open, reading.data?.webhooks ?? []);
  const setShown = (next: OpenDialog | null): void =>
    setOpen(next && ('endpoint' in next ? `${next.what}-${next.endpoint.id}` : next.what));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Panel
      title={t('Webhooks')}
      about={t(
        'Other systems are notified of events over HTTP: signed, in order, and repeated until they arrive.',
      )}
      actions={<NewButton>{t('Add webhook')}</NewButton>}
      flush
    >
      <Loaded of={reading}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty
              title={t('No webhooks yet')}
              text={t('Add the URL of your CRM, accounting or automation service.')}
            />
          ) : (
            <ul className="fa-endpoints">
              {webhooks.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} show={setShown} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <FormDialog
        shown={shown}
        onClose={() => setShown(null)}
        onMade={(made) => {
          setShown(null);
          setSecret(made);
        }}
      />
      <Modal opened={secret !== null} onClose={() => setSecret(null)} title={t('The secret of your webhook')}>
        <p>{t('The receiver checks signatures with it.')}</p>
        {secret !== null && <Copyable value={secret} />}
      </Modal>
      <Modal opened={shown?.what === 'secret'} onClose={() => setShown(null)} title={t('Secret')}>
        {shown?.what === 'secret' && <Secret id={shown.endpoint.id} />}
      </Modal>
      <Modal
        opened={shown?.what === 'deliveries'}
        onClose={() => setShown(null)}
        title={t('Deliveries')}
        size="xl"
      >
        {shown?.what === 'deliveries' && <Deliveries id={shown.endpoint.id} />}
      </Modal>
    </Panel>
  );
}

/** Creates or edits an endpoint. */
function FormDialog({
  shown,
  onClose,
  onMade,
}: {
  readonly shown: OpenDialog | null;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}): ReactNode {
  const isOpen = shown?.what === 'new' || shown?.what === 'edit';
  return (
    <Modal opened={isOpen} onClose={onClose} title={shown?.what === 'new' ? t('Add webhook') : t('Webhook')}>
      {isOpen && (
        <EndpointForm
          {...(shown.what === 'edit' && { endpoint: shown.endpoint })}
          onClose={onClose}
          onMade={onMade}
        />
      )}
    </Modal>
  );
}

function EndpointRow({
  endpoint,
  show,
}: {
  endpoint: Endpoint;
  show: (shown: OpenDialog) => void;
}): ReactNode {
  const test = useWrite('webhooks.test', { done: null });
  const remove = useWrite('webhooks.delete', { quiet: true });
  const [result, setResult] = useState<ResponseOf<'webhooks.test'> | null>(null);
  const { id, url, description, status } = endpoint;
  return (
    <li>
      <div className="fa-row fa-spread">
        <span>
          <strong>{description || url}</strong> <Status of={status} />
        </span>
        <span className="fa-row">
          <RowButton onClick={() => show({ what: 'edit', endpoint })}>{t('Edit')}</RowButton>
          <RowButton onClick={() => show({ what: 'deliveries', endpoint })}>{t('Deliveries')}</RowButton>
          <RowButton onClick={() => show({ what: 'secret', endpoint })}>{t('Secret')}</RowButton>
          <RowButton
            loading={test.running}
            onClick={() => void test.run({ params: { id } }).then(setResult, () => undefined)}
          >
            {t('Test')}
          </RowButton>
          <RowButton
            quiet
            question={{
              title: t('Remove this webhook?'),
              danger: true,
              yes: t('Remove'),
              text: t('{url} receives no more events, and its deliveries are deleted.', { url }),
              run: () => remove.run({ params: { id } }),
            }}
          >
            {t('Remove')}
          </RowButton>
        </span>
      </div>
      <EndpointState endpoint={endpoint} />
      {result && <TestResult result={result} />}
    </li>
  );
}

/** Events of an endpoint, failures, and why it is disabled. */
function EndpointState({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { url, description, status, events, failing_since: failing, disabled_reason: off } = endpoint;
  const reason =
    off === 'gone' ? t('It returned 410 Gone.') : t('It has not accepted any event for five days.');
  return (
    <p className="fa-about">
      {description && `${url} · `}
      {events.includes('*') ? t('All events') : tn('{count} event', '{count} events', events.length)}
      {failing && status === 'active' && ` · ${t('failing')} `}
      {failing && status === 'active' && <DateTime at={failing} />}
      {status === 'disabled' && off && ` · ${reason}`}
    </p>
  );
}

function TestResult({ result }: { result: ResponseOf<'webhooks.test'> }): ReactNode {
  return (
    <p role="status">
      {result.delivered ? t('The test arrived.') : t('The test did not arrive.')}{' '}
      {result.status !== null && t('Response: {status}', { status: result.status })}{' '}
      {result.answer && <Code>{result.answer.slice(0, 200)}</Code>}
    </p>
  );
}

interface Values {
  readonly url: string;
  readonly description: string;
  readonly events: string[];
  readonly active: boolean;
  readonly payment_details: boolean;
}

/** The fields for the request. */
const sentOf = ({ active, ...fields }: Partial<Values>) => ({
  ...fields,
  ...(active !== undefined && { status: active ? ('active' as const) : ('disabled' as const) }),
  ...(fields.payment_details && { confirm: true }),
});

function EndpointForm({
  endpoint,
  onClose,
  onMade,
}: {
  readonly endpoint?: Endpoint;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}): ReactNode {
  const create = useWrite('webhooks.create', { quiet: true, done: null });
  const update = useWrite('webhooks.update', { quiet: true });
  const form = useForm<Values>(
    {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      events: [...(endpoint?.events ?? ['*'])] as string[],
      active: endpoint === undefined || endpoint.status === 'active',
      payment_details: endpoint?.payment_details ?? false,
    },
    async (values, changed) => {
      if (endpoint) {
        await update.run({ params: { id: endpoint.id }, body: sentOf(changed) });
        onClose();
        return;
      }
      const { url, events } = values;
      onMade((await create.run({ body: { ...sentOf(values), url, events } })).secret);
    },
    ({ url, events }) => ({
      ...(url.trim() === '' && { url: t('Enter the URL of the receiver.') }),
      ...(events.length === 0 && { events: t('Choose at least one event.') }),
    }),
  );
  const { events } = form.values;
  const put = (type: string, on: boolean): void =>
    form.set({ events: on ? [...events, type] : events.filter((other) => other !== type) });
  const all = events.includes('*');
  return (
    <FormFrame
      form={form}
      yes={endpoint ? t('Save') : t('Add webhook')}
      always={!endpoint}
      onCancel={onClose}
    >
      <TextInput
        label={t('Address')}
        description={t('https:// on the public internet')}
        type="url"
        required
        data-autofocus
        {...form.text('url')}
      />
      <TextInput label={t('Description')} {...form.text('description')} />
      <Checkbox
        label={t('All events except single clicks')}
        checked={all}
        onChange={(event) => put('*', event.currentTarget.checked)}
        error={form.field('events').error}
      />
      <QueryView of="webhooks.catalogue">
        {({ events: types }) => (
          <div className="fa-scroll-box" tabIndex={0} role="group" aria-label={t('Events')}>
            {types.map(({ type, description, on_request: onRequest }) => (
              <Checkbox
                key={type}
                label={<Code>{type}</Code>}
                description={description}
                checked={(all && !onRequest) || events.includes(type)}
                disabled={all && !onRequest}
                onChange={(event) => put(type, event.currentTarget.checked)}
              />
            ))}
          </div>
        )}
      </QueryView>
      <Checkbox
        label={t('Send payment addresses and bank details too')}
        description={t('Only to systems that pay affiliates or keep their accounts.')}
        {...form.flag('payment_details')}
      />
      <Switch label={t('Switched on')} {...form.flag('active')} />
    </FormFrame>
  );
}

function Secret({ id }: { id: number }): ReactNode {
  const rotate = useWrite('webhooks.rotate', { quiet: true, done: null });
  return (
    <QueryView of="webhooks.secret" input={{ params: { id } }}>
      {({ secret }) => (
        <>
          <Copyable value={secret} />
          <p className="fa-about">
            {t('For one day after a change, messages are signed with both secrets, so receivers can switch.')}
          </p>
          <ConfirmButton
            variant="default"
            question={{
              title: t('Create a new secret'),
              text: t(
                'For one day after a change, messages are signed with both secrets, so receivers can switch.',
              ),
              yes: t('Create a new secret'),
              run: () => rotate.run({ params: { id } }),
            }}
          >
            {t('Create a new secret')}
          </ConfirmButton>
        </>
      )}
    </QueryView>
  );
}

function Deliveries({ id }: { id: number }): ReactNode {
  const [status, setStatus] = useState('');
  const [page, setPage] = useState(1);
  const resend = useWrite('webhooks.resend');
  const replay = useWrite('webhooks.replay');
  const sendAgain = (delivery: number): void => resend.press({ params: { id, delivery_id: delivery } });
  return (
    <>
      <div className="fa-row fa-spread">
        <ChoiceInput
          aria-label={t('Status')}
          data={[
            { value: '', label: t('All') },
            { value: 'pending', label: t('Waiting') },
            { value: 'sent', label: t('Arrived') },
            { value: 'dead', label: t('Failed') },
          ]}
          value={status}
          onChange={(value) => {
            setStatus(value);
            setPage(1);
          }}
        />
        <ConfirmButton
          variant="default"
          question={{
            title: t('Send all events of the last 24 hours again?'),
            yes: t('Send again'),
            text: t('Receivers can use the event ID to skip duplicates.'),
            run: () =>
              replay.run({
                params: { id },
                body: { from: new Date(Date.now() - 86_400_000).toISOString() },
              }),
          }}
        >
          {t('Replay a day')}
        </ConfirmButton>
      </div>
      <QueryView
        of="webhooks.deliveries"
        input={{
          params: { id },
          query: { page, ...(status !== '' && { status: status as 'dead' }) },
        }}
      >
        {({ deliveries }) =>
          deliveries.data.length === 0 ? (
            <Empty title={t('Nothing was sent yet')} text={t('Deliveries are kept for 30 days.')} />
          ) : (
            <div className="fa-list">
              <Sheet
                cards
                rows={deliveries.data}
                rowKey={(row) => row.id}
                columns={[
                  { label: t('Event'), cell: (row) => <Code>{row.type}</Code> },
                  {
                    label: t('Status'),
                    cell: (row) => (
                      <>
                        <Status of={row.status} />{' '}
                        {row.attempts > 0 &&
                          tn('{count} failed try', '{count} failed attempts', row.attempts)}
                      </>
                    ),
                  },
                  { label: t('Response'), cell: (row) => row.answer_status ?? row.error ?? '—' },
                  { label: t('When'), cell: (row) => <DateTime at={row.updated_at} /> },
                  {
                    label: '',
                    end: true,
                    cell: (row) =>
                      row.status !== 'pending' && (
                        <RowButton onClick={() => sendAgain(row.id)}>{t('Send again')}</RowButton>
                      ),
                  },
                ]}
              />
              <div className="fa-row fa-spread">
                <Button variant="default" disabled={page <= 1} onClick={() => setPage(page - 1)}>
                  {t('Newer')}
                </Button>
                <Button
                  variant="default"
                  disabled={page >= deliveries.last_page}
                  onClick={() => setPage(page + 1)}
                >
                  {t('Older')}
                </Button>
              </div>
            </div>
          )
        }
      </QueryView>
    </>
  );
}
