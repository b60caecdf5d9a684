import { Button, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import { useRead, useWrite, type AnswerOf } from '../../shared/data.js';
import { Panel } from '../../shared/parts.js';
import { fromServer, t, word } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';

type Method = AnswerOf<'portal.payout_methods'>['methods'][number];

/** The ways to be paid that the program offers; nothing where it offers none. */
export function PayoutMethods(): ReactNode {
  const { data } = useRead('portal.payout_methods', {});
  return (
    <>
      {(data?.methods ?? []).map((method) => (
        <OneMethod key={method.key} method={method} />
      ))}
    </>
  );
}

function OneMethod({ method }: { method: Method }): ReactNode {
  const [values, setValues] = useState<Record<string, string>>({});
  const save = useWrite('portal.save_payout_details');
  const params = { method: method.key };
  return (
    <Panel title={fromServer(method.title)}>
      <div className="fa-stack">
        {method.sandbox && (
          <div className="fa-notice" role="note">
            {t('Test payment: no money moves')}
          </div>
        )}
        {method.state !== 'ok' && (
          <div className="fa-notice" role="note">
            <strong>{t('Check these details.')}</strong> {method.reason}
          </div>
        )}
        {method.shown !== '' && <p className="fa-about">{method.shown}</p>}
        {method.profile_field !== null && <p className="fa-about">{t('Uses the payment details above.')}</p>}
        {!method.connects &&
          method.fields.map((field) => (
            <DetailInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          ))}
        <span className="fa-row">
          {method.connects ? <Connect method={method} /> : null}
          {method.offered && method.fields.length > 0 && !method.connects && (
            <Button
              loading={save.running}
              onClick={() => void save.run({ params, body: { details: values } }).catch(() => {})}
            >
              {t('Save')}
            </Button>
          )}
          <Choice method={method} />
        </span>
      </div>
    </Panel>
  );
}

/** An account at the payer, made on its own pages. */
function Connect({ method }: { method: Method }): ReactNode {
  const save = useWrite('portal.save_payout_details');
  const params = { method: method.key };
  const connect = async (): Promise<void> => {
    const { url } = await send('portal.connect_payout_method', { params });
    window.location.assign(url);
  };
  return (
    <>
      <Button onClick={() => void connect().catch((error: unknown) => toast.failed(error))}>
        {t('Connect account')}
      </Button>
      {method.complete && (
        <Button
          variant="default"
          onClick={() => void save.run({ params, body: { details: {} } }).catch(() => {})}
        >
          {t('I finished the set-up')}
        </Button>
      )}
    </>
  );
}

function Choice({ method }: { method: Method }): ReactNode {
  const choose = useWrite('portal.choose_payout_method');
  if (method.chosen) return <strong>{t('You are paid this way')}</strong>;
  if (!method.offered || !method.complete) return null;
  return (
    <Button
      variant="default"
      loading={choose.running}
      onClick={() => void choose.run({ body: { method: method.key } }).catch(() => {})}
    >
      {t('Pay me this way')}
    </Button>
  );
}

interface InputProps {
  readonly field: Method['fields'][number];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const DetailInput = ({ field, value, onChange }: InputProps): ReactNode =>
  field.choices.length > 0 ? (
    <Select
      label={fromServer(field.label)}
      data={field.choices.map((choice) => ({ value: choice, label: word(choice) }))}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
    />
  ) : (
    <TextInput
      label={fromServer(field.label)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
