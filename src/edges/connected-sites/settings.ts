import { FieldCheck } from '../../errors.js';
import { sites, type SiteSettings } from './record.js';

const SETTINGS = Object.keys(sites.form) as (keyof SiteSettings)[]; // forms name them like their columns

/** Those of the input that are known, checked and in stored form; 422 with every wrong field. */
export function checkSettings(input: Readonly<Record<string, unknown>>): Partial<SiteSettings> {
  const check = new FieldCheck();
  const form = sites.said(check, input);
  const given = SETTINGS.filter((name) => input[name] !== undefined);
  const settings = Object.fromEntries(given.map((name) => [name, form.read(name)]));
  check.throwIfAny();
  return settings;
}
