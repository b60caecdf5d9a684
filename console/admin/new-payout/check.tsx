import { Button, Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../shared/address.js';
import { useBoot } from '../../shared/boot.js';
import { useWrite } from '../../shared/data.js';
import { readFigure } from '../../shared/figures.js';
import { money, Money } from '../../shared/money.js';
import { AmountInput, howToWrite, formatInput } from '../../shared/typed.js';
import { Loaded, Empty, Figures, Panel, Problem, Status } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';
import { AffiliatePerson, nameOf } from '../people.js';
import { CreatingPayout } from '../payouts/running.js';
import { LeftOut } from './left-out.js';
import { usePreview, type Config, type Preview } from './preview.js';

interface Props {
  readonly plan: Config;
  readonly onBack: () => void;
}

/** Preview of the payout per affiliate, where affiliates can be excluded. */
export function Check({ plan, onBack }: Props): ReactNode {
  const { program } = useBoot();
  const reading = usePreview(plan);
  return (
    <Loaded of={reading} lines={8}>
      {(preview) =>
        preview.payable_affiliates_count === 0 ? (
          <Panel>
            <Empty
              title={t('Nothing is due')}
              text={
                preview.unpaid.some(({ reason }) => reason === 'other_currency')
                  ? t(
                      'What is owed is in another currency. Payouts are made in {currency}, the currency of the program.',
                      { currency: program.currency },
                    )
                  : t('No affiliate reaches the minimum in this range. Choose other days or a lower minimum.')
              }
              action={
                <Button variant="default" onClick={onBack}>
                  {t('Change the range')}
                </Button>
              }
            />
            <LeftOut preview={preview} />
          </Panel>
        ) : (
          <Selection plan={plan} all={preview} isOld={reading.isPlaceholderData} onBack={onBack} />
        )
      }
    </Loaded>
  );
}

type Row = Preview['payable_affiliates'][number];

/** Excluded affiliates are stored in the URL: by ID, or one word for all inactive ones. */
function useExcluded(rows: readonly Row[]) {
  const address = useAddress();
  const named = new Set(address.get('out').split('.').map(Number));
  const noInactive = address.get('inactive') === 'out';
  const isOut = ({ id, status }: Row): boolean => named.has(id) || (noInactive && status !== 'active');
  return {
    address,
    noInactive,
    isOut,
    kept: rows.filter((row) => !isOut(row)),
    toggle: ({ id }: Row, kept: boolean): void => {
      const next = rows.map((row) => row.id).filter((each) => (each === id ? !kept : named.has(each)));
      address.set({ out: next.join('.') }, { replace: true });
    },
  };
}

/** The plan without excluded affiliates, and its total. */
function useNarrowed(plan: Config, all: Preview, isOld: boolean) {
  const out = useExcluded(all.payable_affiliates);
  const isNobody = out.kept.length === 0;
  const isWhole = out.kept.length === all.payable_affiliates.length;
  const config = isWhole ? plan : { ...plan, affiliate_ids: out.kept.map(({ id }) => id) };
  const narrowed = usePreview(isWhole || isNobody ? null : config);
  const preview = isWhole ? all : narrowed.data;
  const isReading = isOld || (!isWhole && narrowed.isPlaceholderData);
  const paid = isNobody ? NOTHING : preview;
  return {
    out,
    config,
    narrowed,
    preview,
    ...figuresOf(paid, all.currency),
    canRun: canRun(paid, isReading),
  };
}

const NOTHING = { payable_total_amount: 0, payable_affiliates_count: 0, payable_referral_count: 0 };
type Paid = typeof NOTHING | Preview | undefined;

const canRun = (paid: Paid, isReading: boolean): boolean =>
  paid !== undefined && paid !== NOTHING && !isReading;

const figuresOf = (paid: Paid, currency: string): { sum: string; affiliates: number; referrals: number } => ({
  sum: money(paid?.payable_total_amount, currency),
  affiliates: paid?.payable_affiliates_count ?? 0,
  referrals: paid?.payable_referral_count ?? 0,
});

function Selection({
  plan,
  all,
  isOld,
  onBack,
}: Props & {
  readonly all: Preview;
  /** The plan has changed since the preview. */
  readonly isOld: boolean;
}): ReactNode {
  const process = useWrite('payouts.process', { quiet: true, later: true });
  const [, go] = useLocation();
  const { out, config, narrowed, preview, sum, affiliates, referrals, canRun } = useNarrowed(
    plan,
    all,
    isOld,
  );
  const run = async (): Promise<void> => {
    const { payout } = await process.run({
      body: { config: { ...config, preview_token: preview!.preview_token } },
    });
    go(`/payouts/${payout.id}`);
  };
  return (
    <div className="fa-stack">
      <Figures
        loading={out.kept.length > 0 && preview === undefined}
        figures={[
          { label: t('Total of this payout'), value: sum },
          { label: t('Affiliates'), value: number(affiliates) },
          { label: t('Commissions'), value: number(referrals) },
        ]}
      />
      <LeftOut preview={all} />
      {/* Rows that are not shown cannot be excluded. */}
      <Rows preview={all} out={all.truncated ? null : out} plan={plan} />
      {narrowed.error !== null && <Problem error={narrowed.error} again={() => void narrowed.refetch()} />}
      {process.error && <Problem error={process.error} again={onBack} />}
      {process.running && (
        <CreatingPayout
          referrals={referrals}
          text={t('You can leave this page. The payout appears in the list when it’s ready.')}
        />
      )}
      <div className="fa-form-buttons">
        <Button
          loading={process.running}
          disabled={!canRun}
          onClick={() => void run().catch(() => undefined)}
        >
          {t('Create payout of {amount}', { amount: sum })}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('Back')}
        </Button>
      </div>
    </div>
  );
}

function Rows({
  preview: { payable_affiliates: rows, currency, warnings },
  out,
  plan,
}: {
  preview: Preview;
  out: ReturnType<typeof useExcluded> | null;
  plan: Config;
}): ReactNode {
  const changed = new Set(
    warnings.flatMap(({ code, affiliate_id: id }) => (code === 'payee_changed' ? [id] : [])),
  );
  return (
    <Panel title={t('Preview')} flush>
      {out !== null && (
        <Narrow out={out} rows={rows} currency={currency} least={String(plan.min_payout ?? '')} />
      )}
      <div className="fa-list">
        <div className="fa-table-frame">
          <table className="fa-table">
            <thead>
              <tr>
                {out !== null && (
                  <th className="fa-check">
                    <span className="fa-hidden">{t('In this payout')}</span>
                  </th>
                )}
                <th scope="col">{t('Affiliate')}</th>
                <th scope="col" className="fa-end">
                  {t('Commissions')}
                </th>
                <th scope="col" className="fa-end">
                  {t('Amount')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, 500).map((row) => (
                <tr key={row.id} className={out?.isOut(row) ? 'fa-out' : ''}>
                  {out !== null && (
                    <td className="fa-check">
                      <Checkbox
                        aria-label={t('Pay {name}', { name: nameOf(row) })}
                        checked={!out.isOut(row)}
                        disabled={out.noInactive && row.status !== 'active'}
                        onChange={(event) => out.toggle(row, event.currentTarget.checked)}
                      />
                    </td>
                  )}
                  <td className="fa-cell-head">
                    <div className="fa-row">
                      <AffiliatePerson of={row} about={row.paid_to} />
                      {row.status !== 'active' && <Status of={row.status} />}
                      {changed.has(row.id) && (
                        <span className="fa-about fa-wrap">
                          {t('New payment details since the last payment')}
                        </span>
                      )}
                    </div>
                  </td>
                  <td className="fa-end fa-number" data-label={t('Commissions')}>
                    {number(row.payable_referral_count)}
                  </td>
                  <td className="fa-end" data-label={t('Amount')}>
                    <Money amount={row.total_payable_amount} currency={currency} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </Panel>
  );
}

/** Excludes all inactive affiliates, or all below an amount. */
function Narrow({
  out: { address, noInactive },
  rows,
  currency,
  least,
}: {
  out: ReturnType<typeof useExcluded>;
  rows: readonly Row[];
  currency: string;
  least: string;
}): ReactNode {
  const [typed, setTyped] = useState(formatInput(least, currency));
  const [error, setError] = useState<string | undefined>();
  const hasInactive = rows.some(({ status }) => status !== 'active');
  return (
    <form
      className="fa-narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const value = readFigure({ field: 'min', label: '', typed, unit: currency });
        if (typed.trim() !== '' && value === null) setError(howToWrite(currency));
        else address.set({ min: value }, { replace: true });
      }}
    >
      <AmountInput
        label={t('Skip below')}
        unit={currency}
        value={typed}
        error={error}
        onChange={(next) => {
          setError(undefined);
          setTyped(next);
        }}
      />
      <Button type="submit" variant="default">
        {t('Apply')}
      </Button>
      {hasInactive && (
        <Checkbox
          label={t('Skip inactive affiliates')}
          checked={noInactive}
          onChange={(event) =>
            address.set({ inactive: event.currentTarget.checked ? 'out' : null }, { replace: true })
          }
        />
      )}
    </form>
  );
}
