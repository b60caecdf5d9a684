import { COLUMNS, presetNames, RIVALS, type CsvFileName, type CsvPreset } from './presets.js';

/** The positions of columns in a file. */
export interface CsvColumns {
  /** Our column → its place. */
  readonly places: ReadonlyMap<string, number>;
  /** Why the mapping cannot be used; null when it can. */
  readonly problem: string | null;
}

interface CsvHeader {
  readonly file: CsvFileName;
  readonly names: readonly string[];
  readonly preset: CsvPreset;
  /** Our column → the file's, as chosen by a person. */
  readonly mapped: Readonly<Record<string, string>>;
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/gu, '');

/** Finds our columns in a file: as chosen by a person, else by the preset, else by their usual names. */
export function findColumns(given: CsvHeader): CsvColumns {
  const { file, names, preset } = given;
  const places = new Map<string, number>();
  const misspelled = placeMapped(given, places);
  if (misspelled !== null) return { places, problem: misspelled };
  const known = Object.entries(COLUMNS[file]);
  for (const [ours] of known) place(places, ours, named(names, presetNames(preset, file, ours), places));
  let problem = whoseAddress(given, places);
  for (const [ours, usual] of known) {
    const found = places.has(ours) ? [] : named(names, [ours, ...usual], places);
    const rivals = named(names, RIVALS[file]?.[ours] ?? [], places);
    if (found.length > 1 && found.some((at) => rivals.includes(at)))
      problem ??=
        `${file}: ${found.map((at) => `"${names[at] ?? ''}"`).join(' and ')} could both be the ${ours}. ` +
        `Set \`--map ${file}.${ours}=<column>\` (\`columns\` over REST).`;
    place(places, ours, found);
  }
  return { places, problem };
}

/** A mapping that names no column is a mistake worth stopping for. */
function placeMapped({ file, names, mapped }: CsvHeader, places: Map<string, number>): string | null {
  const known = Object.keys(COLUMNS[file]);
  for (const [ours, theirs] of Object.entries(mapped)) {
    if (!known.includes(ours)) return `${file}: unknown column "${ours}". Columns: ${known.join(', ')}.`;
    const at = names.findIndex((each) => fold(each) === fold(theirs));
    if (at < 0) return `${file}: the CSV file has no column "${theirs}". Its columns: ${names.join(', ')}.`;
    places.set(ours, at);
  }
  return null;
}

function place(places: Map<string, number>, ours: string, [first]: readonly number[]): void {
  if (first !== undefined && !places.has(ours)) places.set(ours, first);
}

/** The positions of the wanted names that no other column has taken, in the wanted order. */
function named(
  names: readonly string[],
  wanted: readonly string[],
  places: ReadonlyMap<string, number>,
): number[] {
  const taken = new Set(places.values());
  const found = wanted.map((each) =>
    names.findIndex((name, at) => !taken.has(at) && fold(name) === fold(each)),
  );
  return [...new Set(found.filter((at) => at >= 0))];
}

/** Rewardful's `email` is the affiliate's, unless the file names the affiliate otherwise. */
function whoseAddress(
  { file, names, mapped }: CsvHeader,
  places: ReadonlyMap<string, number>,
): string | null {
  const at = places.get('affiliate_email');
  const isPlain = at !== undefined && fold(names[at] ?? '') === 'email';
  const isNamed = named(names, ['affiliate_id', 'partner_id', 'promoter_id'], places).length > 0;
  if (file !== 'customers' || !isPlain || !isNamed || Object.hasOwn(mapped, 'affiliate_email')) return null;
  return (
    'customers: "Email" could be the address of the buyer or of the affiliate. ' +
    'Set `--map customers.email=<column>` or `--map customers.affiliate_email=<column>` (`columns` over REST).'
  );
}

const LINK =
  /^(?:id|ids|link|links|url|urls|slug|token|tokens|code|codes|coupon|coupons|param|parameter|tracking|ref|via|key|handle|alias|vanity|identifier|(?:sub|media|partner|publisher|promoter|affiliate|account|tracking|link|ref|network)ids?)$/u;
/** Ids, codes and addresses of something else. */
const NO_LINK =
  /^(?:postal|post|zip|country|currency|tax|vat|phone|area|dial|bank|swift|bic|sort|routing|branch|website|site|home|homepage|blog|avatar|logo|image|picture|photo|instagram|facebook|twitter|youtube|tiktok|linkedin|social|company|group|campaign|program|offer|tier|order|customer|user|stripe|paypal|wise|payout|payment|contact|language)$/u;

/** A column of affiliates whose values old links may have. */
export function isLinkColumn(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/u);
  return words.some((word) => LINK.test(word)) && !words.some((word) => NO_LINK.test(word));
}
