import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, type ResponseOf, type InputOf, type OperationId } from '../../client/index.js';
import { boot, onOtherUser, send } from './boot.js';
import { loadSentences } from './sentences.js';
import { sentence } from './texts.js';
import { toast } from './toast.js';

export { ApiError } from '../../client/index.js';
export type { UseQueryResult } from '@tanstack/react-query';
export type { ResponseOf, InputOf, OperationId, Page, RowOf } from '../../client/index.js';

/** Whether the error is temporary. */
export const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'offline' || error.status === 503 || error.status === 429);

/** Reads are retried while the server is unreachable or busy. */
const createQueries = (): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache(),
    mutationCache: new MutationCache(),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (count, error) => isPassing(error) && (error.status !== 429 || count < 5),
        retryDelay: (count, error) =>
          error instanceof ApiError && error.retryAfter !== null
            ? error.retryAfter * 1000
            : Math.min(1000 * 2 ** count, 15_000),
        refetchOnWindowFocus: true,
      },
      // A write is never queued: the user sees that it was not saved.
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** The query cache of this page. */
export const queries = createQueries();

/** The same for everybody, and gone once it is accepted. */
const INVITATION: OperationId = 'registration.invitation';

// Other responses are those of one person, e.g. the rate a visitor is offered.
onOtherUser(() => void queries.resetQueries({ predicate: ({ queryKey: [id] }) => id !== INVITATION }));

/** Prefetches an operation, unless its response is cached and fresh. */
export function prefetchQuery<Id extends OperationId>(id: Id, input?: InputOf<Id>): void {
  void queries.prefetchQuery({
    queryKey: [id, input ?? {}],
    queryFn: ({ signal }) => send(id, input, { signal }),
  });
}

export interface ReadOptions<Answer> {
  readonly enabled?: boolean;
  /** Polling interval in milliseconds, or a function of the last response. */
  readonly every?: number | false | ((response: Answer) => number | false);
  /** Shows the previous response while the next one loads. */
  readonly keep?: boolean;
}

/** Reads an operation; responses are cached by ID and input. */
export function useRead<Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  { enabled = true, every = false, keep = true }: ReadOptions<ResponseOf<Id>> = {},
): UseQueryResult<ResponseOf<Id>> {
  return useQuery({
    queryKey: [id, input ?? {}],
    queryFn: ({ signal }) => send(id, input, { signal }),
    enabled,
    refetchInterval:
      typeof every === 'function' ? ({ state }) => state.data !== undefined && every(state.data) : every,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

export interface Write<Id extends OperationId> {
  /** Sends the request. Throws ApiError. */
  run(input: InputOf<Id>): Promise<ResponseOf<Id>>;
  /** Like `run`, for event handlers: errors are only shown, not thrown. */
  press(input: InputOf<Id>): void;
  readonly running: boolean;
  /** The error of the last request; null while the next one runs. */
  readonly error: Error | null;
}

export interface WriteOptions {
  /** The server responds at once and continues long work in the background. */
  readonly later?: boolean;
  /** Success toast. Default: the message of the response; `null`: no toast. */
  readonly done?: string | null;
  /** The caller shows errors, e.g. at the fields of a form. */
  readonly quiet?: boolean;
}

/** Work that is not one request, e.g. a preview before a confirmation; its error is shown as a toast. */
export function useTask<Input = void>(
  work: (input: Input) => Promise<unknown>,
): { readonly start: (input: Input) => void; readonly running: boolean } {
  const { mutate, isPending } = useMutation({
    mutationFn: (input: Input) => work(input),
    onError: (error) => toast.failed(error),
  });
  return { start: mutate, running: isPending };
}

/** Shows the message of the response. */
async function toastDone({ message }: { readonly message?: string }): Promise<void> {
  if (!message) return;
  await loadSentences(boot().locale);
  toast.done(sentence(message));
}

/** Sends a change, then refreshes all queries on the screen. */
export function useWrite<Id extends OperationId>(
  id: Id,
  { done, quiet = false, later = false }: WriteOptions = {},
): Write<Id> {
  const queries = useQueryClient();
  const { mutateAsync, isPending, error } = useMutation<ResponseOf<Id>, Error, InputOf<Id>>({
    mutationFn: (input) => send(id, input, { later }),
    onSuccess: async (response) => {
      if (done === undefined) void toastDone(response as { message?: string });
      else if (done !== null) toast.done(done);
      await queries.invalidateQueries();
    },
    onError: (error) => {
      if (!quiet) toast.failed(error);
    },
  });
  return {
    run: mutateAsync,
    press: (input) => void mutateAsync(input).catch(() => undefined),
    running: isPending,
    error,
  };
}

/** Whether the service's sentences are loaded in the user's language. */
export function useSentences(): boolean {
  const [known, setKnown] = useState(false);
  useEffect(() => {
    void loadSentences(boot().locale).then(() => setKnown(true));
  }, []);
  return known;
}
