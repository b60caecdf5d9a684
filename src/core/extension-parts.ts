import type { Localized } from './localized.js';

/** A field that an extension adds to groups or affiliates. */
export interface ExtensionField {
  /** Small letters, digits and _, such as `tier`. */
  readonly name: string;
  readonly label: Localized;
  /** Shown below the input. */
  readonly help?: Localized;
  /** A `text` has at most 1,000 characters, a `switch` is `yes` or `no`; a `number` may be null. Default: `text`. */
  readonly type?: 'text' | 'number' | 'select' | 'switch';
  /** The values of a `select`. */
  readonly options?: readonly { readonly value: string; readonly label: Localized }[];
  /** The value of records that have none. Default: `""`, `no`, null, or the first option of a `select`. */
  readonly default?: string | number;
}

/** A mail that an extension sends with `service.emails.send`. Its texts can be changed in the settings. */
export interface ExtensionMail {
  /** Small letters, digits and _, such as `points_to_affiliate`; not one of the built-in mails. */
  readonly key: string;
  readonly title: Localized;
  readonly description: Localized;
  readonly recipient: 'affiliate' | 'admin';
  readonly subject: Localized;
  /** HTML. `{{affiliate.…}}`, `{{user.…}}`, `{{site.…}}` and `{{mail.…}}` are replaced. */
  readonly body: Localized;
  /** The codes `{{mail.<name>}}`, which `send` gets values for; previews show the example. */
  readonly codes?: Readonly<Record<string, { readonly label: Localized; readonly example: string }>>;
}

/** A page that an extension adds to the console or the portal, with an item in the menu. */
export interface ExtensionPage {
  readonly title: Localized;
  /** Such as `points`: the page is at `<console>/extensions/points`. */
  readonly path: string;
  /**
   * A JavaScript module that draws the page: a `file:` URL (`new URL('./page.js', import.meta.url)`; one file without
   * imports, which console and portal serve), or an address. Its export `draw` is called with the element to draw
   * into, and may return a function that is called when the page is left.
   */
  readonly module?: string | URL;
  /** Instead of a module: the address of a page of the host, shown in a frame. */
  readonly url?: string;
}

export interface ExtensionConsolePage extends ExtensionPage {
  /**
   * Who sees the page: those who may read this section, use the settings, or administrators only (default). It hides
   * the page; your own endpoints have to check rights themselves.
   */
  readonly right?: 'administrator' | 'settings' | 'affiliates' | 'referrals' | 'visits' | 'payouts';
}

/** A card of an affiliate's page in the console. */
export interface ExtensionWidget {
  readonly title: string;
  /** HTML; scripts and styles are removed. */
  readonly content: string;
  /** Address of a link "Open". */
  readonly action?: string;
}
