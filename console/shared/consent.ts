/** The fields of a sign-up form as they are shown: people agree when they have seen all questions. */
export const consentLast = <Field extends { readonly type: string }>(fields: readonly Field[]): Field[] => [
  ...fields.filter(({ type }) => type !== 'inline_checkbox'),
  ...fields.filter(({ type }) => type === 'inline_checkbox'),
];
