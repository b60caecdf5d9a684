export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body of a test's answer; tests say what they expect in it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export class Visitor {
  constructor(url: string);
  url: string;
  open(path: string): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  form(path: string, fields: Readonly<Record<string, string>>): Promise<Answer>;
  signIn(login: string): Promise<void>;
  takeNonce(): Promise<void>;
  rest(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  at(url: string): this;
}
