import { isCurrency, toDecimal } from '../../core/money.js';
import { fail } from '../../errors.js';
import type { Deps } from './deps.js';
import { holdsRows, MONEY_TABLES } from './repository.js';
import type { ImportSettings, RunSetup } from './types.js';
import type { Migrator, ProgramSettings } from '../../../adapters/imports.js';
import { readAmount } from '../../core/imports/values.js';
import { CHOICES, foldWord, SKIP, unknownWords } from '../../core/imports/words.js';

/**
 * Reads the settings of the old program, and refuses to begin while something would have to be guessed: its
 * currency, the zone of its times, the meaning of a status word. `earlier`: the settings from an earlier
 * start of the same run.
 */
export async function prepareImport(
  app: Deps,
  migrator: Migrator,
  settings: ImportSettings,
  earlier: RunSetup | undefined,
): Promise<RunSetup> {
  await migrator.check?.();
  const program = (await migrator.program?.()) ?? null;
  const currency = currencyOf(migrator, settings, earlier, program) ?? (await configuredCurrency(app));
  await checkTarget(app, migrator, currency);
  await migrator.checkCurrency?.(currency);
  const { time_zone: timeZone, site_zone: siteZone } = zonesOf(app, migrator, { settings, earlier, program });
  const statusWords = { ...earlier?.status_words, ...readStatusWords(settings.status_words ?? {}) };
  await checkWords(migrator, statusWords);
  return {
    currency,
    time_zone: timeZone,
    site_zone: siteZone,
    status_words: statusWords,
    providers: { ...earlier?.providers, ...readProviders(settings.providers ?? {}) },
    program,
    unread: (await migrator.unread?.()) ?? [],
  };
}

function currencyOf(
  migrator: Migrator,
  { currency: chosen }: ImportSettings,
  earlier: RunSetup | undefined,
  program: ProgramSettings | null,
): string | null {
  if (chosen !== undefined) {
    const code = chosen.trim().toUpperCase();
    return isCurrency(code)
      ? code
      : fail('import_currency_unknown', {
          message: 'The currency of the old system must be an ISO 4217 code, such as EUR.',
        });
  }
  const read = String(program?.currency ?? '')
    .trim()
    .toUpperCase();
  if (isCurrency(read)) return read;
  if (earlier !== undefined) return earlier.currency;
  if (migrator.program === undefined) return null; // a source without settings of its program
  return fail('import_currency_unknown', {
    message:
      `The data of ${migrator.name} has no currency. ` +
      'Set `--currency EUR` (`currency` over REST) to the currency of the old program.',
  });
}

const configuredCurrency = async (app: Deps): Promise<string> =>
  (await app.settings.referralConfig()).currency;

/** Two currencies in the counters of one program would need a guess at a rate. */
async function checkTarget(app: Deps, migrator: Migrator, currency: string): Promise<void> {
  const configured = await configuredCurrency(app);
  if (configured === currency || !(await holdsRows(app.db, MONEY_TABLES))) return;
  fail('import_currency_differs', {
    message:
      `${migrator.name} uses ${currency}, and this program already has amounts in ${configured}. ` +
      `Import into a program in ${currency}.`,
    data: { source: currency, target: configured },
  });
}

/** Makes the currency of the old program this program's, if it holds no money yet. */
export async function adoptCurrency(app: Deps, currency: string): Promise<void> {
  const stored = await app.settings.read<Record<string, unknown>>('referral_config', {});
  if (stored['currency'] === currency || (await holdsRows(app.db, MONEY_TABLES))) return;
  await app.settings.saveReferralConfig({ currency });
}

interface SetupInput {
  readonly settings: ImportSettings;
  readonly earlier: RunSetup | undefined;
  readonly program: ProgramSettings | null;
}

function checkZone(zone: string | undefined): void {
  if (zone !== undefined && !isZone(zone))
    fail('import_zone_unknown', {
      message:
        'Set the time zone of the old site as a name, such as Europe/Berlin, or as an offset, such as +02:00.',
    });
}

const needsSiteZone = ({ times, timeZone }: Migrator): boolean => times === 'local' && timeZone === undefined;

function zonesOf(
  app: Deps,
  migrator: Migrator,
  { settings: { source_zone: sourceZone }, earlier, program }: SetupInput,
): Pick<RunSetup, 'time_zone' | 'site_zone'> {
  checkZone(sourceZone);
  const old = sourceZone ?? usableZone(program?.time_zone) ?? earlier?.site_zone;
  if (old === undefined && needsSiteZone(migrator))
    fail('import_zone_unknown', {
      message:
        `${migrator.name} stores local times, and its database has no time zone. ` +
        'Set `--source-zone Europe/Berlin` (`source_zone` over REST).',
    });
  const site = old ?? app.host.site().timeZone;
  return {
    time_zone: sourceZone ?? migrator.timeZone ?? (migrator.times === 'utc' ? 'UTC' : site),
    site_zone: site,
  };
}

const usableZone = (zone: string | null | undefined): string | undefined =>
  zone !== null && zone !== undefined && isZone(zone) ? zone : undefined;

export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

function readStatusWords(given: Readonly<Record<string, string>>): Record<string, string> {
  const ours = new Set([...Object.values(CHOICES).flat(), SKIP]);
  const entries = Object.entries(given).map(([old, next]) => [foldWord(old), foldWord(next)] as const);
  if (entries.every(([old, next]) => old !== '' && ours.has(next))) return Object.fromEntries(entries);
  return fail('import_status_unknown', {
    message: `A mapped status must be one of: ${[...ours].join(', ')}.`,
  });
}

function readProviders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given).map(([old, next]) => [foldWord(old), next.trim()] as const);
  if (entries.every(([old, next]) => old !== '' && /^[\w-]{1,100}$/u.test(next)))
    return Object.fromEntries(entries);
  return fail('import_provider_unknown');
}

async function checkWords(migrator: Migrator, meanings: Readonly<Record<string, string>>): Promise<void> {
  const unknown = unknownWords((await migrator.words?.()) ?? [], meanings);
  if (unknown.length === 0) return;
  const choices = unknown.map(
    ({ stage, word, count }) =>
      `${stage}: "${word}" in ${count} ${count === 1 ? 'row' : 'rows'}, ` +
      `allowed: ${[...CHOICES[stage], SKIP].join(', ')}`,
  );
  fail('import_status_unknown', {
    message:
      `Some statuses of ${migrator.name} are not mapped. ${choices.join('. ')}. ` +
      'Set `--map-status <old>=<new>` (`status_words` over REST) for each.',
    data: { words: unknown.map((each) => ({ ...each, choices: [...CHOICES[each.stage], SKIP] })) },
  });
}

function rateOf({ rate, rate_type: type }: ProgramSettings): { rate?: unknown; rate_type?: string } {
  if (rate === null || rate === undefined || rate === '') return {};
  const isFixed = ['flat', 'fixed', 'fixed_amount'].includes(foldWord(type));
  return { rate, rate_type: isFixed ? 'fixed' : 'percentage' };
}

/** Saves the old program's settings here; those it does not have, or the host has locked, are skipped. */
export async function applySettings(app: Deps, { program, currency }: RunSetup): Promise<void> {
  if (program === null) return;
  const days = Math.round(Number(program.cookie_duration));
  const format = foldWord(program.referral_format);
  await app.settings.saveReferralConfig({
    // Links with any other variable are read as links of the old system.
    ...(program.referral_variable && app.settings.isLinkVariable(program.referral_variable)
      ? { referral_variable: program.referral_variable }
      : {}),
    ...(['id', 'username'].includes(format) ? { referral_format: format } : {}),
    ...(days >= 1 && days <= 3650 ? { cookie_duration: days } : {}),
    ...rateOf(program),
  });
  const minimum = readAmount(program.minimum_payout, currency);
  if (minimum !== null && minimum > 0 && !app.options.locked.includes('minPayout'))
    await app.settings.saveRules({ minPayout: toDecimal(minimum, currency) });
}
