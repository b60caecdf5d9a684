import { Button } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError } from '../../client/index.js';
import { changesBetween, faultsOf, isSame, readFigure, type Change, type Figure } from './figures.js';
import { lazyPart } from './lazy-component.js';
import { tooLong, type RecordName } from './record-facts.js';
import { announce } from './page-title.js';
import { Problem } from './parts.js';
import type { FormConfirmation } from './confirm-changes.js';
import { sentence, t } from './texts.js';
import { unsaved } from './unsaved.js';

// Loaded on first use.
const ConfirmChanges = lazyPart(() => import('./confirm-changes.js'), 'ConfirmChanges');

export interface Field<V> {
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly error: string | undefined;
}

export interface Form<T extends object> {
  readonly values: T;
  set(patch: Partial<T>): void;
  /** Props of an input whose `onChange` gets the value. */
  field<K extends keyof T & string>(name: K): Field<T[K]>;
  /** Props of a select, which ignores an empty choice. */
  choice<K extends keyof T & string>(
    name: K,
  ): Omit<Field<T[K]>, 'onChange'> & {
    readonly onChange: (value: T[K] | null) => void;
  };
  /** Props of a text input, whose `onChange` gets an event. */
  text(name: keyof T & string): {
    value: string;
    onChange: (event: { currentTarget: { value: string } }) => void;
    error: string | undefined;
  };
  /** Props of a switch or checkbox, for yes/no or true/false. */
  flag(name: keyof T & string): {
    checked: boolean;
    onChange: (event: { currentTarget: { checked: boolean } }) => void;
    error: string | undefined;
  };
  /** Number of submits that failed with field errors. */
  readonly faults: number;
  readonly dirty: boolean;
  readonly saving: boolean;
  readonly error: unknown;
  /** The confirmation that is open before saving. */
  readonly question: FormConfirmation | null;
  reset(values?: T): void;
  /** Leaving the page no longer asks about unsaved changes. */
  forget(): void;
  submit(): Promise<void>;
  /** Confirms the question and saves. */
  confirm(): Promise<void>;
}

export interface FormOptions<T> {
  /** The record whose text limits apply. */
  readonly record?: RecordName;
  /** The numbers in the form, which are parsed, validated and sent as decimals. */
  readonly figures?: (values: T) => readonly Figure[];
  /** Creates a record: no confirmation of changed amounts, and the values stay after saving. */
  readonly creates?: boolean;
  /** The confirmation before saving. Default: asks about changed amounts and rates. */
  readonly asks?: (values: T, changes: readonly Change[]) => FormConfirmation | null;
}

/** The changed ones of `fields`. */
export const only = <F extends object>(fields: F, changed: object): Partial<F> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name in changed)) as Partial<F>;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The changed fields; a number in another format is unchanged. */
function changedOf<T extends object>(
  start: T,
  values: T,
  figures: (values: T) => readonly Figure[],
): Partial<T> {
  const [before, after] = [figures(start), figures(values)];
  const find = (list: readonly Figure[], name: string): Figure | undefined =>
    list.find(({ field }) => field === name);
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      if (isEqual(value, start[name as keyof T])) return false;
      const [old, now] = [find(before, name), find(after, name)];
      return typeof value !== 'string' || !old || !now || !isSame(old, now);
    }),
  ) as Partial<T>;
}

/** The fields with numbers as decimals, without hidden numbers. */
function readFields<T extends object>(fields: T, figures: readonly Figure[]): T {
  const read = Object.entries(fields).flatMap(([name, value]) => {
    const figure = typeof value === 'string' ? figures.find(({ field }) => field === name) : undefined;
    if (figure === undefined) return [[name, value]];
    return figure.typed === value ? [[name, readFigure(figure) ?? '']] : [];
  });
  return Object.fromEntries(read) as T;
}

/**
 * The state of a form: values, field errors of the server, and saving; `save` returns false if the user canceled. `checks` and the text limits of the record
 * run before sending. Unchanged fields follow the server, and after saving all fields do.
 */
export function useForm<T extends object>(
  initial: T,
  save: (values: T, changed: Partial<T>) => Promise<unknown>,
  checks: (values: T) => Partial<Record<keyof T & string, string>> = () => ({}),
  { record, figures = () => [], creates = false, asks = askOfChanges }: FormOptions<T> = {},
): Form<T> {
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [faults, setFaults] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const [question, setQuestion] = useState<FormConfirmation | null>(null);
  const mark = useRef(Symbol('form'));
  const [given, setGiven] = useState(initial);
  const stored = useRef(initial);
  stored.current = initial;
  /** Takes the server's values of fields that are unchanged since `base`. */
  const follow = (next: T, base: T): void => {
    setGiven(next);
    setStart(next);
    setValues((old) => {
      const names = Object.keys(old) as (keyof T)[];
      const typed = names.filter((name) => !isEqual(old[name], base[name]));
      return { ...next, ...Object.fromEntries(typed.map((name) => [name, old[name]])) };
    });
  };
  if (!saving && !isEqual(initial, given)) follow(initial, start);
  const changed = changedOf(start, values, figures);
  const dirty = Object.keys(changed).length > 0;
  useEffect(() => {
    const own = mark.current;
    if (dirty) unsaved.add(own);
    else unsaved.delete(own);
    return () => {
      unsaved.delete(own);
    };
  }, [dirty]);
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  /** After an attempt that saved nothing; a form that was closed meanwhile holds nothing back. */
  const markAgain = (): void => {
    if (dirty && isShown.current) unsaved.add(mark.current);
  };
  const set = (patch: Partial<T>): void => {
    setQuestion(null);
    setError(null); // it was about other values
    setValues((old) => ({ ...old, ...patch }));
    setErrors((old) => Object.fromEntries(Object.entries(old).filter(([name]) => !(name in patch))));
  };
  const send = async (): Promise<void> => {
    setSaving(true);
    const now = figures(values);
    try {
      unsaved.delete(mark.current); // the response may navigate away
      const saved = await save(readFields(values, now), readFields(changed, now));
      if (saved === false) return markAgain();
      await new Promise((resolve) => setTimeout(resolve)); // wait until the refreshed data is rendered
      if (creates) setStart(values);
      else follow(stored.current, values);
    } catch (problem) {
      markAgain();
      setErrors(fieldsOf(problem));
      setFaults((count) => count + 1);
      setError(problem);
    } finally {
      setSaving(false);
    }
  };
  const submit = async (): Promise<void> => {
    if (saving || question !== null) return;
    const now = figures(values);
    const found = {
      ...tooLong(record, values),
      ...faultsOf(now),
      ...(checks(values) as Readonly<Record<string, string>>),
    };
    setErrors(found);
    setError(null);
    if (Object.keys(found).length > 0) {
      setFaults((count) => count + 1);
      return;
    }
    const asked = asks(values, creates ? [] : changesBetween(figures(start), now));
    if (asked === null) await send();
    else setQuestion(asked);
  };
  const confirm = async (): Promise<void> => {
    setQuestion(null);
    if (!saving) await send();
  };
  return {
    values,
    set,
    faults,
    dirty,
    saving,
    error: error !== null && Object.keys(errors).some((name) => name in values) ? null : error,
    question,
    field: (name) => ({
      value: values[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<T>),
      error: errors[name],
    }),
    choice: (name) => ({
      value: values[name],
      onChange: (value) => value !== null && set({ [name]: value } as unknown as Partial<T>),
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
      setQuestion(null);
      setStart(next);
      setValues(next);
      setErrors({});
      setError(null);
    },
    forget: () => void unsaved.delete(mark.current),
    submit,
    confirm,
  };
}

const askOfChanges = (_values: unknown, changes: readonly Change[]): FormConfirmation | null =>
  changes.length === 0 ? null : { changes };

/** The service names an empty field as callers know it: at the field, people know it by its label. */
const textAt = (text: string): string =>
  /^Enter the [a-z ]+\.$/.test(text) ? t('Fill in this field.') : sentence(text);

/** Errors of the server by field, with the smart codes that they are about. */
export function fieldsOf(problem: unknown): Readonly<Record<string, string>> {
  if (!(problem instanceof ApiError)) return {};
  const codes = (problem.data['unknown_codes'] ?? {}) as Readonly<Record<string, readonly string[]>>;
  return Object.fromEntries(
    Object.entries(problem.errors).flatMap(([name, rules]) =>
      Object.values(rules)
        .slice(0, 1)
        .map((text) => [name.split('.').at(-1)!, [textAt(text), ...(codes[name] ?? [])].join(' ')]),
    ),
  );
}

/** A form with its fields, error and buttons. */
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
  /** Enables the button without a change, e.g. to create. */
  readonly always?: boolean;
  readonly danger?: boolean;
  /** Additional buttons at the end. */
  readonly more?: ReactNode;
}): ReactNode {
  const frame = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.faults > 0) goToFault(frame.current);
  }, [form.faults]);
  return (
    <form
      ref={frame}
      className="fa-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        announce(''); // what was said of the last attempt
        void form.submit();
      }}
    >
      {children}
      {form.error !== null && <Problem error={form.error} />}
      {form.question === null ? (
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
      ) : (
        <ConfirmChanges question={form.question} onYes={() => form.confirm()} onNo={() => form.set({})} />
      )}
    </form>
  );
}

/** Focuses the first invalid field, so that screen readers announce its error. */
export function goToFault(frame: HTMLElement | null): void {
  const marked = frame?.querySelector<HTMLElement>(
    '[aria-invalid=true], input[data-error], [data-error] input',
  );
  if (marked == null) return;
  marked.focus();
  announce(t('Check the marked fields.'));
}

/** A fieldset; on wide screens its heading is beside the fields. */
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

/** The fields of a sign-up form in display order: consent comes last. */
export const consentLast = <Field extends { readonly type: string }>(fields: readonly Field[]): Field[] => [
  ...fields.filter(({ type }) => type !== 'inline_checkbox'),
  ...fields.filter(({ type }) => type === 'inline_checkbox'),
];
