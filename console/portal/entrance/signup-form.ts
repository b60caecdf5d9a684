import type { AnswerOf } from '../../shared/data.js';
import type { Figure } from '../../shared/figures.js';
import { writeTyped } from '../../shared/typed.js';

/** The sign-up form as the program has set it up. */
export type SignupForm = AnswerOf<'registration.form'>;
export type SignupField = SignupForm['fields'][number];

interface Question {
  readonly name: string;
  readonly type: string;
  readonly label: string;
}

/** Digits after the decimal sign that an answer can have. */
const ANSWER_DIGITS = 10;

/** What stands in the input of a question: numbers as the reader writes them. */
export const typedAnswer = ({ type }: Pick<Question, 'type'>, answer: unknown): unknown =>
  type === 'number' && (typeof answer === 'string' || typeof answer === 'number')
    ? writeTyped(answer, 'count')
    : answer;

/** The numbers among the answers. */
export const answerFigures = (
  questions: readonly Question[],
  values: Readonly<Record<string, unknown>>,
): readonly Figure[] =>
  questions
    .filter(({ type }) => type === 'number')
    .map(({ name, label }) => ({
      field: name,
      label,
      typed: String(values[name] ?? ''),
      unit: 'count',
      digits: ANSWER_DIGITS,
      empty: '', // the server says which questions need an answer
    }));
