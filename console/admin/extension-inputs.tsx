import { Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { BootField } from '../server/boot.js';
import type { Form } from '../shared/form.js';
import { isMap } from '../../src/core/is-map.js';

/** The texts a form begins with, by `prefix` and name of the field. */
export function extensionTexts(
  fields: readonly BootField[],
  stored: unknown,
  prefix = '',
): Record<string, string> {
  const values = isMap(stored) ? stored : {};
  return Object.fromEntries(
    fields.map(({ name, default: blank }) => {
      const value = Object.hasOwn(values, name) ? values[name] : blank;
      return [prefix + name, value === null ? '' : String(value)];
    }),
  );
}

/** Before the names of an affiliate's fields. */
export const CUSTOM = 'custom_fields.';

/** The form of an affiliate as it is sent: the fields of extensions are in a map of their own. */
export function withCustomFields<T extends Readonly<Record<string, unknown>>>(
  form: T,
): Omit<T, `${typeof CUSTOM}${string}`> & { readonly custom_fields?: Readonly<Record<string, unknown>> } {
  const isOwn = (name: string): boolean => name.startsWith(CUSTOM);
  const entries = Object.entries(form);
  const own = entries
    .filter(([name]) => isOwn(name))
    .map(([name, value]) => [name.slice(CUSTOM.length), value]);
  return {
    ...(Object.fromEntries(entries.filter(([name]) => !isOwn(name))) as T),
    ...(own.length > 0 && { custom_fields: Object.fromEntries(own) as Record<string, unknown> }),
  };
}

/** The fields that extensions add to a form. */
export const ExtensionInputs = ({
  fields,
  form,
  prefix = '',
}: {
  readonly fields: readonly BootField[];
  readonly form: Form<Record<string, string>>;
  readonly prefix?: string;
}): ReactNode =>
  fields.map(({ name, label, help, type, options }) => {
    const key = prefix + name;
    const common = { label, ...(help !== '' && { description: help }) };
    if (type === 'switch') return <Switch key={key} {...common} {...form.flag(key)} />;
    if (type === 'select')
      return (
        <Select
          key={key}
          {...common}
          data={[...options]}
          {...form.field(key)}
          onChange={(next) => next !== null && form.set({ [key]: next })}
        />
      );
    return (
      <TextInput
        key={key}
        {...common}
        {...(type === 'number' && { inputMode: 'decimal' as const })}
        {...form.text(key)}
      />
    );
  });
