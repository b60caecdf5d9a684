// What runs in the thread of a SqliteThread: one connection that answers statements
// in the order of their arrival.
import { parentPort, workerData } from 'node:worker_threads';
import { LocalConnection, type SqliteFile } from './sqlite-connection.js';
import type { Reply, Request } from './sqlite-thread.js';

const port = parentPort!;

function failure(error: unknown): Reply {
  const { name, message, code } = error as Error & { code?: string };
  return { error: { name, message, code } };
}

function open(): LocalConnection | null {
  try {
    const connection = new LocalConnection(workerData as SqliteFile);
    port.postMessage({ answer: { response: null } } satisfies Reply);
    return connection;
  } catch (error) {
    port.postMessage(failure(error)); // the thread is ended for it
    return null;
  }
}

function answer(connection: LocalConnection, { sql, bindings }: Request): Reply {
  try {
    return { answer: connection.run(sql, bindings) };
  } catch (error) {
    return failure(error);
  }
}

const connection = open();
port.on('message', (request: Request | null) => {
  if (connection && request) {
    port.postMessage(answer(connection, request));
    return;
  }
  connection?.close();
  port.close();
});
