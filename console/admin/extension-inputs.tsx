import { Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { BootField } from '../server/boot.js';
import type { Form } from '../shared/form.js';
import { isMap } from '../../src/core/is-map.js';

/** The initial values of the extensions' fields, by `prefix` and field name. */
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

/** Prefix of an affiliate's fields. */
export const CUSTOM = 'custom_fields.';

/** The request body of an affiliate; fields of extensions go into an object of their own. */
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

/** The inputs of fields that extensions add. */
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
    if (type === 'select') return <Select key={key} {...common} data={[...options]} {...form.choice(key)} />;
    return (
      <TextInput
        key={key}
        {...common}
        {...(type === 'number' && { inputMode: 'decimal' as const })}
        {...form.text(key)}
      />
    );
  });
