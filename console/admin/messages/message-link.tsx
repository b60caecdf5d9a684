import { Anchor } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { RowOf } from '../../shared/data.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { readable } from './codes.js';

const MessageDialog = lazyPart(() => import('./message.js'), 'MessageDialog');

/** The subject of a sent message, which opens its text. */
export function MessageLink({ message }: { message: RowOf<'messages.list'> }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Anchor component="button" type="button" inherit ta="start" onClick={() => setOpen(true)}>
        {readable(message.subject)}
      </Anchor>
      {isOpen && <MessageDialog message={message} onClose={() => setOpen(false)} />}
    </>
  );
}
