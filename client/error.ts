import type { FieldErrors } from './types.js';

/** A refusal of the service, or `offline` when it could not be reached. */
export class ApiError extends Error {
  /**
   * Stable name, e.g. `referral_paid`; `offline` without an answer, `unreadable` when the
   * answer is none of the service's.
   */
  readonly code: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly errors: FieldErrors;
  /** Seconds to wait before the next try, where the service says so. */
  readonly retryAfter: number | null;
  /** What the refusal tells beside its sentence, e.g. the status words an import does not know. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    {
      status = 0,
      errors = {},
      retryAfter = null,
      data = {},
    }: Partial<Pick<ApiError, 'status' | 'errors' | 'retryAfter' | 'data'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.data = data;
  }

  /** The first sentence for a field, or undefined. */
  field(name: string): string | undefined {
    return Object.values(this.errors[name] ?? {})[0];
  }
}

/** Reads the error body of an answer. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const details = { status: answer.status, retryAfter: Number.isFinite(wait) ? wait : null };
  const body = await answer.json().catch(() => null);
  if (!isErrorBody(body))
    return new ApiError('unreadable', `The server answered with status ${answer.status}.`, details);
  return new ApiError(body.code, body.message, {
    ...details,
    errors: body.errors ?? {},
    data: body.data ?? {},
  });
}

const isErrorBody = (
  body: unknown,
): body is {
  readonly code: string;
  readonly message: string;
  readonly errors?: FieldErrors;
  readonly data?: Readonly<Record<string, unknown>>;
} =>
  typeof body === 'object' &&
  body !== null &&
  typeof (body as { code?: unknown }).code === 'string' &&
  typeof (body as { message?: unknown }).message === 'string';
