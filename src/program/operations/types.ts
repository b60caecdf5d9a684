import type { Operation } from './record.js';
import { OPERATION_KINDS } from './words.js';

export { OPERATION_KINDS };
export type { Operation } from './record.js';
export type OperationKind = (typeof OPERATION_KINDS)[number];
export type ProgressReport = Pick<Operation, 'kind' | 'done' | 'total'> &
  Partial<Pick<Operation, 'object_id' | 'details'>>;
