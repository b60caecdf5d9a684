import type { Secrets, Signer } from '../../platform/secrets.js';

// The link format `hash`: a token of fixed length. Only this service can read the id in it, and tokens cannot
// be enumerated. It is the id, encrypted with a key stream that depends on a check value; finding one valid
// token takes 2^32 guesses.
const PURPOSE = 'link-token';
const CHECK = 8;
const BODY = 14; // 56 bits can hold any safe integer

export function tokenOfId(secrets: Secrets, id: number): string {
  const check = checkOf(secrets, id);
  return check + (BigInt(id) ^ streamOf(secrets, check)).toString(16).padStart(BODY, '0');
}

export function idOfToken(secrets: Secrets, token: string): number | null {
  if (token.length !== CHECK + BODY || !/^[0-9a-f]+$/.test(token)) return null;
  for (const signer of [secrets, ...secrets.former]) {
    const id = readId(signer, token);
    if (id !== null) return id;
  }
  return null;
}

function readId(signer: Signer, token: string): number | null {
  const check = token.slice(0, CHECK);
  const id = Number(BigInt(`0x${token.slice(CHECK)}`) ^ streamOf(signer, check));
  return Number.isSafeInteger(id) && id > 0 && checkOf(signer, id) === check ? id : null;
}

const checkOf = (secrets: Signer, id: number): string => secrets.sign(PURPOSE, `check ${id}`).slice(0, CHECK);
const streamOf = (secrets: Signer, check: string): bigint =>
  BigInt(`0x${secrets.sign(PURPOSE, `stream ${check}`).slice(0, BODY)}`);
