import { cleanText } from './text.js';

// What spreadsheets take for a formula, full-width forms included, also behind blanks.
const FORMULA = /^(?:\s|\0)*[=+\-@＝＋－＠]|^[\t\r\n\0]/u;

/** Puts an apostrophe before text that a spreadsheet would run. */
export const guardCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** A free-text field of a JSON export: already quoted, since its reader joins fields with bare commas (conventions §7). */
export function escField(text: string): string {
  const cell = guardCell(cleanText(text));
  return /[",]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
