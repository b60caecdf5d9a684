export { HookVeto } from '../src/core/hook-veto.js';

/** A tap failed. That is a fault of the extension: the caller sees a plain 500, the log has the cause. */
export class HookError extends Error {
  readonly hook: string;
  readonly tap: string;

  constructor(hook: string, tap: string, message: string, cause?: unknown) {
    super(`Hook "${hook}", tap "${tap}": ${message}`, cause === undefined ? undefined : { cause });
    this.name = 'HookError';
    this.hook = hook;
    this.tap = tap;
  }
}

/** A filter tap returned something the operation cannot use. */
export class HookResultError extends HookError {
  constructor(hook: string, tap: string) {
    super(hook, tap, 'the answer does not have the documented form');
    this.name = 'HookResultError';
  }
}

/** The registry was used wrongly: unknown name, wrong kind, bad declaration. */
export class HookUsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HookUsageError';
  }
}
