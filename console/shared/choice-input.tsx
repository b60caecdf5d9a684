import { Select, type SelectProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** A select that cannot be cleared. */
export const ChoiceInput = <Value extends string>({
  onChange,
  ...select
}: Omit<SelectProps<Value>, 'onChange' | 'allowDeselect'> & {
  readonly onChange: (value: Value) => void;
}): ReactNode => (
  <Select<Value> {...select} allowDeselect={false} onChange={(value) => value !== null && onChange(value)} />
);
