import { isMap } from '../../core/is-map.js';
import type { HostUser } from '../../../adapters/host.js';
import type { Deps } from './deps.js';
import { builtIn, BUILT_IN, termsLabel } from './built-in.js';
import { readFieldList } from './field-rules.js';
import { CUSTOM_TYPES, type Flag, type RegistrationField, type RegistrationSettings } from './types.js';

/** Names of the stored settings. */
export const FIELDS = '_registration_fields';
export const SETTINGS = '_registration_settings';
const DEFAULTS: RegistrationSettings = { enabled: 'yes', require_approval: 'yes' };
const CUSTOM = new Set<unknown>(CUSTOM_TYPES);

/** The fields of the sign-up form: saved ones, and built-in ones (docs/settings.md §8). */
export class RegistrationFields {
  constructor(private readonly app: Deps) {}

  async settings(): Promise<RegistrationSettings> {
    return { ...DEFAULTS, ...(await this.app.settings.read<Partial<RegistrationSettings>>(SETTINGS, {})) };
  }

  /**
   * All fields in saved order, also the payout field of the other method; without filters, so it can be
   * called anywhere.
   */
  async all(): Promise<readonly RegistrationField[]> {
    const saved = await this.app.settings.read<readonly RegistrationField[]>(FIELDS, []);
    const known = saved.map((field) => ({ ...builtIn(field.name), ...field }));
    return [...known, ...BUILT_IN.filter(({ name }) => !saved.some((field) => field.name === name))];
  }

  /** The list for the administrator. */
  async listed(): Promise<readonly RegistrationField[]> {
    return this.#filtered(await this.all(), null);
  }

  /** The fields that this visitor is asked for. */
  async asked(user: HostUser | null): Promise<readonly RegistrationField[]> {
    const fields = (await this.all()).map((field) => forUser(field, user));
    return (await this.#filtered(fields, user)).filter(
      (field) => field.enabled === 'yes' && (user === null || field.public_only === 'no'),
    );
  }

  /** Checks and stores the list and the sent settings. */
  async save(given: readonly unknown[], changes: Partial<RegistrationSettings>): Promise<void> {
    const previous = { fields: await this.all(), settings: await this.settings() };
    const next = {
      fields: readFieldList(given, previous.fields, termsLabel(await this.#termsUrl())),
      settings: { ...previous.settings, ...changes },
    };
    await this.app.transaction(async (trx, afterCommit) => {
      await this.app.settings.write(trx, afterCommit, FIELDS, next.fields);
      await this.app.settings.write(trx, afterCommit, SETTINGS, next.settings);
      await this.app.audit.write(trx, 'settings.registration_fields', ['settings', null], {
        before: previous,
        after: next,
      });
      afterCommit(() =>
        this.app.hooks.doAction(
          'settings_updated',
          'registration_fields',
          next,
          previous,
          this.app.context.current().user,
        ),
      );
    });
  }

  async #filtered(
    fields: readonly RegistrationField[],
    user: HostUser | null,
  ): Promise<readonly RegistrationField[]> {
    const { payout_method: method } = await this.app.settings.referralConfig();
    const other = method === 'bank_transfer' ? 'payment_email' : 'bank_details';
    const label = termsLabel(await this.#termsUrl());
    const shown = fields
      .filter(({ name }) => name !== other)
      .map((field) =>
        field.name === 'terms_condition' && !field.inline_label ? { ...field, inline_label: label } : field,
      );
    return usable(await this.app.hooks.applyFilters('auth/signup_fields', shown, user));
  }

  #termsUrl(): Promise<string> {
    return this.app.hooks.applyFilters('terms_policy_url', '');
  }
}

function forUser(field: RegistrationField, user: HostUser | null): RegistrationField {
  if (user === null) return field;
  if (field.name === 'full_name') return { ...field, value: user.full_name };
  return field.name === 'email' ? { ...field, value: user.email, required: 'no', readonly: 'yes' } : field;
}

/** The usable fields in a filter's value, each name once; missing keys are filled in. */
function usable(answer: readonly unknown[]): RegistrationField[] {
  const fields = new Map<string, RegistrationField>();
  for (const item of answer) {
    if (
      !isMap(item) ||
      typeof item['name'] !== 'string' ||
      !/^[a-z]\w{0,63}$/i.test(item['name']) ||
      fields.has(item['name'])
    )
      continue;
    const known = builtIn(item['name']);
    if (known || CUSTOM.has(item['type'])) fields.set(item['name'], complete(item, known));
  }
  return [...fields.values()];
}

function complete(
  item: Readonly<Record<string, unknown>>,
  known: RegistrationField | undefined,
): RegistrationField {
  const text = (key: string): string => (typeof item[key] === 'string' ? item[key] : '');
  const flag = (key: string): Flag => (item[key] === 'yes' || item[key] === true ? 'yes' : 'no');
  const { type, system_defined, disable_alter, public_only } = known ?? {
    type: item['type'] as RegistrationField['type'], // one of CUSTOM
    system_defined: 'no',
    disable_alter: 'no',
    public_only: flag('public_only'),
  };
  return {
    name: text('name'),
    type,
    label: text('label'),
    placeholder: text('placeholder'),
    help_text: text('help_text'),
    required: flag('required'),
    enabled: item['enabled'] === undefined ? 'yes' : flag('enabled'),
    readonly: flag('readonly'),
    value: text('value'),
    system_defined,
    disable_alter,
    public_only,
    is_hidden: flag('is_hidden'),
    custom: known ? 'no' : 'yes',
    ...(known ? {} : { options: Array.isArray(item['options']) ? item['options'].map(String) : [] }),
    ...(known?.html === undefined ? {} : { html: text('html') }),
    ...(known?.inline_label === undefined ? {} : { inline_label: text('inline_label') }),
  };
}
