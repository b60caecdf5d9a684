import { parseAmount, toWire } from '../../core/money.js';
import { fail } from '../../errors.js';
import { RULE_NAMES, type RuleName } from '../../core/rule-names.js';
import type { ResolvedOptions } from '../../options.js';
import type { Deps } from './deps.js';
import type { SettingsSnapshot } from './option-store.js';
import type { RulesDto } from './schemas.js';
import { codeName, wireName } from './rule-names.js';

export const PROGRAM_RULES = 'program_rules';

/** The rules that apply now. Amounts are decimal numbers of the program's currency. */
export interface ProgramRules {
  readonly clawback: ResolvedOptions['clawback'];
  readonly refundFlat: ResolvedOptions['refundFlat'];
  /** In days; 0: commissions are never stale. */
  readonly stalePendingDays: number;
  /** 0: no minimum. */
  readonly minPayout: number;
  /** null: no second user has to approve. */
  readonly approvalAbove: number | null;
  readonly requirePaymentDetails: boolean;
  readonly fraud: ResolvedOptions['fraud'];
}

/** Rules to be saved; absent ones do not change. */
export type ProgramRulesInput = Partial<Omit<ProgramRules, 'fraud' | 'minPayout' | 'approvalAbove'>> & {
  readonly minPayout?: string | number;
  readonly approvalAbove?: string | number | null;
  readonly fraud?: Partial<ProgramRules['fraud']>;
};

type SavedRules = Partial<Omit<ProgramRules, 'fraud'>> & { readonly fraud?: Partial<ProgramRules['fraud']> };

/** The rules from the host's options; a saved setting replaces them unless it is locked. */
export function defaultRules({
  clawback,
  refundFlat,
  stalePendingDays,
  payouts,
  fraud,
}: ResolvedOptions): ProgramRules {
  return {
    clawback,
    refundFlat,
    stalePendingDays,
    minPayout: payouts.minPayout ?? 0,
    approvalAbove: payouts.approvalAbove ?? null,
    requirePaymentDetails: payouts.requirePaymentDetails,
    fraud,
  };
}

/** The rules that apply: the stored value of each, else the option; locked ones are always the option's. */
export function effectiveRules(options: ResolvedOptions, stored: SavedRules): ProgramRules {
  const defaults = defaultRules(options);
  const free = Object.fromEntries(
    Object.entries(stored).filter(
      ([name, value]) => value !== undefined && !options.locked.includes(name as RuleName),
    ),
  ) as SavedRules;
  return { ...defaults, ...free, fraud: { ...defaults.fraud, ...free.fraud } };
}

/** Saves the sent rules, resets those in `reset` to the options, and leaves the others as they are. */
export async function saveRules(
  {
    app,
    settings,
    currency,
  }: { readonly app: Deps; readonly settings: SettingsSnapshot; readonly currency: string },
  input: ProgramRulesInput,
  reset: readonly RuleName[],
): Promise<ProgramRules> {
  const stored = await settings.read<SavedRules>(PROGRAM_RULES, {});
  const before = effectiveRules(app.options, stored);
  const sent = rounded(input, currency);
  refuseLocked(app.options.locked, before, sent);
  const kept = Object.fromEntries(
    Object.entries({ ...stored, ...sent }).filter(([name]) => !reset.includes(name as RuleName)),
  ) as SavedRules;
  const fraud = reset.includes('fraud') ? {} : { fraud: { ...stored.fraud, ...sent.fraud } };
  const next: SavedRules = { ...kept, ...fraud };
  const after = effectiveRules(app.options, next);
  await app.transaction(async (trx, afterCommit) => {
    await settings.write(trx, afterCommit, PROGRAM_RULES, next);
    await app.audit.write(trx, 'settings.program_rules', ['settings', null], { before, after });
    afterCommit(() =>
      app.hooks.doAction('settings_updated', PROGRAM_RULES, after, before, app.context.current().user),
    );
  });
  return after;
}

// Amounts are checked with the decimals of the program's currency.
function rounded(input: ProgramRulesInput, currency: string): ProgramRulesInput {
  const amount = (value: string | number): number => {
    const minor = parseAmount(value, currency);
    return minor === null ? fail('amount_overflow') : toWire(minor, currency);
  };
  return {
    ...input,
    ...(input.minPayout === undefined ? {} : { minPayout: amount(input.minPayout) }),
    ...(input.approvalAbove === undefined || input.approvalAbove === null
      ? {}
      : { approvalAbove: amount(input.approvalAbove) }),
  };
}

/** A form may send a locked rule back unchanged. */
function refuseLocked(locked: readonly RuleName[], now: ProgramRules, sent: ProgramRulesInput): void {
  const differs = (name: RuleName): boolean =>
    name === 'fraud'
      ? Object.entries(sent.fraud ?? {}).some(
          ([rule, value]) => JSON.stringify(value) !== JSON.stringify(now.fraud[rule as 'selfReferral']),
        )
      : sent[name] !== undefined && sent[name] !== now[name];
  const changed = RULE_NAMES.filter((name) => locked.includes(name) && differs(name));
  if (changed.length > 0) fail('setting_locked', { data: { locked: changed.map(wireName) } });
}

const renamed = (map: object, rename: (name: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [rename(name), value]));

export const presentRules = (rules: ProgramRules): RulesDto => ({
  clawback: rules.clawback,
  refund_flat: rules.refundFlat,
  stale_pending_days: rules.stalePendingDays,
  min_payout: rules.minPayout,
  approval_above: rules.approvalAbove,
  require_payment_details: rules.requirePaymentDetails,
  fraud: renamed(rules.fraud, wireName),
});

/** The checked body of the route, with the names of the options. */
export const readRules = ({ fraud, ...body }: { readonly fraud?: object }): ProgramRulesInput => ({
  ...renamed(body, codeName),
  ...(fraud && { fraud: renamed(fraud, codeName) }),
});

// the schema of the body allows only these
export const ruleName = (name: string): RuleName => codeName(name) as RuleName;
