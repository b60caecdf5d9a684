import { createHash } from 'node:crypto';
import { errorCodes } from './sql.js';

/** Each costs the server memory, once for each connection. */
const MOST = 200;
/** Longer ones insert many rows, so that reading their text is little of the work. */
const LONGEST = 1000;

/** A pooler has given us another session, in which the statement is already prepared. */
const PREPARED_ALREADY = '42P05';
/** It is not prepared there; or the columns of its table have changed. */
const NOT_PREPARED = ['26000', '0A000'];
export const LOST_STATEMENT = [PREPARED_ALREADY, ...NOT_PREPARED];

/** A statement as knex hands it to the driver; `prepare` is ours, on reads of a few rows. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly prepare?: boolean;
}
type Callback = (error: unknown, response?: unknown) => void;

/** A connection of the driver. */
export interface PreparingConnection {
  readonly connection: { readonly parsedStatements: Readonly<Record<string, string>> };
  query(...args: readonly unknown[]): unknown;
}

const WRITE = /^(?:insert|update|delete) /;

/**
 * The statements that the server prepares once for each connection instead of reading and planning them each
 * time, which was a third of an order's time. Reads of many rows are not prepared, because their best plan
 * depends on the values: one affiliate has ten visits, another a million.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #inUse = true;

  constructor(private readonly warn: (message: string) => void) {}

  /** Adds a name to the statements of this connection that are to be prepared. */
  on<T extends PreparingConnection>(connection: T): T {
    const query = connection.query.bind(connection);
    connection.query = (...args) => {
      const [statement, done] = args as readonly [Statement, Callback];
      const name = isPrepared(statement) ? this.#nameOf(statement.text) : undefined;
      if (name === undefined) return query(...args);
      return query({ ...statement, name }, (error: unknown, response: unknown) => {
        if (isLost(error, name in connection.connection.parsedStatements)) this.#stop();
        done(error, response);
      });
    };
    return connection;
  }

  /** The name is a hash of the text, so a name always means the same statement, also in shared sessions. */
  #nameOf(text: string): string | undefined {
    if (!this.#inUse || text.length > LONGEST) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MOST) return known;
    const name = `affiliate_${createHash('sha1').update(text).digest('hex')}`;
    this.#names.set(text, name);
    return name;
  }

  /** The statement that has failed is repeated without a name. */
  #stop(): void {
    if (!this.#inUse) return;
    this.#inUse = false;
    this.warn(
      'PostgreSQL no longer knows a prepared statement, so none is prepared from now on. If there is a pooler in ' +
        'between, set `prepare: false` in the connection. If the schema was changed, restart this process.',
    );
  }
}

const isPrepared = ({ text, values, prepare }: Statement): boolean =>
  values?.length > 0 && (prepare === true || WRITE.test(text));

/** A statement is also unknown when preparing it failed, as it does in a transaction that has failed. */
function isLost(error: unknown, wasPrepared: boolean): boolean {
  const { code } = errorCodes(error);
  return code === PREPARED_ALREADY || (wasPrepared && NOT_PREPARED.includes(code));
}
