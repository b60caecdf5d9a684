import { access } from 'node:fs/promises';
import type {
  Migrator,
  SourceAffiliate,
  SourcePage,
  SourceReferral,
  SourceVisit,
  Stage,
  StageCounts,
  StageRows,
} from '../types.js';
import { readEmailKey, readIdList } from '../values.js';
import { readHeader, readRecords } from './csv-reader.js';

export interface CsvFile {
  readonly path: string;
  /** Our column → the file's column; without an entry the names must be the same (case and blanks do not count). */
  readonly columns?: Readonly<Record<string, string>>;
}

export interface CsvSource {
  /** Part of every source key: another name is another source. */
  readonly slug?: string;
  readonly name?: string;
  readonly affiliates?: CsvFile;
  readonly referrals?: CsvFile;
  readonly visits?: CsvFile;
  readonly timeZone?: string;
}

type Fields = (column: string) => string | null;
type FileStage = 'affiliates' | 'referrals' | 'visits';

/** CSV files of affiliates, referrals and visits. Rows without `id` are known by their place in the file. */
export function csvMigrator(source: CsvSource): Migrator {
  const files: readonly (readonly [FileStage, CsvFile | undefined])[] = [
    ['affiliates', source.affiliates],
    ['referrals', source.referrals],
    ['visits', source.visits],
  ];
  const given = new Map(
    files.filter((entry): entry is readonly [FileStage, CsvFile] => entry[1] !== undefined),
  );
  return {
    slug: source.slug ?? 'csv',
    name: source.name ?? 'CSV files',
    ...(source.timeZone === undefined ? {} : { timeZone: source.timeZone }),
    isAvailable: async () => {
      const present = await Promise.all(
        [...given.values()].map(({ path }) =>
          access(path).then(
            () => true,
            () => false,
          ),
        ),
      );
      return present.length > 0 && present.every(Boolean);
    },
    counts: async () => {
      const counts: Partial<StageCounts> = {};
      for (const [stage, file] of given) counts[stage] = await countRecords(file.path);
      return counts;
    },
    migrate: async <S extends Stage>(stage: S, cursor: string | null, limit: number) => {
      const file = given.get(stage as FileStage);
      if (file === undefined) return { rows: [], nextCursor: null, done: true };
      return readPage(stage as FileStage, file, { cursor, limit }) as Promise<SourcePage<StageRows[S]>>;
    },
  };
}

async function readPage(
  stage: FileStage,
  file: CsvFile,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<SourcePage<StageRows[FileStage]>> {
  const header = await readHeader(file.path);
  const records = await readRecords(
    file.path,
    cursor === null ? header.end : Number(cursor),
    limit,
    header.delimiter,
  );
  const place = placesOf(header.names, file.columns ?? {});
  const rows = records.map(({ fields, at }) =>
    MAPS[stage]((column) => fields[place.get(column) ?? -1]?.trim() || null, `at-${at}`),
  );
  const end = records.at(-1)?.end;
  return { rows, nextCursor: end === undefined ? null : String(end), done: records.length < limit };
}

async function countRecords(path: string): Promise<number> {
  const header = await readHeader(path);
  let count = 0;
  for (let from = header.end; ;) {
    const records = await readRecords(path, from, 5000, header.delimiter);
    count += records.length;
    if (records.length < 5000) return count;
    from = records.at(-1)?.end ?? from;
  }
}

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, '_');

/** Our column → its place in a record. A mapping that names no column of the file is a mistake worth stopping for. */
function placesOf(names: readonly string[], columns: Readonly<Record<string, string>>): Map<string, number> {
  const places = new Map(names.map((name, at) => [plain(name), at]));
  for (const [ours, theirs] of Object.entries(columns)) {
    const at = names.findIndex((name) => plain(name) === plain(theirs));
    if (at < 0) throw new Error(`The CSV file has no column "${theirs}".`);
    places.set(ours, at);
  }
  return places;
}

const MAPS: Readonly<Record<FileStage, (field: Fields, place: string) => StageRows[FileStage]>> = {
  affiliates: affiliate,
  referrals: referral,
  visits: visit,
};

const affiliateRef = (field: Fields): string | null =>
  field('affiliate_id') ?? readEmailKey(field('affiliate_email'));

function affiliate(field: Fields, place: string): SourceAffiliate {
  const email = field('email');
  const rate = field('rate');
  return {
    id: field('id') ?? readEmailKey(email) ?? place,
    status: field('status') ?? 'active',
    note: field('note'),
    custom_param: field('custom_param'),
    user:
      email === null && field('login') === null
        ? null
        : { email, login: field('login'), first_name: field('first_name'), last_name: field('last_name') },
    rate_type: rate === null ? 'default' : (field('rate_type') ?? 'percentage'),
    rate,
    payment_email: field('payment_email') ?? email,
    created_at: field('created_at'),
  };
}

function referral(field: Fields, place: string): SourceReferral {
  return {
    id: field('id') ?? place,
    affiliate_id: affiliateRef(field),
    parent_id: field('parent_id'),
    status: field('status') ?? 'unpaid',
    amount: field('amount'),
    order_total: field('order_total'),
    currency: field('currency'),
    description: field('description'),
    provider: field('provider'),
    provider_id: field('provider_id'),
    provider_sub_id: field('provider_sub_id'),
    utm_campaign: field('utm_campaign'),
    type: field('type'),
    created_at: field('created_at'),
  };
}

function visit(field: Fields, place: string): SourceVisit {
  return {
    id: field('id') ?? place,
    affiliate_id: affiliateRef(field),
    referral_ids: readIdList(field('referral_id')),
    url: field('url'),
    referrer: field('referrer'),
    campaign: field('utm_campaign'),
    medium: field('utm_medium'),
    source: field('utm_source'),
    ip: field('ip'),
    created_at: field('created_at'),
  };
}
