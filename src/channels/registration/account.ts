import { cut, emailKey } from '../../core/text.js';
import type { FieldCheck } from '../../errors.js';
import { isEmail } from '../../core/address.js';
import { HONEYPOT } from './built-in.js';
import type { Submitted } from './types.js';

const FULL_NAME_MAX = 100;
const USERNAME_MIN = 4;
const USERNAME_MAX = 60;
const PASSWORD = { min: 6, max: 50 } as const;

export interface Account {
  readonly full_name: string;
  readonly email: string;
  readonly username: string;
  readonly password: string;
}

const textOf = (submitted: Submitted, name: string): string => {
  const value = Object.hasOwn(submitted, name) ? submitted[name] : '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** A name is shown in mails and lists: it is one line, and no address. */
const NO_NAME = /:\/\/|www\.|[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/iu;

export const readFullName = (check: FieldCheck, submitted: Submitted): string => {
  const name = textOf(submitted, 'full_name').trim();
  if (NO_NAME.test(name))
    check.add(
      'full_name',
      'format',
      'Write the name in one line, without web addresses and control characters.',
    );
  else if (name === '') check.add('full_name', 'required', 'The full name is required.');
  else if (cut(name, FULL_NAME_MAX) !== name)
    check.add('full_name', 'max', `The full name must have at most ${FULL_NAME_MAX} characters.`);
  return name;
};

/** Reads the fields for a host user (docs/tracking.md §12). */
export function readAccount(check: FieldCheck, submitted: Submitted, reserved: readonly unknown[]): Account {
  return {
    full_name: readFullName(check, submitted),
    email: readEmail(check, submitted),
    username: readUsername(check, submitted, reserved),
    password: readPassword(check, submitted),
  };
}

function readEmail(check: FieldCheck, submitted: Submitted): string {
  const email = textOf(submitted, 'email').trim();
  if (email === '') check.add('email', 'required', 'The e-mail address is required.');
  else if (!isEmail(email)) check.add('email', 'email', 'The e-mail address is not valid.');
  return email;
}

function readUsername(check: FieldCheck, submitted: Submitted, reserved: readonly unknown[]): string {
  const given = textOf(submitted, 'username');
  const name = given.trim().toLowerCase();
  if (given.trim() === '') check.add('username', 'required', 'The username is required.');
  else if (/\W/.test(name))
    check.add('username', 'format', 'Use letters from a to z, digits and underscores only in the username.');
  else if (name.length < USERNAME_MIN)
    check.add(
      'username',
      'min',
      `The username needs at least ${USERNAME_MIN} letters, digits or underscores.`,
    );
  else if (name.length > USERNAME_MAX)
    check.add('username', 'max', `The username must have at most ${USERNAME_MAX} characters.`);
  // A link value of digits means an affiliate's id, so a user with such a name could take over another one's
  // links.
  else if (
    /^\d+$/.test(name) ||
    reserved.some((taken) => typeof taken === 'string' && emailKey(taken) === name)
  )
    check.add('username', 'reserved', 'This username cannot be used.');
  return name;
}

// Passwords are not changed: every character counts.
function readPassword(check: FieldCheck, submitted: Submitted): string {
  const given = submitted['password'];
  const password = typeof given === 'string' ? given : '';
  const length = Array.from(password).length;
  if (password === '') check.add('password', 'required', 'The password is required.');
  else if (length < PASSWORD.min)
    check.add('password', 'min', `The password must have at least ${PASSWORD.min} characters.`);
  else if (length > PASSWORD.max)
    check.add('password', 'max', `The password must have at most ${PASSWORD.max} characters.`);
  const repeated = submitted['conf_password'] ?? '';
  if (repeated === '') check.add('conf_password', 'required', 'Enter the password again.');
  else if (repeated !== given) check.add('conf_password', 'same', 'The two passwords differ.');
  return password;
}

/** Splits a name into its first word and the rest. */
export function splitName(name: string): { first_name: string; last_name: string } {
  const at = name.indexOf(' ');
  return at < 0
    ? { first_name: name, last_name: '' }
    : { first_name: name.slice(0, at), last_name: name.slice(at + 1).trim() };
}

export const fellForBait = (submitted: Submitted): boolean => textOf(submitted, HONEYPOT).trim() !== '';

/** The part of a request that hooks may see. */
export function withoutPasswords(submitted: Submitted): Submitted {
  const { password: _password, conf_password: _repeated, ...others } = submitted;
  return others;
}
