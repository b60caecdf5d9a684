/** Is it a yes, in one of the forms that HTML forms and JSON use? */
export const isYes = (value: unknown): boolean => ['yes', 'true', '1'].includes(String(value));

/** The same for a no. */
export const isNo = (value: unknown): boolean => ['no', 'false', '0'].includes(String(value));
