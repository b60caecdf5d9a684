import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError } from '../../client/index.js';
import { tooLong, type RecordName } from './record-facts.js';
import { Problem } from './parts.js';
import { sentence, t } from './texts.js';

// Forms with changes that are not saved; leaving the screen asks first.
const unsaved = new Set<symbol>();
export const hasUnsaved = (): boolean => unsaved.size > 0;
export const forgetUnsaved = (): void => unsaved.clear();

if (typeof window !== 'undefined')
  window.addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });

export interface Field<V> {
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly error: string | undefined;
}

export interface Form<T extends object> {
  readonly values: T;
  set(patch: Partial<T>): void;
  /** For an input that hands over its value. */
  field<K extends keyof T & string>(name: K): Field<T[K]>;
  /** For a text input, which hands over an event. */
  text(name: keyof T & string): {
    value: string;
    onChange: (event: { currentTarget: { value: string } }) => void;
    error: string | undefined;
  };
  /** For a switch or checkbox over yes/no or true/false. */
  flag(name: keyof T & string): {
    checked: boolean;
    onChange: (event: { currentTarget: { checked: boolean } }) => void;
    error: string | undefined;
  };
  readonly dirty: boolean;
  readonly saving: boolean;
  readonly error: unknown;
  reset(values?: T): void;
  /** Closing does not ask about its changes any more. */
  forget(): void;
  submit(): Promise<void>;
}

/**
 * Values of a form, the errors of the server at their fields, and one saving at a time.
 * `checks` are made before sending, and what the record of the form says of its texts.
 */
export function useForm<T extends object>(
  initial: T,
  save: (values: T, changed: Partial<T>) => Promise<unknown>,
  checks: (values: T) => Partial<Record<keyof T & string, string>> = () => ({}),
  record?: RecordName,
): Form<T> {
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const mark = useRef(Symbol('form'));
  const changed = Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(start[name as keyof T]),
    ),
  ) as Partial<T>;
  const dirty = Object.keys(changed).length > 0;
  useEffect(() => {
    const own = mark.current;
    if (dirty) unsaved.add(own);
    else unsaved.delete(own);
    return () => {
      unsaved.delete(own);
    };
  }, [dirty]);
  const set = (patch: Partial<T>): void => {
    setValues((old) => ({ ...old, ...patch }));
    setErrors((old) => Object.fromEntries(Object.entries(old).filter(([name]) => !(name in patch))));
  };
  const submit = async (): Promise<void> => {
    if (saving) return;
    const found = { ...tooLong(record, values), ...(checks(values) as Readonly<Record<string, string>>) };
    setErrors(found);
    setError(null);
    if (Object.keys(found).length > 0) return;
    setSaving(true);
    try {
      unsaved.delete(mark.current); // what the answer leads to may leave this screen
      await save(values, changed);
      setStart(values);
    } catch (problem) {
      if (dirty) unsaved.add(mark.current);
      setErrors(fieldsOf(problem));
      setError(problem);
    } finally {
      setSaving(false);
    }
  };
  return {
    values,
    set,
    dirty,
    saving,
    error: error !== null && Object.keys(errors).some((name) => name in values) ? null : error,
    field: (name) => ({
      value: values[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<T>),
      error: errors[name],
    }),
    text: (name) => ({
      value: String(values[name] ?? ''),
      onChange: (event) => set({ [name]: event.currentTarget.value } as unknown as Partial<T>),
      error: errors[name],
    }),
    flag: (name) => ({
      checked: (values[name] as unknown) === true || (values[name] as unknown) === 'yes',
      onChange: (event) => {
        const on = event.currentTarget.checked;
        set({ [name]: typeof values[name] === 'boolean' ? on : on ? 'yes' : 'no' } as unknown as Partial<T>);
      },
      error: errors[name],
    }),
    reset: (next = start) => {
      setStart(next);
      setValues(next);
      setErrors({});
      setError(null);
    },
    forget: () => void unsaved.delete(mark.current),
    submit,
  };
}

const fieldsOf = (problem: unknown): Readonly<Record<string, string>> =>
  problem instanceof ApiError
    ? Object.fromEntries(
        Object.entries(problem.errors).flatMap(([name, rules]) =>
          Object.values(rules)
            .slice(0, 1)
            .map((text) => [name.split('.').at(-1)!, sentence(text)]),
        ),
      )
    : {};

/** The frame of a form: fields, what went wrong, and the buttons. */
export function FormFrame<T extends object>({
  form,
  children,
  yes,
  onCancel,
  always = false,
  danger,
  more,
}: {
  readonly form: Form<T>;
  readonly children: ReactNode;
  readonly yes?: string;
  readonly onCancel?: () => void;
  /** The button works without a change, e.g. in a form that creates. */
  readonly always?: boolean;
  readonly danger?: boolean;
  /** Further buttons, at the end. */
  readonly more?: ReactNode;
}): ReactNode {
  return (
    <form
      className="fa-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void form.submit();
      }}
    >
      {children}
      {form.error !== null && <Problem error={form.error} />}
      <div className="fa-form-buttons">
        <Button
          type="submit"
          loading={form.saving}
          disabled={!always && !form.dirty}
          {...(danger && { color: 'red' })}
        >
          {yes ?? t('Save')}
        </Button>
        {onCancel ? (
          <Button
            variant="default"
            onClick={() => {
              form.forget();
              onCancel();
            }}
          >
            {t('Cancel')}
          </Button>
        ) : (
          form.dirty &&
          !always && (
            <Button variant="subtle" color="gray" onClick={() => form.reset()}>
              {t('Discard')}
            </Button>
          )
        )}
        {more}
      </div>
    </form>
  );
}

/** A group of fields with its heading beside it on wide screens. */
export const FieldGroup = ({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}): ReactNode => (
  <fieldset className="fa-fields">
    <legend className="fa-hidden">{title}</legend>
    <div className="fa-fields-head">
      <h2>{title}</h2>
      {about !== undefined && <p className="fa-about">{about}</p>}
    </div>
    <div className="fa-fields-body">{children}</div>
  </fieldset>
);
