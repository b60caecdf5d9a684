// Processes that take orders and die: started ahead, because starting one takes
// longer than what is tried in it.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const FILE = new URL('worker.mjs', import.meta.url);

/** What docs/running.md, "Memory", tells a host to set. */
export const MEMORY_SETTINGS = {
  NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=1024',
  MALLOC_ARENA_MAX: '2',
};

export class Child {
  #child;
  #stages = [];
  #wake = () => {};
  #gone;

  constructor(file = FILE, env = {}) {
    this.#child = fork(file, [], {
      execArgv: ['--no-warnings'],
      serialization: 'advanced',
      env: { ...process.env, ...env },
    });
    this.#child.on('message', (message) => {
      this.#stages.push(message);
      this.#wake();
    });
    this.#gone = once(this.#child, 'exit').then(() => {
      this.#stages.push({ stage: 'dead' });
      this.#wake();
    });
  }

  send(order) {
    this.#child.send(order);
  }

  /** The next thing it says, `{ stage: 'dead' }` at the end. */
  async next() {
    while (this.#stages.length === 0)
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
    const message = this.#stages[0].stage === 'dead' ? this.#stages[0] : this.#stages.shift();
    if (message.stage === 'failed') throw new Error(message.error);
    return message;
  }

  /** Sends an order and returns the value of its last word. */
  async ask(order) {
    this.send(order);
    for (;;) {
      const message = await this.next();
      if (message.stage === 'done') return message.value;
      if (message.stage === 'dead') throw new Error('the process died');
    }
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }
}

/** Children that have loaded the service and wait; at most `size` of them. */
export class Pool {
  #ready = [];
  #closed = false;
  #file;

  constructor(size, file = FILE) {
    this.#file = file;
    for (let at = 0; at < size; at += 1) this.#start();
  }

  #start() {
    const child = new Child(this.#file);
    this.#ready.push({ child, up: child.next() });
  }

  async take() {
    const { child, up } = this.#ready.shift();
    if (!this.#closed) this.#start();
    await up;
    return child;
  }

  async close() {
    this.#closed = true;
    await Promise.all(this.#ready.map(({ child }) => child.kill()));
  }
}
