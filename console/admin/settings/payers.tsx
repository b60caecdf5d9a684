import { Alert, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { Answer, Panel } from '../../shared/parts.js';
import { t } from '../../shared/texts.js';
import { told } from '../../shared/told.js';

type Payer = AnswerOf<'payers.list'>['payers'][number];

/** The services that send payments: their credentials, and which of them affiliates may choose. */
export function Payers(): ReactNode {
  const reading = useRead('payers.list');
  return (
    <Answer of={reading} lines={8}>
      {({ payers }) => (
        <div className="fa-stack">
          <Offered payers={payers} />
          {payers.map((payer) => (
            <PayerForm key={payer.key} payer={payer} />
          ))}
        </div>
      )}
    </Answer>
  );
}

function Offered({ payers }: { payers: readonly Payer[] }): ReactNode {
  const { data } = useRead('payers.settings');
  const save = useWrite('payers.save_settings');
  const ready = payers.filter((payer) => payer.ready);
  if (data === undefined || ready.length === 0) return null;
  const { offered, fee_by: feeBy } = data.settings;
  return (
    <Panel title={t('Affiliates may choose')}>
      <div className="fa-stack">
        {ready.map(({ key, title }) => (
          <Checkbox
            key={key}
            label={title}
            checked={offered.includes(key)}
            onChange={({ currentTarget: { checked } }) =>
              void save
                .run({
                  body: { offered: checked ? [...offered, key] : offered.filter((each) => each !== key) },
                })
                .catch(() => {})
            }
          />
        ))}
        <Select
          label={t('Who pays the fees')}
          value={feeBy}
          data={[
            { value: 'program', label: t('The program') },
            { value: 'affiliate', label: t('The affiliate: less is sent') },
          ]}
          onChange={(value) => value && void save.run({ body: { fee_by: value } }).catch(() => {})}
        />
      </div>
    </Panel>
  );
}

function PayerForm({ payer }: { payer: Payer }): ReactNode {
  const [values, setValues] = useState<Record<string, string>>(payer.credentials?.shown ?? {});
  const save = useWrite('payers.save');
  const remove = useWrite('payers.remove');
  const test = useWrite('payers.test', { done: null });
  const params = { method: payer.key };
  const names = Object.keys(payer.fields);
  const set = (name: string, value: string): void => setValues((before) => ({ ...before, [name]: value }));
  const tryOut = async (): Promise<void> => {
    const { ok, message } = await test.run({ params });
    if (ok) told.done(message);
    else told.failed(new Error(message));
  };
  return (
    <Panel title={payer.title}>
      <div className="fa-stack">
        {payer.ready && payer.sandbox && <Alert color="yellow" title={t('Sandbox: no money moves')} />}
        {names.map((name) => (
          <CredentialInput
            key={name}
            field={payer.fields[name]!}
            isStored={payer.credentials?.secrets.includes(name) === true}
            value={values[name] ?? ''}
            onChange={(value) => set(name, value)}
          />
        ))}
        <span className="fa-row">
          {names.length > 0 && (
            <Button
              loading={save.running}
              onClick={() => void save.run({ params, body: { credentials: values } }).catch(() => {})}
            >
              {t('Save')}
            </Button>
          )}
          {payer.can_test && (
            <Button variant="default" loading={test.running} onClick={() => void tryOut().catch(() => {})}>
              {t('Test connection')}
            </Button>
          )}
          {payer.credentials !== null && (
            <Button variant="subtle" color="gray" onClick={() => void remove.run({ params }).catch(() => {})}>
              {t('Remove')}
            </Button>
          )}
        </span>
      </div>
    </Panel>
  );
}

interface InputProps {
  readonly field: Payer['fields'][string];
  readonly isStored: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function CredentialInput({ field, isStored, value, onChange }: InputProps): ReactNode {
  if (field.choices.length > 0)
    return (
      <Select
        label={field.label}
        data={[...field.choices]}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  return (
    <TextInput
      label={field.label}
      type={field.secret ? 'password' : 'text'}
      autoComplete="off"
      placeholder={isStored ? t('Stored. Leave empty to keep it.') : ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
