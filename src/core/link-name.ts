import { createHash } from 'node:crypto';
import { foldAlias } from './alias.js';

/** The space of the registry in which logins and own names of links are unique. */
export const LINKS = 'links';
export const NAME_LENGTH = 191;

/** The form in which a retired name is stored: it can be recognized, but not read. */
export const retiredName = (name: string): string =>
  `#${createHash('sha256').update(`affiliate-name ${name}`).digest('hex')}`;

/** The forms under which a link's value can be in the registry: as it is, and retired. */
export const registeredForms = (value: string): readonly [name: string, retired: string] => {
  const name = foldAlias(value);
  return [name, retiredName(name)];
};
