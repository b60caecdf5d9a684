import type { CommerceProvider, ProviderEvent } from '../../../adapters/commerce.js';
import type { Deps } from './deps.js';
import type { EventContext, EventResult } from './outcome.js';

const ACCOUNTS_MAX = 200;

/** When each shop of a provider disconnected, by its account; '' where a provider has one shop. */
type DisconnectTimes = Readonly<Record<string, number>>;

const BY_ID_MAX = 2000;
const refundsOptionOf = (provider: string): string => `_${provider}_connector_refunds_by_id`;
const optionOf = (provider: string): string => `_${provider}_connector_disconnected`;

/**
 * Shops that removed our app and send nothing any more: the settings screen shows them until they are back.
 */
export class ShopAccounts {
  constructor(private readonly app: Deps) {}

  async disconnected(provider: string): Promise<DisconnectTimes> {
    return this.app.settings.read<DisconnectTimes>(optionOf(provider), {});
  }

  async leave(
    account: string,
    { event, context }: { event: ProviderEvent; context: EventContext },
  ): Promise<EventResult> {
    const { provider, storeOutcome: done } = context;
    return this.app.transaction(async (trx, afterCommit) => {
      const left = Object.entries({ ...(await this.disconnected(provider.key)), [account]: event.at });
      await this.app.settings.write(
        trx,
        afterCommit,
        optionOf(provider.key),
        Object.fromEntries(left.sort((a, b) => b[1] - a[1]).slice(0, ACCOUNTS_MAX)),
      );
      await this.app.audit.write(trx, 'integration.disconnected', ['settings', null], {
        after: { provider: provider.key, account },
      });
      afterCommit(async () => {
        this.app.log.warn('a shop disconnected itself', { provider: provider.key, account });
        await this.app.hooks.doAction('provider_disconnected', provider.key, account);
      });
      return done(trx, { result: 'updated', reason: 'disconnected' });
    });
  }

  /** Does this account report each of its refunds by id? Then running totals of a charge add nothing. */
  async reportsRefundsById({ key }: CommerceProvider, { account }: ProviderEvent): Promise<boolean> {
    return (await this.app.settings.read<DisconnectTimes>(refundsOptionOf(key), {}))[account] !== undefined;
  }

  async noteRefundsById(provider: CommerceProvider, event: ProviderEvent): Promise<void> {
    if (await this.reportsRefundsById(provider, event)) return;
    await this.app.transaction(async (trx, afterCommit) => {
      const known = await this.app.settings.read<DisconnectTimes>(refundsOptionOf(provider.key), {});
      const all = Object.entries({ ...known, [event.account]: event.at });
      const kept = Object.fromEntries(all.sort((a, b) => b[1] - a[1]).slice(0, BY_ID_MAX));
      await this.app.settings.write(trx, afterCommit, refundsOptionOf(provider.key), kept);
    });
  }

  /** Any later event of the shop means that it is connected again. */
  async reconnected({ key }: CommerceProvider, { account, at }: ProviderEvent): Promise<void> {
    const left = await this.disconnected(key);
    const since = left[account];
    if (since === undefined || at <= since) return;
    const { [account]: _back, ...rest } = left;
    await this.app.transaction((trx, afterCommit) =>
      this.app.settings.write(trx, afterCommit, optionOf(key), rest),
    );
  }
}
