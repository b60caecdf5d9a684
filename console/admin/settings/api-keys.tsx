import { Button, Checkbox, Modal, SegmentedControl, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useOpened } from '../../shared/address.js';
import { ask } from '../../shared/ask.js';
import { boot } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { When } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { Loaded, Copyable, Empty, Panel } from '../../shared/parts.js';
import { t, word } from '../../shared/texts.js';

type ApiKey = AnswerOf<'api_keys.list'>['api_keys'][number];
type Made = AnswerOf<'api_keys.delete'>['made'];
type Level = 'none' | 'read' | 'manage';

interface Part {
  /** What stands behind `read_` and `manage_` in the words of the rights. */
  readonly name: string;
  readonly label: string;
  readonly levels: readonly Level[];
}

const PARTS = (): readonly Part[] => [
  { name: 'all_affiliates', label: t('Affiliates'), levels: ['none', 'read', 'manage'] },
  { name: 'all_referrals', label: t('Referrals'), levels: ['none', 'read', 'manage'] },
  { name: 'all_visits', label: t('Visits'), levels: ['none', 'read'] },
  { name: 'all_payouts', label: t('Payouts'), levels: ['none', 'read', 'manage'] },
  { name: 'settings', label: t('Settings and events'), levels: ['none', 'read', 'manage'] },
  { name: 'portal', label: t("The owner's own portal"), levels: ['none', 'read', 'manage'] },
];

/** Besides changing payouts: the key makes money leave. */
const SENDS = 'send_payouts';

const levelText = (level: Level): string =>
  level === 'none' ? t('Nothing') : level === 'read' ? t('Read') : t('Change');

const levelOf = (rights: readonly string[], name: string): Level => {
  const everything = rights.includes('manage_all_data') && name.startsWith('all_');
  if (rights.includes(`manage_${name}`) || (everything && name !== 'all_visits')) return 'manage';
  return rights.includes(`read_${name}`) || everything ? 'read' : 'none';
};

/** The parts that a key may change, then those that it may only read. */
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

/** Keys with which scripts and servers use the interface. */
export function ApiKeys(): ReactNode {
  const reading = useRead('api_keys.list');
  const revoke = useWrite('api_keys.delete', { quiet: true });
  const [open, setOpen] = useOpened();
  const opened = reading.data?.api_keys.find(({ id }) => String(id) === open);
  const [made, setMade] = useState<string | null>(null);
  const [stays, setStays] = useState<Made>([]);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen('new')}>
      {t('New API key')}
    </Button>
  );
  const askRevoke = (row: ApiKey): void =>
    ask({
      title: t('Revoke {name}?', { name: row.name }),
      danger: true,
      yes: t('Revoke'),
      text: t('Whatever uses this key is refused from the next request on. This cannot be undone.'),
      run: async () => {
        const { made: left } = await revoke.run({ params: { id: row.id } });
        if (left.length > 0) setStays(left);
      },
    });
  return (
    <Panel
      title={t('API keys')}
      about={t(
        'For scripts and servers that act without a browser. A key never reaches further than the user it belongs to.',
      )}
      actions={add}
      flush
    >
      <Loaded of={reading}>
        {({ api_keys: keys }) =>
          keys.length === 0 ? (
            <Empty
              title={t('No API keys yet')}
              text={t(
                'Make one for each system that reads or writes here, with no more rights than it needs.',
              )}
            />
          ) : (
            <div className="fa-list">
              <div className="fa-table-frame">
                <table className="fa-table">
                  <thead>
                    <tr>
                      <th scope="col">{t('Name')}</th>
                      <th scope="col">{t('Rights')}</th>
                      <th scope="col">{t('Last used')}</th>
                      <th scope="col">{t('Good until')}</th>
                      <th scope="col">
                        <span className="fa-hidden">{t('Actions')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {keys.map((row) => (
                      <tr key={row.id}>
                        <td className="fa-cell-head">
                          <div>
                            {row.name}
                            <div className="fa-about">fak_{row.key_id}_…</div>
                            <div className="fa-about">
                              {t('Belongs to')}: {row.user_name ?? `#${row.user_id}`}
                            </div>
                          </div>
                        </td>
                        <td className="fa-cell-wide" data-label={t('Rights')}>
                          <Rights of={row.rights} />
                        </td>
                        <td data-label={t('Last used')}>
                          {row.last_used_at ? <When at={row.last_used_at} /> : t('Never')}
                        </td>
                        <td data-label={t('Good until')}>
                          {row.expires_at ? <When at={lastMomentOf(row.expires_at)} day /> : t('No end')}
                        </td>
                        <td className="fa-end">
                          <span className="fa-row">
                            {row.user_id === boot().user?.id && (
                              <Button size="compact-xs" variant="default" onClick={() => setOpen(row.id)}>
                                {t('Edit')}
                              </Button>
                            )}
                            <Button
                              size="compact-xs"
                              variant="subtle"
                              color="gray"
                              onClick={() => askRevoke(row)}
                            >
                              {t('Revoke')}
                            </Button>
                          </span>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </div>
          )
        }
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
        <p>{t('Copy it now: it is shown only this once.')}</p>
        {made !== null && <Copyable value={made} />}
      </Modal>
      <Modal opened={stays.length > 0} onClose={() => setStays([])} title={t('Made with this key')}>
        <MadeWithKey made={stays} />
      </Modal>
    </Panel>
  );
}

/** What a revoked key has made, with a button that deletes it where that is possible. */
function MadeWithKey({ made }: { readonly made: Made }): ReactNode {
  const quiet = { quiet: true, done: null } as const;
  const deletes = {
    affiliate: useWrite('affiliates.delete', quiet),
    affiliate_group: useWrite('groups.delete', quiet),
    creative: useWrite('creatives.delete', quiet),
    link: useWrite('links.delete', quiet),
    referral: useWrite('referrals.delete', quiet),
  };
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const deleteOf = ({ object_type: type, object_id: id }: Made[number]): (() => Promise<unknown>) | null => {
    const write = id !== null && Object.hasOwn(deletes, type) ? deletes[type as keyof typeof deletes] : null;
    return write && (() => write.run({ params: { id: Number(id) } }));
  };
  return (
    <>
      <p>
        {t('The key is revoked. What was made with it stays: check it, and delete what you do not want.')}
      </p>
      <ul className="fa-plain-list">
        {made.map((one) => {
          const { object_type: type, object_id: id, created_at: at } = one;
          const name = `${word(type)} ${id === null ? '' : `#${id}`}`;
          const remove = deleteOf(one);
          return (
            <li key={`${type} ${id}`} className="fa-row fa-spread">
              <span>
                {name} <When at={at} />
              </span>
              {gone.has(name) && <span className="fa-faint">{t('Deleted')}</span>}
              {remove !== null && !gone.has(name) && (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('Delete {name}?', { name })}
                  onClick={() =>
                    ask({
                      title: t('Delete {name}?', { name }),
                      danger: true,
                      yes: t('Delete'),
                      text: t('This cannot be undone.'),
                      run: async () => {
                        await remove();
                        setGone((before) => new Set([...before, name]));
                      },
                    })
                  }
                >
                  {t('Delete')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** A key ends with a day: the first moment it no longer works is the next day already. */
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
    {
      name: apiKey?.name ?? '',
      expires_at: '',
      rights: [...(apiKey?.rights ?? [])] as string[],
    },
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
      ...(name.trim() === '' && { name: t('Give the key a name.') }),
      ...(rights.length === 0 && { rights: t('Choose at least one right.') }),
    }),
  );
  const { rights } = form.values;
  const put = (name: string, level: string): void => {
    const others = rights.filter((right) => right !== `read_${name}` && right !== `manage_${name}`);
    form.set({ rights: level === 'none' ? others : [...others, `${level}_${name}`] });
  };
  const everything = rights.includes('manage_all_data');
  return (
    <FormFrame form={form} yes={apiKey ? t('Save') : t('Make key')} always={!apiKey} onCancel={onClose}>
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
            data={levels.map((level) => ({ value: level, label: levelText(level) }))}
            value={levelOf(rights, name)}
            onChange={(level) => put(name, level)}
            disabled={everything && name.startsWith('all_')}
          />
        </div>
      ))}
      <Checkbox
        label={t('Affiliates, referrals, visits and payouts: everything')}
        checked={everything}
        onChange={(event) =>
          form.set({
            rights: event.currentTarget.checked
              ? [...rights, 'manage_all_data']
              : rights.filter((right) => right !== 'manage_all_data'),
          })
        }
        error={form.field('rights').error}
      />
      <Checkbox
        label={t('Send payouts')}
        description={t('Money leaves without a person. It needs the right to change payouts, too.')}
        checked={rights.includes(SENDS)}
        onChange={(event) =>
          form.set({
            rights: event.currentTarget.checked
              ? [...rights, SENDS]
              : rights.filter((right) => right !== SENDS),
          })
        }
      />
      <TextInput
        type="date"
        label={t('Good until')}
        description={apiKey?.expires_at ? t('Empty: stays as it is') : t('Empty: no end')}
        {...form.text('expires_at')}
      />
    </FormFrame>
  );
}
