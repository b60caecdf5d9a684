import { useSyncExternalStore } from 'react';
import { boot, send } from '../../shared/boot.js';
import { queries, type AnswerOf } from '../../shared/data.js';
import { loadSentences } from '../../shared/sentences.js';
import { useRunning, workRate } from './running.js';

export type LeftOut = AnswerOf<'payouts.undo'>['left_out'];

/** How far the undo of a payout is. */
export interface Course {
  /** Open payments when it began, and how many of them were looked at since. */
  readonly total: number;
  readonly done: number;
  /** The next part comes after this payment; null: nothing is left. */
  readonly after: number | null;
  /** What somebody paid meanwhile, or an extension keeps. */
  readonly leftOut: LeftOut;
  readonly running: boolean;
  readonly perSecond: number;
}

/** Those that this page asks for, part after part. */
const courses = new Map<number, Course>();
const listeners = new Set<() => void>();

/**
 * The undo of a payout that is not finished, or that this page has finished;
 * one that was begun elsewhere is known from the server. Null: none was begun.
 */
export function useCourse(id: number): Course | null {
  const here = useSyncExternalStore(listen, () => courses.get(id) ?? null);
  const { data } = useRunning();
  if (here !== null) return here;
  const kept = data?.works.find(({ kind, payout_id: payout }) => kind === 'undo' && payout === id);
  if (kept === undefined) return null;
  return courseOf(kept);
}

/** An undo that the server does by itself names no next part. */
function courseOf(work: AnswerOf<'payouts.running'>['works'][number]): Course {
  const { total, done, next_after_id: after, left_out: leftOut, running } = work;
  return { total, done, after: after ?? 0, leftOut, running, perSecond: workRate(work) };
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(id: number, course: Course): void {
  courses.set(id, course);
  for (const listener of listeners) listener();
}

export const begin = (id: number, total: number): Promise<void> =>
  run(id, { total, done: 0, after: 0, leftOut: [], running: true, perSecond: 0 });

/** A larger payout is undone by the server alone, so that this page can be closed. */
const LARGE = 200;
const LOOK_MS = 1000;

/** Until the server says that nothing is left. */
export async function run(id: number, from: Course): Promise<void> {
  if (courses.get(id)?.running) return;
  if (from.total <= LARGE) return runParts(id, from);
  await send('payouts.undo', { params: { id }, body: {} }, { later: true });
  let course: Course = { ...from, running: true };
  try {
    for (;;) {
      const { works } = await send('payouts.running');
      const work = works.find(({ kind, payout_id: payout }) => kind === 'undo' && payout === id);
      if (work === undefined) break;
      course = courseOf(work);
      put(id, course);
      if (!work.running) return;
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
    }
    course = { ...course, done: course.total, after: null };
    await loadSentences(boot().locale);
  } finally {
    put(id, { ...course, running: false });
    await queries.invalidateQueries();
  }
}

async function runParts(id: number, from: Course): Promise<void> {
  const began = performance.now();
  let course: Course = { ...from, running: true };
  put(id, course);
  try {
    while (course.after !== null) {
      const response: AnswerOf<'payouts.undo'> = await send('payouts.undo', {
        params: { id },
        body: { after_id: course.after },
      });
      if (response.left_out.length > 0) await loadSentences(boot().locale); // each says why it stays
      const done: number = course.done + response.released_count + response.left_out.length;
      course = {
        ...course,
        done,
        after: response.next_after_id,
        leftOut: [...course.leftOut, ...response.left_out],
        perSecond: (done - from.done) / ((performance.now() - began) / 1000),
      };
      put(id, course);
    }
  } finally {
    put(id, { ...course, running: false });
    await queries.invalidateQueries();
  }
}
