import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { confirmFirst } from './confirm.js';
import type { Confirmation } from './confirmation.js';

type Props = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button with a confirmation. */
export const ConfirmButton = ({
  question,
  ...button
}: Props & { readonly question: Confirmation }): ReactNode => (
  <Button {...button} onClick={() => confirmFirst(question)} />
);

/** A small button in a table row. `quiet` is less prominent, for destructive actions. */
export const RowButton = ({
  quiet = false,
  question,
  ...button
}: Props & { readonly quiet?: boolean; readonly question?: Confirmation }): ReactNode => (
  <Button
    size="compact-xs"
    variant={quiet ? 'subtle' : 'default'}
    {...(quiet && { color: 'gray' })}
    {...(question && { onClick: () => confirmFirst(question) })}
    {...button}
  />
);
