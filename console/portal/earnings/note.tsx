import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useWrite } from '../../shared/data.js';
import { t } from '../../shared/texts.js';

/** The affiliate's private note about a commission, edited in place. */
export function Note({
  of: { id, note },
}: {
  of: { readonly id: number; readonly note: string };
}): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const save = useWrite('portal.save_note', { done: t('Note saved') });
  if (typed === null)
    return (
      <button type="button" className="fa-plain" onClick={() => setTyped(note)}>
        {note === '' ? t('Add a note') : <span dir="auto">{t('Note: {text}', { text: note })}</span>}
      </button>
    );
  return (
    <form
      className="fa-note-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run({ params: { id }, body: { note: typed.trim() } }).then(
          () => setTyped(null),
          () => undefined,
        );
      }}
      onKeyDown={(event) => event.key === 'Escape' && setTyped(null)}
    >
      <TextInput
        size="xs"
        aria-label={t('Note that only you can see')}
        placeholder={t('Note that only you can see')}
        value={typed}
        maxLength={200}
        autoFocus
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" loading={save.running}>
        {t('Save')}
      </Button>
    </form>
  );
}
