import { readText, type Fetch } from '../../core/guarded-fetch.js';
import { ACTION } from './providers.js';
import type { Keys } from './types.js';

const TIMEOUT_MS = 5000;
const ANSWER_BYTES = 16_384;
/**
 * Codes of all three providers that mean that the keys are wrong or the provider fails; the visitor can do
 * nothing about it.
 */
const NOT_THE_VISITOR = /^(?:(?:missing|invalid)-input-secret|sitekey-secret-mismatch|internal-error)$/;

/** The provider could not decide whether the answer is right. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict';
}

/**
 * Asks the provider about a visitor's answer: was it given by a person?
 * Throws `NoVerdict`, or what the request failed with.
 */
export async function verifyAnswer(
  fetch: Fetch,
  { url, keys, answer }: { readonly url: string; readonly keys: Keys; readonly answer: string },
): Promise<boolean> {
  const response = await fetch(new URL(url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams({ secret: keys.secret, response: answer, sitekey: keys.site }).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await readText(response, ANSWER_BYTES);
  if (response.status !== 200) throw new NoVerdict(`The provider answered ${response.status}.`);
  const verdict = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
  if (typeof verdict?.['success'] !== 'boolean') throw new NoVerdict('The provider answered something else.');
  const codes = [verdict['error-codes'] ?? []].flat().map(String);
  const failure = codes.find((code) => NOT_THE_VISITOR.test(code));
  if (failure !== undefined) throw new NoVerdict(`The provider answered ${failure}.`);
  if (!verdict['success']) return false;
  return (
    keys.threshold === null || (verdict['action'] === ACTION && Number(verdict['score']) >= keys.threshold)
  );
}
