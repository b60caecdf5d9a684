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
import { ApiError, type AnswerOf, type InputOf, type OperationId } from '../../client/index.js';
import { boot, send } from './boot.js';
import { loadSentences } from './sentences.js';
import { sentence } from './texts.js';
import { toast } from './toast.js';

export { ApiError } from '../../client/index.js';
export type { UseQueryResult } from '@tanstack/react-query';
export type { AnswerOf, InputOf, OperationId, Page, RowOf } from '../../client/index.js';

/** Will it be over by itself? */
export const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'offline' || error.status === 503 || error.status === 429);

/** Reads are repeated by themselves while the server cannot be reached or is busy. */
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
      // A change is never kept for later: whoever made it is told that it was not saved.
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** The answers of this page; it is one for all of it. */
export const queries = createQueries();

/** Reads what is likely to be asked for next; what is known and fresh is not asked for. */
export function readAhead<Id extends OperationId>(id: Id, input?: InputOf<Id>): void {
  void queries.prefetchQuery({
    queryKey: [id, input ?? {}],
    queryFn: ({ signal }) => send(id, input, { signal }),
  });
}

export interface ReadOptions<Answer> {
  readonly enabled?: boolean;
  /** Milliseconds between two readings, for work that goes on; a function of what was read last. */
  readonly every?: number | false | ((response: Answer) => number | false);
  /** Keeps the old answer on the screen while the next one loads. */
  readonly keep?: boolean;
}

/** Reads an operation; what is read is kept by id and input. */
export function useRead<Id extends OperationId>(
  id: Id,
  input?: InputOf<Id>,
  { enabled = true, every = false, keep = true }: ReadOptions<AnswerOf<Id>> = {},
): UseQueryResult<AnswerOf<Id>> {
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
  /** Sends it once, however often it is pressed. Throws ApiError. */
  run(input: InputOf<Id>): Promise<AnswerOf<Id>>;
  readonly running: boolean;
}

export interface WriteOptions {
  /** Long work is answered at once and goes on without this page. */
  readonly later?: boolean;
  /** Said when it is done; default: the message of the answer. `null` says nothing. */
  readonly done?: string | null;
  /** The caller shows the error itself, e.g. at the fields of a form. */
  readonly quiet?: boolean;
}

/** What the service says it has done. */
async function toastDone({ message }: { readonly message?: string }): Promise<void> {
  if (!message) return;
  await loadSentences(boot().locale);
  toast.done(sentence(message));
}

/** Sends a change; afterwards everything on the screen is read anew. */
export function useWrite<Id extends OperationId>(
  id: Id,
  { done, quiet = false, later = false }: WriteOptions = {},
): Write<Id> {
  const queries = useQueryClient();
  const { mutateAsync, isPending } = useMutation<AnswerOf<Id>, Error, InputOf<Id>>({
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
  return { run: mutateAsync, running: isPending };
}
