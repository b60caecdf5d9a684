import type { ResponseOf } from '../../shared/data.js';
import type { Figure } from '../../shared/figures.js';
import { formatInput } from '../../shared/typed.js';

/** The configured sign-up form. */
export type SignupForm = ResponseOf<'registration.form'>;

interface Question {
  readonly name: string;
  readonly type: string;
  readonly label: string;
}

/** Decimals a number may have. */
const ANSWER_DIGITS = 10;

/** The initial value of an input; numbers in the user's format. */
export const typedAnswer = ({ type }: Pick<Question, 'type'>, answer: unknown): unknown =>
  type === 'number' && (typeof answer === 'string' || typeof answer === 'number')
    ? formatInput(answer, 'count')
    : answer;

/** The number fields. */
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
      empty: '', // the server reports missing answers
    }));
