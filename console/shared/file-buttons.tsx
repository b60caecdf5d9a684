import { Button } from '@mantine/core';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { InputOf, OperationId } from './data.js';
import { useDownload } from './download.js';
import { t } from './texts.js';

/** Downloads a file; `name` identifies the download after the user left the screen. */
export function DownloadButton<Id extends OperationId>({
  name,
  of,
  input,
  children,
}: {
  readonly name: string;
  readonly of: Id;
  readonly input: InputOf<Id>;
  readonly children: ReactNode;
}): ReactNode {
  const { start, running } = useDownload(name);
  return (
    <FileButton loading={running} onClick={() => void start(of, input)}>
      {children}
    </FileButton>
  );
}

/** A button that makes a file. */
export const FileButton = ({
  children,
  ...button
}: {
  readonly loading?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}): ReactNode => (
  <Button {...button} variant="default" leftSection={<IconDownload size={16} />}>
    {children}
  </Button>
);

export const PrintButton = (): ReactNode => (
  <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
    {t('Print')}
  </Button>
);
