import { fields, type Fields } from './reading.js';

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

export interface ShopRequest { readonly address: string; readonly headers: Readonly<Record<string, string>> }

/** Asks a shop for what a delivery lacks, through the host's `fetch`: https, no redirect, 5 seconds, 1 MiB. Null for what the shop does not have. */
export async function askShop(send: typeof fetch, { address, headers }: ShopRequest): Promise<unknown> {
  const url = new URL(address);
  if (url.protocol !== 'https:') throw new TypeError('A shop is asked over https only.');
  const answer = await send(url, { headers: { Accept: 'application/json', ...headers }, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`The shop answered ${answer.status}.`);
  return JSON.parse(await textOf(answer)) as unknown;
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) throw new Error('The shop\'s answer is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Rows of a list answer, plain or under `data`. */
export const rowsOf = (answer: unknown): readonly Fields[] => {
  const rows = Array.isArray(answer) ? answer as unknown[] : fields(answer)['data'];
  return Array.isArray(rows) ? rows.map(fields) : [];
};
