import { customers } from '../../src/accounting/customers/record.js';
import { payouts, transactions } from '../../src/accounting/payouts/record.js';
import { referrals } from '../../src/accounting/referrals/record.js';
import { visits } from '../../src/accounting/visits/record.js';
import { affiliates } from '../../src/program/affiliates/record.js';
import type { ColumnFacts } from '../../src/records/record.js';
import { creatives } from '../../src/attribution/creatives/record.js';
import { links } from '../../src/attribution/links/record.js';

const RECORDS = { affiliates, referrals, customers, visits, payouts, transactions, creatives, links };

/** The text of console/shared/records.ts: what tables and forms know of the columns of each record. */
export function recordsText(): string {
  const records = Object.entries(RECORDS).map(
    ([name, { facts }]) =>
      `  ${name}: {\n${Object.entries(facts).filter(isWorthSaying).map(column).join('')}  },\n`,
  );
  return `// Written by \`npm run build:client\` from the records; do not edit.

export const RECORDS = {
${records.join('')}} as const;
`;
}

/** Of a text that no list sorts by and no form limits there is nothing to say. */
const isWorthSaying = ([, { kind, sort, listed, portal, max }]: readonly [string, ColumnFacts]): boolean =>
  (kind !== 'text' && kind !== 'word') || sort || listed || portal || max !== undefined;

function column([name, { kind, sort, listed, filter, portal, max }]: readonly [string, ColumnFacts]): string {
  const facts = [
    `kind: '${kind}'`,
    ...(sort ? ['sort: true'] : []),
    ...(listed ? ['listed: true'] : []),
    ...(filter ? ['filter: true'] : []),
    ...(portal ? ['portal: true'] : []),
    ...(max === undefined ? [] : [`max: ${max}`]),
  ];
  return `    ${name}: { ${facts.join(', ')} },\n`;
}
