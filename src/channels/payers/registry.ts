import { readJson } from '../../core/json.js';
import type { ResealReport } from '../../platform/secrets.js';
import { fail, failFields } from '../../errors.js';
import type { PayoutMethod } from '../../accounting/payouts/types.js';
import type { Deps } from './deps.js';
import type { CredentialField, Credentials, PayerKind } from './types.js';

const PURPOSE = 'payer-credentials';

interface CredentialsRow {
  readonly sealed: string;
}

const option = (key: string): string => `payer_${key}`;

/**
 * The methods that send payments: those of the host, and built-in ones with credentials from the settings. The host's
 * come first.
 */
export class Payers {
  #kinds: readonly PayerKind[] = [];
  readonly #made = new Map<string, { readonly sealed: string; readonly method: PayoutMethod }>();

  constructor(private readonly app: Deps) {}

  /** The built-in ones; given once when the service is built. */
  offer(kinds: readonly PayerKind[]): void {
    this.#kinds = kinds;
  }

  kinds(): readonly PayerKind[] {
    const own = new Set(this.#own().map(({ key }) => key));
    return this.#kinds.filter(({ key }) => !own.has(key));
  }

  /** Null: unknown, or not set up. */
  async find(key: string): Promise<PayoutMethod | null> {
    const own = this.#own().find((method) => method.key === key);
    if (own) return own;
    const kind = this.#kinds.find((each) => each.key === key);
    return kind ? this.#built(kind) : null;
  }

  /** A method that takes payments, either itself or as a file with a report that it reads. */
  async sending(key: string): Promise<PayoutMethod> {
    if (this.app.payouts.method(key) === undefined) fail('payer_not_found');
    const method = await this.find(key);
    return method && sends(method) ? method : fail('payer_not_ready');
  }

  /** Every method that sends now. */
  async list(): Promise<readonly PayoutMethod[]> {
    const built = await Promise.all(this.kinds().map((kind) => this.#built(kind)));
    return [...this.#own(), ...built].filter((method) => method !== null && sends(method)) as PayoutMethod[];
  }

  /** The credentials of a built-in payer; null when none are stored. */
  async credentials(key: string): Promise<Credentials | null> {
    const stored = await this.app.settings.read<CredentialsRow | null>(option(key), null);
    return stored ? readJson<Credentials | null>(this.app.secrets.open(PURPOSE, stored.sealed), null) : null;
  }

  /** A blank secret does not change the stored one. `null` removes them all. */
  async save(key: string, input: Credentials | null): Promise<void> {
    const kind = this.kind(key);
    const before = await this.credentials(key);
    const next = input === null ? null : checked(kind, input, before);
    await this.app.transaction(async (trx, afterCommit) => {
      const stored = next === null ? null : { sealed: this.app.secrets.seal(PURPOSE, JSON.stringify(next)) };
      await this.app.settings.write(trx, afterCommit, option(key), stored);
      await this.app.audit.write(trx, 'settings.payer', ['settings', key], {
        before: before && { fields: Object.keys(before), ...shownOf(kind, before) },
        after: next && { fields: Object.keys(next), ...shownOf(kind, next) },
      });
    });
  }

  /** Seals the credentials with the current secret. */
  async reseal(): Promise<ResealReport> {
    const done = { renewed: 0, lost: 0 };
    for (const { key } of this.kinds()) {
      const stored = await this.app.settings.read<CredentialsRow | null>(option(key), null);
      if (stored === null) continue;
      const sealed = this.app.secrets.renewed(PURPOSE, stored.sealed);
      if (sealed === null) done.lost += 1;
      else if (sealed !== stored.sealed) {
        done.renewed += 1;
        await this.app.transaction((trx, afterCommit) =>
          this.app.settings.write(trx, afterCommit, option(key), { sealed }),
        );
      }
    }
    return done;
  }

  kind(key: string): PayerKind {
    return this.kinds().find((kind) => kind.key === key) ?? fail('payer_not_found');
  }

  async #built(kind: PayerKind): Promise<PayoutMethod | null> {
    const stored = await this.app.settings.read<CredentialsRow | null>(option(kind.key), null);
    if (stored === null) return null;
    const { sealed } = stored;
    const known = this.#made.get(kind.key);
    if (known?.sealed === sealed) return known.method;
    const credentials = readJson<Credentials | null>(this.app.secrets.open(PURPOSE, stored.sealed), null);
    if (!credentials) return null; // encrypted with a secret that is no longer known
    const method = kind.make(credentials);
    this.#made.set(kind.key, { sealed: stored.sealed, method });
    return method;
  }

  #own(): readonly PayoutMethod[] {
    return this.app.options.payouts.methods;
  }
}

export const sends = (method: PayoutMethod): boolean =>
  method.send !== undefined || method.fileOf !== undefined;

/** What may be shown of credentials: nothing that is secret. */
export function shownOf(kind: PayerKind, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, field]) => !field.secret)
      .map(([name]) => [name, credentials[name] ?? '']),
  );
}

const TEXT_MAX = 4000;

function checked(kind: PayerKind, input: Credentials, before: Credentials | null): Credentials {
  const errors: Record<string, Record<string, string>> = {};
  const next: Record<string, string> = {};
  for (const [name, field] of Object.entries(kind.fields)) {
    const sent = (input[name] ?? '').trim();
    next[name] = sent === '' && field.secret ? (before?.[name] ?? '') : sent;
    const wrong = faultOf(field, next[name]);
    if (wrong !== null) errors[name] = wrong;
  }
  if (Object.keys(errors).length > 0) failFields(errors);
  try {
    kind.make(next);
  } catch (error) {
    failFields({ credentials: { invalid: (error as Error).message } });
  }
  return next;
}

function faultOf(
  { label, required, choices }: CredentialField,
  value: string,
): Record<string, string> | null {
  if (value === '' && required === true) return { required: `${label} is required.` };
  if (value.length > TEXT_MAX) return { max: `${label} is too long.` };
  return choices && !choices.includes(value)
    ? { in: `${label} must be one of: ${choices.join(', ')}.` }
    : null;
}
