import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HostUser, NewHostUser } from 'affiliate-service/adapters';
import { cookieOf } from '../cookies.js';
import type { Sqlite } from './open.js';
import { checkPassword, hashPassword } from './passwords.js';

export interface NewUser extends NewHostUser {
  readonly role?: string;
}

interface UserRow {
  readonly id: number;
  readonly login: string;
  readonly email: string;
  readonly password: string;
  readonly display_name: string;
  readonly url: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: string;
  readonly registered_at: string;
}

export const SESSION_COOKIE = 'cms_session';
const SESSION_MS = 14 * 24 * 60 * 60 * 1000;
// Checked when the login is unknown, so that the answer takes as long as for a wrong password.
const NOBODY = `${'0'.repeat(32)}:${'0'.repeat(64)}`;
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = { administrator: ['manage_options'] };

const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
const likePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;

/** Accounts and sign-ins of the CMS. */
export class Users {
  constructor(
    private readonly db: Sqlite,
    private readonly siteUrl: string,
  ) {}

  find(ids: readonly number[]): HostUser[] {
    const rows = this.db
      .prepare<[string], UserRow>('SELECT * FROM users WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(ids));
    return rows.map((row) => this.#present(row));
  }

  findBy(column: 'login' | 'email', value: string): HostUser | null {
    const row = this.#row(column, value);
    return row === undefined ? null : this.#present(row);
  }

  search(text: string, limit: number): HostUser[] {
    const rows = this.db
      .prepare<[string, number], UserRow>(
        `SELECT * FROM users
      WHERE login || char(10) || email || char(10) || display_name || char(10) || first_name || ' ' || last_name LIKE ? ESCAPE '\\'
      ORDER BY login LIMIT ?`,
      )
      .all(likePattern(text), Math.max(0, limit));
    return rows.map((row) => this.#present(row));
  }

  async create({
    login,
    email,
    password,
    first_name: first,
    last_name: last,
    role = 'subscriber',
  }: NewUser): Promise<HostUser> {
    const { lastInsertRowid } = this.db
      .prepare(
        `INSERT INTO users (login, email, password, display_name, first_name, last_name, role, registered_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        login,
        email,
        await hashPassword(password),
        first || login,
        first,
        last,
        role,
        new Date().toISOString(),
      );
    const [user] = this.find([Number(lastInsertRowid)]);
    if (user === undefined) throw new Error('The user was not stored.');
    return user;
  }

  update(
    id: number,
    { first_name: first, last_name: last, url }: Partial<Record<'first_name' | 'last_name' | 'url', string>>,
  ): HostUser {
    this.db
      .prepare(
        `UPDATE users SET first_name = coalesce(?, first_name), last_name = coalesce(?, last_name), url = coalesce(?, url),
      display_name = coalesce(nullif(?, ''), display_name) WHERE id = ?`,
      )
      .run(first ?? null, last ?? null, url ?? null, first ?? null, id);
    const [user] = this.find([id]);
    if (user === undefined) throw new Error('There is no such user.');
    return user;
  }

  can(userId: number, capability: string): boolean {
    const row = this.db
      .prepare<[number], { role: string }>('SELECT role FROM users WHERE id = ?')
      .get(userId);
    return (CAPABILITIES[row?.role ?? ''] ?? []).includes(capability);
  }

  /** The user whom login (or e-mail) and password name. */
  async check(login: string, password: string): Promise<HostUser | null> {
    const row = this.#row('login', login) ?? this.#row('email', login);
    const fits = await checkPassword(password, row?.password ?? NOBODY);
    return row !== undefined && fits ? this.#present(row) : null;
  }

  /** Opens a session and returns its token, which only the browser keeps. */
  signIn(userId: number): string {
    const token = randomBytes(32).toString('hex');
    this.db.prepare('DELETE FROM sessions WHERE expires_at < ?').run(Date.now());
    this.db
      .prepare('INSERT INTO sessions (token_hash, user_id, expires_at) VALUES (?, ?, ?)')
      .run(hashToken(token), userId, Date.now() + SESSION_MS);
    return token;
  }

  signOut(req: IncomingMessage): void {
    this.db.prepare('DELETE FROM sessions WHERE token_hash = ?').run(this.sessionOf(req));
  }

  /** What nonces are bound to; empty without a session cookie. */
  sessionOf(req: IncomingMessage): string {
    const token = cookieOf(req, SESSION_COOKIE);
    return token === '' ? '' : hashToken(token);
  }

  userOf(req: IncomingMessage): HostUser | null {
    const session = this.sessionOf(req);
    if (session === '') return null;
    const row = this.db
      .prepare<[string, number], UserRow>(
        `SELECT users.* FROM sessions JOIN users ON users.id = sessions.user_id
      WHERE token_hash = ? AND expires_at >= ?`,
      )
      .get(session, Date.now());
    return row === undefined ? null : this.#present(row);
  }

  all(): HostUser[] {
    return this.db
      .prepare<[], UserRow>('SELECT * FROM users ORDER BY id LIMIT 200')
      .all()
      .map((row) => this.#present(row));
  }

  #row(column: 'login' | 'email', value: string): UserRow | undefined {
    return this.db.prepare<[string], UserRow>(`SELECT * FROM users WHERE ${column} = ?`).get(value);
  }

  #present(row: UserRow): HostUser {
    const { id, login, email, display_name, url, first_name, last_name, role, registered_at } = row;
    return {
      id,
      login,
      email,
      display_name,
      first_name,
      last_name,
      full_name: `${first_name} ${last_name}`.trim() || display_name,
      url,
      avatar: `${this.siteUrl}/assets/avatar.svg`,
      registered_at,
      roles: [role],
    };
  }
}
