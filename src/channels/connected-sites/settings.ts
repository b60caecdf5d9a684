import { FieldCheck } from '../../errors.js';
import { sites, type ConnectedSite, type SiteSettings } from './record.js';

const SETTINGS = Object.keys(sites.form) as (keyof SiteSettings)[]; // forms name them like their columns

/** Those of the input that are known, checked and in stored form; 422 with every wrong field. */
export function checkSettings(input: Readonly<Record<string, unknown>>): Partial<SiteSettings> {
  const check = new FieldCheck();
  const form = sites.readForm(check, input);
  const given = SETTINGS.filter((name) => input[name] !== undefined);
  const settings = Object.fromEntries(given.map((name) => [name, form.read(name)]));
  check.throwIfAny();
  return settings;
}

const FORMER_MAX = 20;

/** The link variables of a site: the one in use first. */
export const variablesOf = ({
  param_key: own,
  former_params: former,
}: Pick<ConnectedSite, 'param_key' | 'former_params'>): readonly string[] => [
  ...new Set([own, ...former.split(' ').filter((name) => name !== '')]),
];

/** What is stored of the earlier variables when the settings change. */
export function formerParams(
  before: ConnectedSite,
  { param_key: next = before.param_key }: Partial<SiteSettings>,
): string {
  return variablesOf(before)
    .filter((name) => name !== next)
    .slice(0, FORMER_MAX)
    .join(' ');
}
