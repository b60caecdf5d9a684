import { Button, Checkbox, Code, Modal, Select, Switch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Loaded, Copyable, Empty, Panel, Status } from '../../shared/parts.js';
import { t, tn } from '../../shared/texts.js';

type Endpoint = AnswerOf<'webhooks.list'>['webhooks'][number];
type Shown =
  { readonly what: 'edit' | 'deliveries' | 'secret'; readonly endpoint: Endpoint } | { readonly what: 'new' };

/** `new`, or what is shown of an endpoint: `edit-3`. */
function shownOf(open: string, endpoints: readonly Endpoint[]): Shown | null {
  if (open === 'new') return { what: 'new' };
  const [, what, id] = /^(edit|deliveries|secret)-(\d+)$/.exec(open) ?? [];
  const endpoint = endpoints.find((each) => String(each.id) === id);
  return endpoint ? { what: what as 'edit' | 'deliveries' | 'secret', endpoint } : null;
}

/** Systems elsewhere that are told what happens. */
export function Webhooks(): ReactNode {
  const reading = useRead('webhooks.list');
  const [open, setOpen] = useOpened();
  const shown = shownOf(open, reading.data?.webhooks ?? []);
  const setShown = (next: Shown | null): void =>
    setOpen(next && ('endpoint' in next ? `${next.what}-${next.endpoint.id}` : next.what));
  const [secret, setSecret] = useState<string | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setShown({ what: 'new' })}>
      {t('Add webhook')}
    </Button>
  );
  return (
    <Panel
      title={t('Webhooks')}
      about={t(
        'Other systems are notified of events over HTTP: signed, in order, and repeated until they arrive.',
      )}
      actions={add}
      flush
    >
      <Loaded of={reading}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty
              title={t('No webhooks yet')}
              text={t('Add the address of your CRM, your accounting or an automation service.')}
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

/** For a new endpoint, or the one that is changed. */
function FormDialog({
  shown,
  onClose,
  onMade,
}: {
  readonly shown: Shown | null;
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

function EndpointRow({ endpoint, show }: { endpoint: Endpoint; show: (shown: Shown) => void }): ReactNode {
  const test = useWrite('webhooks.test', { done: null });
  const remove = useWrite('webhooks.delete', { quiet: true });
  const [result, setResult] = useState<AnswerOf<'webhooks.test'> | null>(null);
  const { id, url, description, status } = endpoint;
  return (
    <li>
      <div className="fa-row fa-spread">
        <span>
          <strong>{description || url}</strong> <Status of={status} />
        </span>
        <span className="fa-row">
          <Button size="compact-xs" variant="default" onClick={() => show({ what: 'edit', endpoint })}>
            {t('Edit')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => show({ what: 'deliveries', endpoint })}>
            {t('Deliveries')}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => show({ what: 'secret', endpoint })}>
            {t('Secret')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            loading={test.running}
            onClick={() => void test.run({ params: { id } }).then(setResult, () => undefined)}
          >
            {t('Test')}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() =>
              ask({
                title: t('Remove this webhook?'),
                danger: true,
                yes: t('Remove'),
                text: t('{url} receives no more events, and its deliveries are deleted.', { url }),
                run: () => remove.run({ params: { id } }),
              })
            }
          >
            {t('Remove')}
          </Button>
        </span>
      </div>
      <EndpointState endpoint={endpoint} />
      {result && <TestResult result={result} />}
    </li>
  );
}

/** What it is told, since when it fails, and why it is off. */
function EndpointState({ endpoint }: { endpoint: Endpoint }): ReactNode {
  const { url, description, status, events, failing_since: failing, disabled_reason: off } = endpoint;
  const reason =
    off === 'gone' ? t('It answered that it is gone.') : t('It has not accepted any event for five days.');
  return (
    <p className="fa-about">
      {description && `${url} · `}
      {events.includes('*') ? t('All events') : tn('{count} event', '{count} events', events.length)}
      {failing && status === 'active' && ` · ${t('failing')} `}
      {failing && status === 'active' && <When at={failing} />}
      {status === 'disabled' && off && ` · ${reason}`}
    </p>
  );
}

function TestResult({ result }: { result: AnswerOf<'webhooks.test'> }): ReactNode {
  return (
    <p role="status">
      {result.delivered ? t('The test arrived.') : t('The test did not arrive.')}{' '}
      {result.status !== null && t('Answer: {status}', { status: result.status })}{' '}
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

/** The fields as the wire has them. */
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
  const catalogue = useRead('webhooks.catalogue');
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
      ...(url.trim() === '' && { url: t('Give the address of the receiver.') }),
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
      <Loaded of={catalogue}>
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
      </Loaded>
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
  const reading = useRead('webhooks.secret', { params: { id } });
  const rotate = useWrite('webhooks.rotate', { quiet: true, done: null });
  return (
    <Loaded of={reading}>
      {({ secret }) => (
        <>
          <Copyable value={secret} />
          <p className="fa-about">
            {t(
              'After a change, messages are signed with both secrets for a day, so that receivers can switch.',
            )}
          </p>
          <Button
            variant="default"
            onClick={() =>
              ask({
                title: t('Make a new secret'),
                text: t(
                  'After a change, messages are signed with both secrets for a day, so that receivers can switch.',
                ),
                yes: t('Make a new secret'),
                run: () => rotate.run({ params: { id } }),
              })
            }
          >
            {t('Make a new secret')}
          </Button>
        </>
      )}
    </Loaded>
  );
}

function Deliveries({ id }: { id: number }): ReactNode {
  const [status, setStatus] = useState('');
  const [page, setPage] = useState(1);
  const reading = useRead('webhooks.deliveries', {
    params: { id },
    query: { page, ...(status !== '' && { status: status as 'dead' }) },
  });
  const resend = useWrite('webhooks.resend');
  const replay = useWrite('webhooks.replay');
  return (
    <>
      <div className="fa-row fa-spread">
        <Select
          aria-label={t('Status')}
          data={[
            { value: '', label: t('All') },
            { value: 'pending', label: t('Waiting') },
            { value: 'sent', label: t('Arrived') },
            { value: 'dead', label: t('Given up') },
          ]}
          value={status}
          allowDeselect={false}
          onChange={(value) => {
            setStatus(value ?? '');
            setPage(1);
          }}
        />
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: t('Send everything of the last 24 hours again?'),
              yes: t('Send again'),
              text: t('Receivers recognise by its id what they have already received.'),
              run: () =>
                replay.run({
                  params: { id },
                  body: { from: new Date(Date.now() - 86_400_000).toISOString() },
                }),
            })
          }
        >
          {t('Replay a day')}
        </Button>
      </div>
      <Loaded of={reading}>
        {({ deliveries }) =>
          deliveries.data.length === 0 ? (
            <Empty title={t('Nothing was sent yet')} text={t('Deliveries are kept for 30 days.')} />
          ) : (
            <div className="fa-list">
              <div className="fa-table-frame">
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">{t('Event')}</th>
                      <th scope="col">{t('Status')}</th>
                      <th scope="col">{t('Answer')}</th>
                      <th scope="col">{t('When')}</th>
                      <th scope="col">
                        <span className="fa-hidden">{t('Actions')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {deliveries.data.map((row) => (
                      <tr key={row.id}>
                        <td className="fa-cell-head">
                          <Code>{row.type}</Code>
                        </td>
                        <td data-label={t('Status')}>
                          <Status of={row.status} />{' '}
                          {row.attempts > 0 && tn('{count} failed try', '{count} failed tries', row.attempts)}
                        </td>
                        <td data-label={t('Answer')}>{row.answer_status ?? row.error ?? '—'}</td>
                        <td data-label={t('When')}>
                          <When at={row.updated_at} />
                        </td>
                        <td className="fa-end">
                          {row.status !== 'pending' && (
                            <Button
                              size="compact-xs"
                              variant="default"
                              onClick={() =>
                                void resend
                                  .run({ params: { id, delivery_id: row.id } })
                                  .catch(() => undefined)
                              }
                            >
                              {t('Send again')}
                            </Button>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
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
      </Loaded>
    </>
  );
}
