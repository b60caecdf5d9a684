import { word } from '../../shared/texts.js';

/** A text with its codes as words: `{{user.first_name}}` becomes "[First name]". */
export const readable = (text: string): string =>
  text.replaceAll(/\{\{[\w-]+\.([\w-]+)[^{}]*\}\}/g, (_, key: string) => `[${word(key)}]`);
