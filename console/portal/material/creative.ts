import type { RowOf } from '../../shared/data.js';

export type Creative = RowOf<'portal.material'>;
