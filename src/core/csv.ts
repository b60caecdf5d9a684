import type { ExportRow } from './page.js';
import { plainLine } from './text.js';

// Beginnings that spreadsheets take for a formula, full-width forms included, also after blanks.
const FORMULA = /^(?:\s|\0)*[=+\-@＝＋－＠]|^[\t\r\n\0]/u;

// Characters that turn the direction of what follows, so that text reads as another one.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula, and removes characters that make
 * text read as another one.
 */
export function guardCell(text: string): string {
  const straight = text.replaceAll(TURNS, '');
  return FORMULA.test(straight) ? `'${straight}` : straight;
}

// Matches most texts: those that neither guardCell nor csvText has to change.
const PLAIN = /^[A-Za-z0-9\u00c0-\u024f][^\r\0\u202a-\u202e\u2066-\u2069]*$/u;

/**
 * The text of a CSV cell, safe for spreadsheets. A single CR, which the CSV writer would not quote, becomes
 * LF.
 */
export const csvText = (text: string): string =>
  PLAIN.test(text) ? text : guardCell(text).replaceAll(/\r\n?/g, '\n').replaceAll('\0', '');

/**
 * A free-text field of a JSON export. It is quoted here, since readers of the export join fields with bare
 * commas (docs/interface.md §5).
 */
export function escField(text: string): string {
  const cell = guardCell(plainLine(text));
  return /[",]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The values that fit into a cell; lists and maps are left out. */
export const cells = (values: object): ExportRow =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value === null || typeof value !== 'object'),
  );
