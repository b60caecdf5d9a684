import type { ReactNode } from 'react';
import { Brand } from '../shared/shell.js';

export const Portal = (): ReactNode => <Brand />;
