import { randomBytes, scryptSync } from 'node:crypto';
import type { Clock } from '../src/core/clock.js';
import { toIso } from '../src/core/dates.js';
import { sameBytes } from '../src/core/constant-time.js';
import type { HostUser, HostUserChanges } from './host.js';

/** A user of the memory host; only the login is needed. */
export interface MemoryUser {
  readonly id?: number;
  readonly login: string;
  readonly email?: string;
  readonly display_name?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly url?: string;
  readonly avatar?: string;
  readonly registered_at?: string;
  readonly language?: string;
  readonly roles?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly password?: string;
}

interface PasswordHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}
interface Entry {
  readonly user: HostUser;
  readonly capabilities: Set<string>;
  readonly password: PasswordHash | null;
}

/** The users of the memory host: ids, capabilities, passwords. */
export class MemoryUsers {
  readonly #entries = new Map<number, Entry>();
  #dummyHash: PasswordHash | undefined;

  constructor(
    private readonly clock: Clock,
    seed: readonly MemoryUser[],
  ) {
    for (const user of seed) this.add(user);
  }

  add(input: MemoryUser): HostUser {
    const email = input.email ?? `${input.login}@example.test`;
    if (this.findBy('login', input.login) || this.findBy('email', email))
      throw new Error('The memory host has a user with this login or e-mail address.');
    const id = input.id ?? Math.max(0, ...this.#entries.keys()) + 1;
    if (this.#entries.has(id)) throw new Error('The memory host has a user with this id.');
    const user = complete(id, { ...input, email }, this.clock.now());
    this.#entries.set(id, {
      user,
      capabilities: new Set(input.capabilities),
      password: input.password === undefined ? null : hashPassword(input.password),
    });
    return user;
  }

  update(id: number, changes: HostUserChanges): HostUser {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error('The memory host has no such user.');
    const { display_name: display, full_name: full, ...kept } = entry.user;
    const shown = display === full ? {} : { display_name: display };
    const user = complete(id, { ...kept, ...shown, ...changes }, this.clock.now());
    this.#entries.set(id, { ...entry, user });
    return user;
  }

  remove(id: number): void {
    this.#entries.delete(id);
  }

  find(id: number): HostUser | null {
    return this.#entries.get(id)?.user ?? null;
  }

  findBy(field: 'login' | 'email', text: string): HostUser | null {
    return this.#all().find((user) => user[field].toLowerCase() === text.trim().toLowerCase()) ?? null;
  }

  search(text: string, limit: number): HostUser[] {
    const wanted = text.trim().toLowerCase();
    return this.#all()
      .filter((user) =>
        [user.login, user.email, user.display_name, user.full_name].some((field) =>
          field.toLowerCase().includes(wanted),
        ),
      )
      .slice(0, Math.max(0, limit));
  }

  /** The capabilities of a user, which may be changed; empty for an unknown one. */
  capabilities(id: number): Set<string> {
    return this.#entries.get(id)?.capabilities ?? new Set();
  }

  checkPassword(login: string, password: string): HostUser | null {
    const user = this.findBy('login', login) ?? this.findBy('email', login);
    const stored = user === null ? null : (this.#entries.get(user.id)?.password ?? null);
    // an unknown login costs the same work
    const { salt, hash } = stored ?? (this.#dummyHash ??= hashPassword(randomBytes(16).toString('hex')));
    return sameBytes(hash, scryptSync(password, salt, 32)) && stored !== null ? user : null;
  }

  #all(): HostUser[] {
    return [...this.#entries.values()].map(({ user }) => user).sort((a, b) => a.id - b.id);
  }
}

function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, 32) };
}

function complete(id: number, input: MemoryUser & { readonly email: string }, now: number): HostUser {
  const first = input.first_name ?? '';
  const last = input.last_name ?? '';
  const fullName = `${first} ${last}`.trim();
  const display = input.display_name ?? (fullName || input.login);
  return {
    id,
    login: input.login,
    email: input.email,
    display_name: display,
    first_name: first,
    last_name: last,
    full_name: fullName || display,
    url: input.url ?? '',
    avatar: input.avatar ?? '',
    registered_at: input.registered_at ?? toIso(now),
    ...(input.language !== undefined && { language: input.language }),
    roles: input.roles ?? ['subscriber'],
  };
}
