import { boot, send } from '../../shared/boot.js';
import { queries, type ResponseOf } from '../../shared/data.js';
import { loadSentences } from '../../shared/sentences.js';
import { createStore, useStore } from '../../shared/store.js';
import { useRunning, workRate } from './running.js';

export type LeftOut = ResponseOf<'payouts.undo'>['left_out'];

/** Progress of an undo. */
export interface UndoState {
  /** Open payments at the start, and how many of them were processed since. */
  readonly total: number;
  readonly done: number;
  /** The next part starts after this payment; null: all are done. */
  readonly after: number | null;
  /** Payments that were paid meanwhile or that an extension keeps. */
  readonly leftOut: LeftOut;
  readonly running: boolean;
  readonly perSecond: number;
  /** The error that stopped it. */
  readonly reason: string | null;
  readonly message: string | null;
}

/** Undos that this page runs part by part. */
const states = createStore<ReadonlyMap<number, UndoState>>(new Map());
const setState = (id: number, state: UndoState): void => states.set(new Map(states.get()).set(id, state));

/** The undo of a payout that runs, was interrupted, or was finished on this page; null if there is none. */
export function useUndoState(id: number): UndoState | null {
  const local = useStore(states).get(id);
  const { data } = useRunning();
  if (local !== undefined) return local;
  const work = data?.works.find(({ kind, payout_id: payout }) => kind === 'undo' && payout === id);
  return work === undefined ? null : stateOf(work);
}

/** The server runs this undo itself, so there is no next part. */
function stateOf(work: ResponseOf<'payouts.running'>['works'][number]): UndoState {
  const { total, done, next_after_id: after, left_out: leftOut, running, reason, message } = work;
  return { total, done, after: after ?? 0, leftOut, running, perSecond: workRate(work), reason, message };
}

export const startUndo = (id: number, total: number): Promise<void> =>
  run(id, {
    total,
    done: 0,
    after: 0,
    leftOut: [],
    running: true,
    perSecond: 0,
    reason: null,
    message: null,
  });

/** The server undoes larger payouts itself, so that this page can be closed. */
const LARGE = 200;
const POLL_MS = 1000;

/** Repeats until nothing is left. */
export async function run(id: number, from: UndoState): Promise<void> {
  if (states.get().get(id)?.running) return;
  if (from.total <= LARGE) return runParts(id, from);
  await send('payouts.undo', { params: { id }, body: {} }, { later: true });
  let state: UndoState = { ...from, running: true };
  try {
    for (;;) {
      const { works } = await send('payouts.running');
      const work = works.find(({ kind, payout_id: payout }) => kind === 'undo' && payout === id);
      if (work === undefined) break;
      state = stateOf(work);
      setState(id, state);
      if (!work.running) return;
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
    state = { ...state, done: state.total, after: null };
    await loadSentences(boot().locale);
  } finally {
    setState(id, { ...state, running: false });
    await queries.invalidateQueries();
  }
}

async function runParts(id: number, from: UndoState): Promise<void> {
  const began = performance.now();
  let state: UndoState = { ...from, running: true };
  setState(id, state);
  try {
    while (state.after !== null) {
      const response: ResponseOf<'payouts.undo'> = await send('payouts.undo', {
        params: { id },
        body: { after_id: state.after },
      });
      if (response.left_out.length > 0) await loadSentences(boot().locale); // the reasons are sentences of the service
      const done: number = state.done + response.released_count + response.left_out.length;
      state = {
        ...state,
        done,
        after: response.next_after_id,
        leftOut: [...state.leftOut, ...response.left_out],
        perSecond: (done - from.done) / ((performance.now() - began) / 1000),
      };
      setState(id, state);
    }
  } finally {
    setState(id, { ...state, running: false });
    await queries.invalidateQueries();
  }
}
