import type { CommerceProvider } from '../adapters/commerce.js';
import type { PayoutMethod } from '../adapters/payers.js';
import type { Migrator } from '../adapters/imports.js';
import type {
  ExtensionConsolePage,
  ExtensionField,
  ExtensionMail,
  ExtensionPage,
} from './core/extension-parts.js';

/** An extension: one object with everything it adds (docs/extensions.md). Only `name` is required. */
export interface ExtensionOf<Service, Taps = Readonly<Record<string, unknown>>> {
  /** For logs and errors; no two extensions have the same name. */
  readonly name: string;
  /**
   * Called once, when the service is created. It may call the service; a promise is awaited before requests are
   * served, and one that fails keeps the service from starting.
   */
  setup?(this: void, service: Service): void | Promise<void>;
  /** Called when the service is closed. */
  close?(this: void): void | Promise<void>;
  /** Functions by the names of their hooks, without prefix. For a priority, use `service.hooks` in `setup`. */
  readonly hooks?: Taps;
  /** Added to the option `payouts.methods`. */
  readonly payoutMethods?: readonly PayoutMethod[];
  /** Added to the option `providers`. */
  readonly providers?: readonly CommerceProvider[];
  /** Added to the option `migrators`. */
  readonly migrators?: readonly Migrator[];
  readonly mails?: readonly ExtensionMail[];
  /** Stored in the value of each group, beside its own keys. */
  readonly groupFields?: readonly ExtensionField[];
  /** Stored in `custom_fields` of each affiliate. Affiliates don't see them. */
  readonly affiliateFields?: readonly ExtensionField[];
  readonly consolePages?: readonly ExtensionConsolePage[];
  /** For active affiliates. */
  readonly portalPages?: readonly ExtensionPage[];
}
