const HOLE = /\{(\d)\}/g;

/** The name of a thing: "The settings", but not "The settings could not be" of another sentence. */
const NAME = String.raw`((?:(?!\b(?:be|being|not)\b).)+?)`;

/** Matches an English sentence whose holes `{1}`, `{2}` … are filled in; a first hole at its start is a name. */
export const patternOf = (english: string): RegExp =>
  new RegExp(
    `^${english
      .replaceAll(/[.*+?^$|()[\]\\]/g, String.raw`\$&`)
      .replaceAll(HOLE, (hole, _, at: number) => (hole === '{1}' && at === 0 ? NAME : '(.+?)'))}$`,
  );

/** The translation with the values that the English sentence names. */
export const fillIn = (text: string, valueOf: (hole: number) => string): string =>
  text.replaceAll(HOLE, (_, hole: string) => valueOf(Number(hole)));
