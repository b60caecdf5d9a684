import type { Work, WORK_KINDS } from './record.js';

export type { Work } from './record.js';
export type WorkKind = (typeof WORK_KINDS)[number];
export type ProgressReport = Pick<Work, 'kind' | 'done' | 'total'> &
  Partial<Pick<Work, 'object_id' | 'details'>>;
