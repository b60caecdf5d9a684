// The code in the thread of a SqliteThread: one connection that answers statements in the order they arrive.
import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LocalConnection, type SqliteFile } from './sqlite-connection.js';
import type { Reply, Request } from './sqlite-thread.js';

const port = parentPort!;
const file = workerData as SqliteFile;

const post = (replies: readonly Reply[]): void => {
  port.postMessage(replies);
};

function failure(error: unknown): Reply {
  const { name, message, code } = error as Error & { code?: string };
  return { error: { name, message, code } };
}

/**
 * Lowers the priority of this thread: where there are few cores, a long read would slow down the host's event
 * loop and the writer. Only Linux has a priority for each thread; elsewhere the whole process would get it.
 */
function letOthersGoFirst(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid it; reads then have the same priority as everything else.
  }
}

function open(): LocalConnection | null {
  try {
    const connection = new LocalConnection(file);
    post([{ answer: { response: null } }]);
    return connection;
  } catch (error) {
    post([failure(error)]); // the thread ends after this message
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

if (file.queryOnly) letOthersGoFirst();
const connection = open();
port.on('message', (requests: readonly Request[] | null) => {
  if (connection && requests) {
    // Reads belong to different requests, so each answer is sent at once.
    if (file.queryOnly) for (const request of requests) post([answer(connection, request)]);
    else post(requests.map((request) => answer(connection, request)));
    return;
  }
  connection?.close();
  port.close();
});
