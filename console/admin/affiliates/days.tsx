import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { tn } from '../../shared/texts.js';

export function Days({ value, onChange }: { value: number; onChange: (days: number) => void }): ReactNode {
  return (
    <Button.Group>
      {[7, 30, 90].map((days) => (
        <Button
          key={days}
          size="compact-sm"
          variant={value === days ? 'light' : 'default'}
          aria-pressed={value === days}
          onClick={() => onChange(days)}
        >
          {tn('{count} day', '{count} days', days)}
        </Button>
      ))}
    </Button.Group>
  );
}
