import { Checkbox, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { boot } from '../../shared/boot.js';
import { RowButton } from '../../shared/buttons.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { choicesOf } from '../../shared/filters.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { NewButton } from '../../shared/url-dialog.js';
import { Loaded, Copyable, Panel } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { t, word } from '../../shared/texts.js';

type ApiKey = ResponseOf<'api_keys.list'>['api_keys'][number];
type CreatedRecord = ResponseOf<'api_keys.delete'>['made'];
type Level = 'none' | 'read' | 'manage';

interface Part {
  /** The names of rights after `read_` and `manage_`. */
  readonly name: string;
  readonly label: string;
  readonly levels: readonly Level[];
}

const PARTS = (): readonly Part[] => [
  { name: 'all_affiliates', label: t('Affiliates'), levels: ['none', 'read', 'manage'] },
  { name: 'all_referrals', label: t('Commissions'), levels: ['none', 'read', 'manage'] },
  { name: 'all_visits', label: t('Clicks'), levels: ['none', 'read'] },
  { name: 'all_payouts', label: t('Payouts'), levels: ['none', 'read', 'manage'] },
  { name: 'settings', label: t('Settings and events'), levels: ['none', 'read', 'manage'] },
  { name: 'portal', label: t("The owner's own portal"), levels: ['none', 'read', 'manage'] },
];

/** Sending money is a right of its own beside changing payouts. */
const SENDS = 'send_payouts';

const levelText = (level: Level): string =>
  level === 'none' ? t('Nothing') : level === 'read' ? t('Read') : t('Change');

const levelOf = (rights: readonly string[], name: string): Level => {
  const everything = rights.includes('manage_all_data') && name.startsWith('all_');
  if (rights.includes(`manage_${name}`) || (everything && name !== 'all_visits')) return 'manage';
  return rights.includes(`read_${name}`) || everything ? 'read' : 'none';
};

/** The parts a key may change, then those it may only read. */
const Rights = ({ of: rights }: { of: readonly string[] }): ReactNode => (
  <ul className="fa-plain-list">
    {(['manage', 'read'] as const).map((level) => {
      const parts = PARTS().filter(({ name }) => levelOf(rights, name) === level);
      return (
        parts.length > 0 && (
          <li key={level}>
            <span className="fa-faint">{levelText(level)}:</span> {parts.map(({ label }) => label).join(', ')}
          </li>
        )
      );
    })}
    {rights.includes(SENDS) && <li>{t('Send payouts')}</li>}
  </ul>
);

/** API keys for scripts and servers. */
export function ApiKeys(): ReactNode {
  const reading = useRead('api_keys.list');
  const revoke = useWrite('api_keys.delete', { quiet: true });
  const [open, setOpen] = useOpenRecord();
  const opened = reading.data?.api_keys.find(({ id }) => String(id) === open);
  const [made, setMade] = useState<string | null>(null);
  const [stays, setStays] = useState<CreatedRecord>([]);
  const askRevoke = (row: ApiKey): void =>
    confirmFirst({
      title: t('Revoke {name}?', { name: row.name }),
      danger: true,
      yes: t('Revoke'),
      text: t('Requests with this key fail immediately. This cannot be undone.'),
      run: async () => {
        const { made: left } = await revoke.run({ params: { id: row.id } });
        if (left.length > 0) setStays(left);
      },
    });
  return (
    <Panel
      title={t('API keys')}
      about={t('For scripts and servers. A key never has more rights than its user.')}
      actions={<NewButton>{t('New API key')}</NewButton>}
      flush
    >
      <Loaded of={reading}>
        {({ api_keys: keys }) => (
          <Sheet
            cards
            rows={keys}
            rowKey={(row) => row.id}
            columns={[
              { label: t('Name'), cell: (row) => <KeyName of={row} /> },
              { label: t('Rights'), wide: true, cell: (row) => <Rights of={row.rights} /> },
              {
                label: t('Last used'),
                cell: (row) => (row.last_used_at ? <DateTime at={row.last_used_at} /> : t('Never')),
              },
              {
                label: t('Valid until'),
                cell: (row) =>
                  row.expires_at ? <DateTime at={lastMomentOf(row.expires_at)} day /> : t('No end'),
              },
              {
                label: '',
                end: true,
                cell: (row) => (
                  <span className="fa-row">
                    {row.user_id === boot().user?.id && (
                      <RowButton onClick={() => setOpen(row.id)}>{t('Edit')}</RowButton>
                    )}
                    <RowButton quiet onClick={() => askRevoke(row)}>
                      {t('Revoke')}
                    </RowButton>
                  </span>
                ),
              },
            ]}
            empty={{
              title: t('No API keys yet'),
              text: t('Create one key for each system, with only the rights it needs.'),
            }}
          />
        )}
      </Loaded>
      <Modal
        opened={open === 'new' || opened !== undefined}
        onClose={() => setOpen(null)}
        title={open === 'new' ? t('New API key') : t('API key')}
      >
        {(open === 'new' || opened) && (
          <KeyForm
            {...(opened && { apiKey: opened })}
            onClose={() => setOpen(null)}
            onMade={(key) => {
              setOpen(null);
              setMade(key);
            }}
          />
        )}
      </Modal>
      <Modal opened={made !== null} onClose={() => setMade(null)} title={t('Your new API key')}>
        <p>{t('Copy it now. You can’t see it again.')}</p>
        {made !== null && <Copyable value={made} />}
      </Modal>
      <Modal opened={stays.length > 0} onClose={() => setStays([])} title={t('Created with this key')}>
        <CreatedByKey made={stays} />
      </Modal>
    </Panel>
  );
}

const KeyName = ({ of: row }: { of: ApiKey }): ReactNode => (
  <div>
    {row.name}
    <div className="fa-about">fak_{row.key_id}_…</div>
    <div className="fa-about">
      {t('Belongs to')}: {row.user_name ?? `#${row.user_id}`}
    </div>
  </div>
);

/** What a revoked key has created, with buttons to delete it where possible. */
function CreatedByKey({ made }: { readonly made: CreatedRecord }): ReactNode {
  const quiet = { quiet: true, done: null } as const;
  const deletes = {
    affiliate: useWrite('affiliates.delete', quiet),
    affiliate_group: useWrite('groups.delete', quiet),
    creative: useWrite('creatives.delete', quiet),
    link: useWrite('links.delete', quiet),
    referral: useWrite('referrals.delete', quiet),
  };
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const deleteOf = ({
    object_type: type,
    object_id: id,
  }: CreatedRecord[number]): (() => Promise<unknown>) | null => {
    const write = id !== null && Object.hasOwn(deletes, type) ? deletes[type as keyof typeof deletes] : null;
    return write && (() => write.run({ params: { id: Number(id) } }));
  };
  return (
    <>
      <p>{t('The key is revoked. Check the entries created with it, and delete those you don’t want.')}</p>
      <ul className="fa-plain-list">
        {made.map((one) => {
          const { object_type: type, object_id: id, created_at: at } = one;
          const name = `${word(type)} ${id === null ? '' : `#${id}`}`;
          const remove = deleteOf(one);
          return (
            <li key={`${type} ${id}`} className="fa-row fa-spread">
              <span>
                {name} <DateTime at={at} />
              </span>
              {gone.has(name) && <span className="fa-faint">{t('Deleted')}</span>}
              {remove !== null && !gone.has(name) && (
                <RowButton
                  aria-label={t('Delete {name}?', { name })}
                  question={{
                    title: t('Delete {name}?', { name }),
                    danger: true,
                    yes: t('Delete'),
                    text: t('This cannot be undone.'),
                    run: async () => {
                      await remove();
                      setGone((before) => new Set([...before, name]));
                    },
                  }}
                >
                  {t('Delete')}
                </RowButton>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** A key works until the end of its last day, so the stored time is the start of the next day. */
const lastMomentOf = (end: string): string => new Date(Date.parse(end) - 1).toISOString();

function KeyForm({
  apiKey,
  onClose,
  onMade,
}: {
  readonly apiKey?: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (key: string) => void;
}): ReactNode {
  const create = useWrite('api_keys.create', { quiet: true, done: null });
  const update = useWrite('api_keys.update', { quiet: true });
  const form = useForm(
    { name: apiKey?.name ?? '', expires_at: '', rights: [...(apiKey?.rights ?? [])] as string[] },
    async ({ name, expires_at: until, rights }, changed) => {
      const ends = until === '' ? {} : { expires_at: until };
      if (apiKey) {
        const { expires_at: _until, ...rest } = changed;
        await update.run({ params: { id: apiKey.id }, body: { ...rest, ...ends } });
        onClose();
        return;
      }
      onMade((await create.run({ body: { name, rights, ...ends } })).key);
    },
    ({ name, rights }) => ({
      ...(name.trim() === '' && { name: t('Enter a name for the key.') }),
      ...(rights.length === 0 && { rights: t('Choose at least one right.') }),
    }),
  );
  const { rights } = form.values;
  const put = (name: string, level: string): void => {
    const others = rights.filter((right) => right !== `read_${name}` && right !== `manage_${name}`);
    form.set({ rights: level === 'none' ? others : [...others, `${level}_${name}`] });
  };
  const everything = rights.includes('manage_all_data');
  const toggle = (right: string): void =>
    form.set({
      rights: rights.includes(right) ? rights.filter((other) => other !== right) : [...rights, right],
    });
  return (
    <FormFrame form={form} yes={apiKey ? t('Save') : t('Create key')} always={!apiKey} onCancel={onClose}>
      <TextInput
        data-autofocus
        label={t('Name')}
        description={t('What uses it, e.g. Warehouse')}
        required
        {...form.text('name')}
      />
      {PARTS().map(({ name, label, levels }) => (
        <div key={name} className="fa-row fa-spread">
          <span>{label}</span>
          <SegmentedControl
            size="xs"
            aria-label={label}
            data={choicesOf(levels, levelText)}
            value={levelOf(rights, name)}
            onChange={(level) => put(name, level)}
            disabled={everything && name.startsWith('all_')}
          />
        </div>
      ))}
      <Checkbox
        label={t('Affiliates, commissions, clicks and payouts: everything')}
        checked={everything}
        onChange={() => toggle('manage_all_data')}
        error={form.field('rights').error}
      />
      <Checkbox
        label={t('Send payouts')}
        description={t('Sends money without approval. The key also needs the right to change payouts.')}
        checked={rights.includes(SENDS)}
        onChange={() => toggle(SENDS)}
      />
      <TextInput
        type="date"
        label={t('Valid until')}
        description={apiKey?.expires_at ? t('Empty: unchanged') : t('Empty: no end')}
        {...form.text('expires_at')}
      />
    </FormFrame>
  );
}
