import type { InputOf, OperationId } from '../../client/index.js';
import { sendForFile } from './boot.js';
import { createStore, useStore } from './store.js';
import { toast } from './toast.js';

export interface Download {
  readonly start: <Id extends OperationId>(id: Id, input?: InputOf<Id>, name?: string) => Promise<void>;
  /** Received rows and total; null before the response begins. */
  readonly received: number;
  readonly total: number | null;
  readonly running: boolean;
}

type State = Omit<Download, 'start'>;

const NONE: State = { received: 0, total: null, running: false };
const states = createStore<ReadonlyMap<string, State>>(new Map());

/** Downloads a file with progress. It continues when the user leaves the screen; `key` identifies it afterwards. */
export function useDownload(key: string): Download {
  const state = useStore(states).get(key) ?? NONE;
  const setState = (next: State): void => states.set(new Map(states.get()).set(key, next));
  const start: Download['start'] = async (id, input, name) => {
    if (states.get().get(key)?.running) return;
    setState({ ...NONE, running: true });
    try {
      const response = await sendForFile(id, input);
      const total = Number(response.headers.get('x-export-total') ?? Number.NaN);
      const parts: Uint8Array<ArrayBuffer>[] = [];
      let received = -1; // the first line is the header
      const reader = response.body!.getReader();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        parts.push(chunk.value);
        received += countLines(chunk.value);
        setState({
          received: Math.max(0, received),
          total: Number.isFinite(total) ? total : null,
          running: true,
        });
      }
      saveFile(
        new Blob(parts, { type: response.headers.get('content-type') ?? 'text/csv' }),
        name ?? nameIn(response) ?? 'export.csv',
      );
    } catch (error) {
      toast.failed(error);
    } finally {
      setState(NONE);
    }
  };
  return { ...state, start };
}

const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);

const nameIn = (response: Response): string | null =>
  /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? null;

export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
