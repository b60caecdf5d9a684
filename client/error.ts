import type { FieldErrors } from './types.js';

/** The service refused a request, or could not be reached (`offline`). */
export class ApiError extends Error {
  /**
   * Stable name, e.g. `referral_paid`. `offline`: no response came. `unreadable`: the response did not come
   * from the service.
   */
  readonly code: string;
  /** HTTP status; 0 when no response came. */
  readonly status: number;
  readonly errors: FieldErrors;
  /** Seconds to wait before the next try, if the service sent them. */
  readonly retryAfter: number | null;
  /** More about the refusal, e.g. the status words that an import does not know. */
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

/** Reads the error body of a response. */
export async function errorOf(response: Response): Promise<ApiError> {
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN);
  const details = { status: response.status, retryAfter: Number.isFinite(wait) ? wait : null };
  const body = await response.json().catch(() => null);
  if (!isErrorBody(body))
    return new ApiError('unreadable', `The server answered with status ${response.status}.`, details);
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
