// What a bench consists of. A part measures on an empty database and answers
//   { rows: [{ what, got, against, figure, unit, least or most }], notes: [sentence], problems: [sentence] }
// `figure` is what the target is about: a ratio (no unit) or an amount of `unit`;
// without `least` and `most` there is no target.
import { beside } from './beside.mjs';
import { data, payout } from './data.mjs';
import { endpoint } from './endpoint.mjs';
import { growth } from './growth.mjs';
import { mixed } from './mixed.mjs';
import { readers } from './readers.mjs';
import { requests } from './requests.mjs';
import { rules } from './rules.mjs';
import { start } from './start.mjs';

export const PARTS = {
  requests: { engines: ['sqlite', 'postgres', 'mysql'], run: requests },
  endpoint: { engines: ['sqlite', 'postgres', 'mysql'], run: endpoint },
  rules: { engines: ['sqlite', 'postgres', 'mysql'], run: rules },
  data: { engines: ['sqlite', 'postgres', 'mysql'], run: data },
  readers: { engines: ['sqlite', 'postgres', 'mysql'], run: readers },
  payout: { engines: ['sqlite', 'postgres', 'mysql'], run: payout },
  mixed: { engines: ['sqlite', 'postgres', 'mysql'], run: mixed },
  beside: { engines: ['sqlite', 'postgres', 'mysql'], run: beside },
  growth: { engines: ['sqlite', 'postgres'], run: growth },
  start: { engines: ['sqlite'], run: start },
};
