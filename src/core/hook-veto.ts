/**
 * A tap of a before-action or filter throws this to stop the operation: the caller gets its text and status.
 */
export class HookVeto extends Error {
  readonly status: number;

  constructor(message: string, status = 422) {
    super(message);
    this.name = 'HookVeto';
    this.status = Number.isInteger(status) && status >= 400 && status < 500 ? status : 422;
  }
}
