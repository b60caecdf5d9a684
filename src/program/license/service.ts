import { MINUTE } from '../../core/duration.js';
import type { ResealReport } from '../../platform/secrets.js';
import { fail, failFields } from '../../errors.js';
import type { Deps } from './deps.js';
import { presentLicense } from './presenter.js';
import type { LicenseDto } from './schemas.js';
import type { LicenseReport, LicenseRow } from './types.js';

const OPTION = '_license';
const PURPOSE = 'license';
const TIMEOUT_MS = 10_000;
const VERIFY_EVERY_MS = MINUTE;

/** The license of the installation. It is information only; nothing depends on it (docs/interface.md §13). */
export class LicenseService {
  constructor(private readonly app: Deps) {}

  async status(verify: boolean): Promise<LicenseDto> {
    const stored = await this.#stored();
    const provider = this.app.host.license;
    if (!verify || !provider || !stored || this.app.clock.now() - stored.checked_at < VERIFY_EVERY_MS)
      return this.#present(stored);
    try {
      const report = await withinTime(provider.status({ verify: true }));
      return this.#present(await this.#store({ ...stored, report }));
    } catch (error) {
      this.app.log.warn('the license provider did not respond', { error });
      return this.#present(stored, { error_message: 'The license server could not be reached.' });
    }
  }

  async activate(input: unknown): Promise<LicenseDto> {
    const key = checkKey(input);
    const previous = await this.#stored();
    const provider = this.app.host.license;
    const report = provider
      ? await this.#ask(() => provider.activate(key))
      : { status: 'valid', is_lifetime: true, is_expired: false, days_remaining: null };
    const shown = presentLicense({
      license: { sealed_key: '', report, checked_at: 0 },
      key: null,
      timeZone: 'UTC',
    });
    if (shown.status === 'invalid' || shown.status === 'error') {
      fail('license_invalid', shown.message === undefined ? {} : { message: shown.message });
    }
    const stored = await this.#store({
      sealed_key: this.app.secrets.seal(PURPOSE, key),
      report,
      checked_at: 0,
    });
    await this.#append(previous, stored);
    return this.#present(stored);
  }

  async deactivate(): Promise<{ license: LicenseDto; isNotified: boolean }> {
    const previous = await this.#stored();
    if (!previous) return { license: this.#present(null), isNotified: true };
    const provider = this.app.host.license;
    const isNotified = provider
      ? await withinTime(provider.deactivate()).then(
          () => true,
          () => false,
        )
      : true;
    await this.app.transaction((trx, afterCommit) => this.app.settings.write(trx, afterCommit, OPTION, null));
    await this.#append(previous, null);
    return { license: this.#present(null), isNotified };
  }

  // A refusal is a decision of the provider; every other error means that it could not be reached.
  async #ask(work: () => Promise<LicenseReport>): Promise<LicenseReport> {
    try {
      return await withinTime(work());
    } catch (error) {
      return fail('license_server_unreachable', { cause: error });
    }
  }

  /** Seals the key with the service's current secret. */
  async resealSecrets(): Promise<ResealReport> {
    const license = await this.#stored();
    if (license === null) return { renewed: 0, lost: 0 };
    const renewed = this.app.secrets.renewed(PURPOSE, license.sealed_key);
    const isNew = renewed !== null && renewed !== license.sealed_key;
    if (isNew)
      await this.app.transaction((trx, afterCommit) =>
        this.app.settings.write(trx, afterCommit, OPTION, { ...license, sealed_key: renewed }),
      );
    return { renewed: isNew ? 1 : 0, lost: renewed === null ? 1 : 0 };
  }

  async #stored(): Promise<LicenseRow | null> {
    return this.app.settings.read<LicenseRow | null>(OPTION, null);
  }

  async #store(license: LicenseRow): Promise<LicenseRow> {
    const stored = { ...license, checked_at: this.app.clock.now() };
    await this.app.transaction((trx, afterCommit) =>
      this.app.settings.write(trx, afterCommit, OPTION, stored),
    );
    return stored;
  }

  async #append(previous: LicenseRow | null, next: LicenseRow | null): Promise<void> {
    const [from, to] = [this.#present(previous).status, this.#present(next).status] as const;
    if (from !== to) await this.app.hooks.doAction('license_changed', to, from);
  }

  #present(license: LicenseRow | null, note?: LicenseReport): LicenseDto {
    const key = license ? this.app.secrets.open(PURPOSE, license.sealed_key) : null;
    return presentLicense({ license, key, timeZone: this.app.host.site().timeZone }, note);
  }
}

function checkKey(input: unknown): string {
  const key = typeof input === 'string' || typeof input === 'number' ? String(input).trim() : '';
  if (key === '') fail('license_key_required');
  if (!/^[\x20-\x7E]+$/.test(key))
    failFields({ license_key: { string: 'The license key has characters that cannot be printed.' } });
  if (key.length < 4)
    failFields({ license_key: { min: 'The license key must have at least 4 characters.' } });
  if (key.length > 255)
    failFields({ license_key: { max: 'The license key must have at most 255 characters.' } });
  return key;
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('no answer in time'));
    }, TIMEOUT_MS).unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
