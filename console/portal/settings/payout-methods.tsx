import { Button, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { send } from '../../shared/boot.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesOf } from '../../shared/filters.js';
import { Panel } from '../../shared/parts.js';
import { fromServer, t, word } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';

type Method = ResponseOf<'portal.payout_methods'>['methods'][number];

/** The payout methods the program offers. */
export function PayoutMethods(): ReactNode {
  const { data } = useRead('portal.payout_methods', {});
  return (
    <>
      {(data?.methods ?? []).map((method) => (
        <MethodForm key={method.key} method={method} />
      ))}
    </>
  );
}

function MethodForm({ method }: { method: Method }): ReactNode {
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
            <Button loading={save.running} onClick={() => save.press({ params, body: { details: values } })}>
              {t('Save')}
            </Button>
          )}
          <Choice method={method} />
        </span>
      </div>
    </Panel>
  );
}

/** An account at the payer, which is set up on the payer's pages. */
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
        <Button variant="default" onClick={() => save.press({ params, body: { details: {} } })}>
          {t('I finished the set-up')}
        </Button>
      )}
    </>
  );
}

function Choice({ method }: { method: Method }): ReactNode {
  const choose = useWrite('portal.choose_payout_method');
  if (method.chosen) return <strong>{t('Your payout method')}</strong>;
  if (!method.offered || !method.complete) return null;
  return (
    <Button
      variant="default"
      loading={choose.running}
      onClick={() => choose.press({ body: { method: method.key } })}
    >
      {t('Use this payout method')}
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
      data={choicesOf(field.choices, word)}
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
