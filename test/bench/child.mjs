import { fork } from 'node:child_process';

/** Starts a file of this folder as a process of its own, which ends with the bench at the latest. */
export function startChild(name, args = [], options = {}) {
  const child = fork(new URL(name, import.meta.url), args, { serialization: 'advanced', ...options });
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** The next message of the process; rejects when it dies first. It has printed why. */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const died = (status, signal) => {
      child.off('message', heard);
      reject(new Error(`${child.spawnargs.at(1)} died before it answered (${signal ?? `status ${status}`})`));
    };
    const heard = (message) => {
      child.off('exit', died);
      resolve(message);
    };
    child.once('message', heard);
    child.once('exit', died);
    if (child.exitCode !== null || child.signalCode !== null) died(child.exitCode, child.signalCode);
  });
}

/** Sends it a message and returns its answer. */
export function ask(child, message) {
  const answer = nextMessage(child);
  child.send(message, () => {}); // a message that cannot be sent is told by the death of the process
  return answer;
}
