// The code in the thread of a SqliteThread: one connection that runs statements in the order they arrive.
import { constants, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LocalConnection, type SqliteFile } from './sqlite-connection.js';
import type { Reply, Request } from './sqlite-thread.js';
import { ThreadState } from './thread-state.js';

const port = parentPort!;
const { file, memory } = workerData as { file: SqliteFile; memory: SharedArrayBuffer };
const state = new ThreadState(memory);

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
    const connection = state.inDriver(() => new LocalConnection(file));
    post([{ result: { response: null } }]);
    return connection;
  } catch (error) {
    post([failure(error)]); // the thread ends after this message
    return null;
  }
}

function execute(connection: LocalConnection, { sql, bindings }: Request): Reply {
  try {
    return { result: state.inDriver(() => connection.run(sql, bindings)) };
  } catch (error) {
    return failure(error);
  }
}

/** Reads belong to different requests, so each result is sent at once; results of writes share a message. */
function executeAll(connection: LocalConnection, requests: readonly Request[]): void {
  const replies: Reply[] = [];
  for (const request of requests) {
    if (state.stopped) return; // no caller waits for these results
    const reply = execute(connection, request);
    if (file.queryOnly) post([reply]);
    else replies.push(reply);
  }
  if (replies.length > 0) post(replies);
}

if (file.queryOnly) letOthersGoFirst();
const connection = state.stopped ? null : open();
port.on('message', (requests: readonly Request[] | null) => {
  if (connection && requests && !state.stopped) {
    executeAll(connection, requests);
    return;
  }
  if (connection) state.inDriver(() => connection.close());
  port.close();
});
