import type { AnswerOf } from '../../shared/data.js';

/** The sign-up form as the program has set it up. */
export type SignupForm = AnswerOf<'registration.form'>;
export type SignupField = SignupForm['fields'][number];
