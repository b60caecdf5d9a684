import { Alert, Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ChoiceInput } from '../../shared/choice-input.js';
import { useRead, useWrite, type ResponseOf } from '../../shared/data.js';
import { choicesOf, choicesIn } from '../../shared/filters.js';
import { Panel } from '../../shared/parts.js';
import { QueryView } from '../../shared/query-view.js';
import { fromServer, t, word } from '../../shared/texts.js';
import { toast } from '../../shared/toast.js';
import { weekdays } from './weekdays.js';

type Payer = ResponseOf<'payers.list'>['payers'][number];

/** Payers: their credentials, and which of them affiliates may choose. */
export const Payers = (): ReactNode => (
  <QueryView of="payers.list" lines={8}>
    {({ payers }) => (
      <div className="fa-stack">
        <Offered payers={payers} />
        <Schedules payers={payers} />
        {payers.map((payer) => (
          <PayerForm key={payer.key} payer={payer} />
        ))}
      </div>
    )}
  </QueryView>
);

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
            label={fromServer(title)}
            checked={offered.includes(key)}
            onChange={({ currentTarget: { checked } }) =>
              save.press({
                body: { offered: checked ? [...offered, key] : offered.filter((each) => each !== key) },
              })
            }
          />
        ))}
        <Select
          label={t('Who pays the fees')}
          value={feeBy}
          data={choicesIn({ program: t('The program'), affiliate: t('The affiliate: the fee is deducted') })}
          onChange={(value) => value && save.press({ body: { fee_by: value } })}
        />
      </div>
    </Panel>
  );
}

type Schedule = NonNullable<ResponseOf<'payers.settings'>['settings']['schedule']>;

const FRESH: Omit<Schedule, 'method'> = {
  every: 'month',
  day: 1,
  cut_off_days: 0,
  auto_send: false,
  approval_above: null,
};

/** Scheduled payouts. */
function Schedules({ payers }: { payers: readonly Payer[] }): ReactNode {
  const { data } = useRead('payers.settings');
  const ready = payers.filter((payer) => payer.ready);
  if (data === undefined || ready.length === 0) return null;
  const { schedule } = data.settings;
  return <ScheduleForm key={JSON.stringify(schedule)} ready={ready} schedule={schedule} />;
}

function ScheduleForm({
  ready,
  schedule,
}: {
  ready: readonly Payer[];
  schedule: Schedule | null;
}): ReactNode {
  const save = useWrite('payers.save_settings');
  const [isOn, setOn] = useState(schedule !== null);
  const [values, setValues] = useState<Schedule>(schedule ?? { ...FRESH, method: ready[0]!.key });
  const set = (patch: Partial<Schedule>): void => setValues((before) => ({ ...before, ...patch }));
  return (
    <Panel title={t('Schedule')} about={t('Creates payouts automatically, and sends them if you want.')}>
      <div className="fa-stack">
        <Checkbox
          label={t('Create payouts on a schedule')}
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => setOn(checked)}
        />
        {isOn && <ScheduleFields ready={ready} values={values} set={set} />}
        <span className="fa-row">
          <Button
            loading={save.running}
            onClick={() => save.press({ body: { schedule: isOn ? values : null } })}
          >
            {t('Save schedule')}
          </Button>
        </span>
      </div>
    </Panel>
  );
}

interface ScheduleFieldsProps {
  readonly ready: readonly Payer[];
  readonly values: Schedule;
  readonly set: (patch: Partial<Schedule>) => void;
}

function ScheduleFields({ ready, values, set }: ScheduleFieldsProps): ReactNode {
  const days =
    values.every === 'week'
      ? weekdays()
      : Array.from({ length: 28 }, (_, at) => ({ value: String(at + 1), label: String(at + 1) }));
  return (
    <>
      <div className="fa-two">
        <ChoiceInput
          label={t('How often')}
          value={values.every}
          data={choicesIn({ month: t('Every month'), week: t('Every week') })}
          onChange={(every) => set({ every: every === 'week' ? 'week' : 'month', day: 1 })}
        />
        <ChoiceInput
          label={t('Day')}
          value={String(values.day)}
          data={days}
          onChange={(day) => set({ day: Number(day) })}
        />
        <ChoiceInput
          label={t('Payout method')}
          description={t('For affiliates who have not selected one')}
          value={values.method}
          data={ready.map(({ key, title }) => ({ value: key, label: fromServer(title) }))}
          onChange={(method) => set({ method })}
        />
        <TextInput
          type="number"
          label={t('Skip the last days')}
          description={t('Commissions of these days wait for the next payout.')}
          min={0}
          max={90}
          value={values.cut_off_days}
          onChange={({ currentTarget: { value } }) => set({ cut_off_days: Number(value) })}
        />
      </div>
      <Checkbox
        label={t('Send the money too')}
        description={t('Otherwise the payout waits, and you get a mail.')}
        checked={values.auto_send}
        onChange={({ currentTarget: { checked } }) => set({ auto_send: checked })}
      />
      {values.auto_send && (
        <TextInput
          type="number"
          label={t('Ask for approval above')}
          description={t('Empty: no limit of its own')}
          min={0}
          step="any"
          value={values.approval_above ?? ''}
          onChange={({ currentTarget: { value } }) =>
            set({ approval_above: value === '' ? null : Number(value) })
          }
        />
      )}
    </>
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
    if (ok) toast.done(message);
    else toast.failed(new Error(message));
  };
  return (
    <Panel
      title={fromServer(payer.title)}
      about={
        names.length === 0 ? t('A developer has set this up. You don’t have to enter anything.') : undefined
      }
    >
      <form
        className="fa-stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.press({ params, body: { credentials: values } });
        }}
      >
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
            <Button type="submit" loading={save.running}>
              {t('Save')}
            </Button>
          )}
          {payer.can_test && (
            <Button variant="default" loading={test.running} onClick={() => void tryOut().catch(() => {})}>
              {t('Test connection')}
            </Button>
          )}
          {payer.credentials !== null && (
            <Button variant="subtle" color="gray" onClick={() => remove.press({ params })}>
              {t('Remove')}
            </Button>
          )}
        </span>
      </form>
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
        label={fromServer(field.label)}
        data={choicesOf(field.choices, word)}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  return (
    <TextInput
      label={fromServer(field.label)}
      type={field.secret ? 'password' : 'text'}
      autoComplete="off"
      placeholder={isStored ? t('Stored. Leave empty to keep it.') : ''}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
