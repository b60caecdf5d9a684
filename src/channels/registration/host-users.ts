import type { HostUser } from '../../../adapters/host.js';
import { emailKey } from '../../core/text.js';
import { FieldCheck, fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { splitName, type Account } from './account.js';

const LOOK_AT = 50;

/** Accounts of the host: checks whether names are free, and creates accounts. */
export class HostUsers {
  constructor(private readonly app: Deps) {}

  get canCreate(): boolean {
    return this.app.host.users.create !== undefined;
  }

  /**
   * Throws 422 and names what is taken. Only for visitors who have proved their address, or where no proof is
   * asked for.
   */
  async requireFree({ username, email }: Pick<Account, 'username' | 'email'>): Promise<void> {
    const check = new FieldCheck();
    if (await this.#byLogin(username)) check.add('username', 'unique', 'This username is already taken.');
    if (await this.hasAccount(email))
      check.add('email', 'unique', 'This e-mail address already has an account. Sign in instead.');
    check.throwIfAny();
  }

  async create(account: Account): Promise<HostUser> {
    const { users } = this.app.host;
    if (!users.create) return fail('registration_unsupported');
    const { username: login, email, password, full_name: name } = account;
    try {
      return await users.create({ login, email, password, ...splitName(name) });
    } catch (error) {
      // Another visitor may have taken the name in the meantime.
      await this.requireFree(account);
      throw error;
    }
  }

  /** The account exists at this point: if the host cannot sign in, users do so on its login page. */
  async signIn(
    user: HostUser,
    request: {
      readonly raw: Parameters<NonNullable<Deps['host']['users']['signIn']>>[1];
      readonly response: unknown;
    },
  ): Promise<void> {
    try {
      await this.app.host.users.signIn?.(user, request.raw, request.response);
    } catch (error) {
      this.app.log.warn('the host could not sign the new user in', { user_id: user.id, error });
    }
  }

  async #byLogin(login: string): Promise<boolean> {
    const { users } = this.app.host;
    if (users.findByLogin) return (await users.findByLogin(login)) !== null;
    return (await users.search(login, LOOK_AT)).some((user) => user.login.toLowerCase() === login);
  }

  async hasAccount(email: string): Promise<boolean> {
    const { users } = this.app.host;
    if (users.findByEmail) return (await users.findByEmail(email)) !== null;
    return (await users.search(email, LOOK_AT)).some((user) => emailKey(user.email) === emailKey(email));
  }
}
