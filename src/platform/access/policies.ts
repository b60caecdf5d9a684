/** The four sections of docs/interface.md §2.2. */
export type Section = 'affiliates' | 'referrals' | 'visits' | 'payouts';

export type Policy =
  | {
      readonly kind: 'admin';
      readonly delegable?: 'settings' | 'options';
      /** No API key opens it. */
      readonly peopleOnly?: true;
    }
  | {
      readonly kind: 'section';
      readonly section: Section;
      readonly also?: Section;
      /** An API key needs this right too. */
      readonly right?: 'send_payouts';
      /** Inviting people and writing to them: needs the right to it besides, and no API key opens it. */
      readonly sends?: true;
    }
  /**
   * `figures`: the handler asks for the right to each figure; otherwise the route is the user's own portal.
   */
  | { readonly kind: 'signed_in'; readonly checks?: 'figures' }
  | { readonly kind: 'site' }
  | { readonly kind: 'public' };

export const policies = {
  /** Only with `manage_options`. For managers and the wipe. */
  admin: { kind: 'admin' },
  /** `manage_options`; with `access.manageAllDataOpensSettings` also the key manage_all_data. */
  settings: { kind: 'admin', delegable: 'settings' },
  /**
   * Like `settings`, but never with an API key: for secrets, and for what gives access or sends personal data
   * out, since it would outlive the key.
   */
  settingsOfPeople: { kind: 'admin', delegable: 'settings', peopleOnly: true },
  /** Like `settings`; with `access.managersMayReadOptions` reading is open to every manage_* key. */
  options: { kind: 'admin', delegable: 'options' },
  /** Any signed-in user; the handler or service shows own rows only. */
  signedIn: { kind: 'signed_in' },
  /** Any signed-in user; the handler asks for the right to each figure it shows. */
  figures: { kind: 'signed_in', checks: 'figures' },
  /** Mails to people in the name of the program. */
  messages: { kind: 'section', section: 'affiliates', sends: true },
  /** Credentials of a connected site; no user. */
  site: { kind: 'site' },
  /** No user needed (tracking, webhooks). */
  public: { kind: 'public' },
  /**
   * A section's right; read for GET, write for every other verb.
   * On a sub-row `also` names the section listed.
   */
  section: (section: Section, options: { also?: Section; right?: 'send_payouts' } = {}): Policy => ({
    kind: 'section',
    section,
    ...options,
  }),
} as const satisfies Record<string, Policy | ((...args: never[]) => Policy)>;
