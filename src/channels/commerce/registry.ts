import type { CommerceProvider } from '../../../adapters/commerce.js';

const KEY = /^[a-z][a-z0-9_]{1,31}$/;

/** The commerce providers of this service, in the order they were registered. */
export class ProviderRegistry {
  readonly #providers = new Map<string, CommerceProvider>();

  /** Keys must be unique, because referrals store the key of their provider. */
  register(provider: CommerceProvider): void {
    if (!KEY.test(provider.key))
      throw new TypeError(`A provider's key has to match ${KEY.source}; this one is "${provider.key}".`);
    if (this.#providers.has(provider.key))
      throw new TypeError(`The provider "${provider.key}" is registered already.`);
    this.#providers.set(provider.key, provider);
  }

  get(key: string): CommerceProvider | null {
    return this.#providers.get(key) ?? null;
  }

  keys(): string[] {
    return [...this.#providers.keys()];
  }

  list(): readonly CommerceProvider[] {
    return [...this.#providers.values()];
  }
}
