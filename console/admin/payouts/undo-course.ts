import { useSyncExternalStore } from 'react';
import { boot, send } from '../../shared/boot.js';
import { queries, type AnswerOf } from '../../shared/data.js';
import { loadSentences } from '../../shared/sentences.js';

export type LeftOut = AnswerOf<'payouts.undo'>['left_out'];

/** What is known of an undo that was begun in this browser. */
interface Kept {
  /** Open payments when it began, and how many of them were looked at since. */
  readonly total: number;
  readonly done: number;
  /** The next part comes after this payment; null: nothing is left. */
  readonly after: number | null;
  /** What somebody paid meanwhile, or an extension keeps. */
  readonly leftOut: LeftOut;
}

export interface Course extends Kept {
  readonly running: boolean;
  readonly perSecond: number;
}

const courses = new Map<number, Course>();
const listeners = new Set<() => void>();
const keyOf = (id: number): string => `affiliate:undo-${id}`;

/** The undo of a payout, also after the screen was left or loaded again; null when none was begun here. */
export const useCourse = (id: number): Course | null =>
  useSyncExternalStore(listen, () => courses.get(id) ?? found(id));

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function found(id: number): Course | null {
  try {
    const text = localStorage.getItem(keyOf(id));
    if (text === null) return null;
    courses.set(id, { ...(JSON.parse(text) as Kept), running: false, perSecond: 0 });
    return courses.get(id)!;
  } catch {
    return null; // a browser without storage knows it until the page is left
  }
}

function put(id: number, course: Course): void {
  courses.set(id, course);
  for (const listener of listeners) listener();
  const { total, done, after, leftOut } = course;
  try {
    if (after === null) localStorage.removeItem(keyOf(id));
    else localStorage.setItem(keyOf(id), JSON.stringify({ total, done, after, leftOut }));
  } catch {
    // It goes on all the same.
  }
}

export const begin = (id: number, total: number): Promise<void> =>
  run(id, { total, done: 0, after: 0, leftOut: [], running: true, perSecond: 0 });

/** Part after part, until the server says that nothing is left. */
export async function run(id: number, from: Course): Promise<void> {
  if (courses.get(id)?.running) return;
  const began = performance.now();
  let course: Course = { ...from, running: true };
  put(id, course);
  try {
    while (course.after !== null) {
      const answer: AnswerOf<'payouts.undo'> = await send('payouts.undo', {
        params: { id },
        body: { after_id: course.after },
      });
      if (answer.left_out.length > 0) await loadSentences(boot().locale); // each says why it stays
      const done: number = course.done + answer.released_count + answer.left_out.length;
      course = {
        ...course,
        done,
        after: answer.next_after_id,
        leftOut: [...course.leftOut, ...answer.left_out],
        perSecond: (done - from.done) / ((performance.now() - began) / 1000),
      };
      put(id, course);
    }
  } finally {
    put(id, { ...course, running: false });
    await queries.invalidateQueries();
  }
}
