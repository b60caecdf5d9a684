import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useBoot } from '../../shared/boot.js';
import { useRead, type ResponseOf } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { stateText } from '../../shared/money-states.js';
import { Panel } from '../../shared/parts.js';
import { number, t } from '../../shared/texts.js';

/** A site that reported before, but not in the last week. */
const SILENT_MS = 7 * 86_400_000;

interface DashboardQuery {
  readonly data: ResponseOf<'reports.dashboard'> | undefined;
}

interface Item {
  readonly href: string;
  readonly label: string;
  readonly count: number;
  /** Shown instead of the count. */
  readonly text?: string;
}

/** Tasks that need a manager. */
export function ToDo({ reading }: { reading: DashboardQuery }): ReactNode {
  const items = [...usePaymentItems(), ...useProgramItems(reading), ...useTechnicalItems()].filter(
    ({ count }) => count > 0,
  );
  return (
    <Panel title={t('To do')}>
      {items.length === 0 ? (
        <p className="fa-about">
          {t('All caught up')}. {t('Applications, suspicions and sums to pay appear here.')}
        </p>
      ) : (
        <ul className="fa-todo">
          {items.map(({ href, label, count, text = number(count) }) => (
            <li key={label}>
              <Link href={href}>
                <span>{label}</span>
                <strong className="fa-number">{text}</strong>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const ONE = { per_page: 1 };
const totalOf = (page: { readonly total: number } | undefined): number => page?.total ?? 0;

function useProgramItems({ data }: DashboardQuery): readonly Item[] {
  const { rights } = useBoot();
  const stale = useRead('referrals.stale', { query: ONE }, { enabled: rights.referrals !== 'none' });
  const suspicions = useRead('settings.fraud_events', { query: ONE }, { enabled: rights.settings });
  const deletions = useRead(
    'affiliates.list',
    { query: { ...ONE, asks_deletion: 'yes' } },
    { enabled: rights.affiliates === 'write' },
  );
  const stats = data?.stats ?? {};
  const balances = useRead('reports.balances', undefined, { enabled: rights.payouts === 'write' });
  const [own, ...others] = balances.data?.balances ?? [];
  const payable = own?.payable ?? 0;
  return [
    {
      href: '/affiliates?status=pending',
      label: t('Applications to decide'),
      count: Number(stats['pending_affiliates']?.amount ?? 0),
    },
    {
      href: '/affiliates?asks_deletion=yes',
      label: t('Requests for deletion'),
      count: totalOf(deletions.data?.affiliates),
    },
    {
      href: '/referrals?tab=stale',
      label: t('Commissions that are on hold too long'),
      count: totalOf(stale.data?.referrals),
    },
    { href: '/suspicions', label: t('Suspicious orders'), count: totalOf(suspicions.data?.events) },
    { href: '/payouts/new', label: stateText('payable'), count: Math.max(0, payable), text: money(payable) },
    ...others.map(({ currency, payable: sum }) => ({
      href: '/payouts/new',
      label: t('{state}, in {currency}', { state: stateText('payable'), currency }),
      count: Math.max(0, sum),
      text: money(sum, currency),
    })),
  ];
}

/** Payments that need attention and differences to payers, apart from those of a sandbox; links open the oldest. */
function usePaymentItems(): readonly Item[] {
  const { rights } = useBoot();
  const { data } = useRead('payers.to_do', undefined, { enabled: rights.payouts === 'write' });
  const { payments, findings } = data ?? { payments: [], findings: [] };
  const itemOf = (label: string, waiting: readonly { readonly payout_id: number | null }[]): Item => {
    const payout = waiting.at(-1)?.payout_id ?? null;
    return {
      href: payout === null ? '/payouts' : `/payouts/${payout}?tab=sending`,
      label,
      count: waiting.length,
    };
  };
  return [
    itemOf(t('Payments that need attention'), [...payments.filter(({ sandbox }) => !sandbox), ...findings]),
    itemOf(
      `${t('Payments that need attention')} (${t('Sandbox')})`,
      payments.filter(({ sandbox }) => sandbox),
    ),
  ];
}

function useTechnicalItems(): readonly Item[] {
  const { rights } = useBoot();
  const dead = { query: { ...ONE, status: 'dead' } } as const;
  const failedMails = useRead('system.outbox', dead, { enabled: rights.administrator });
  const failedDeliveries = useRead('integrations.deliveries', dead, { enabled: rights.settings });
  const sites = useRead('sites.config', undefined, { enabled: rights.settings });
  const silent = (sites.data?.config.sites ?? []).filter(
    ({ status, last_seen_at: seen }) =>
      status === 'active' && seen !== null && Date.parse(seen) < Date.now() - SILENT_MS,
  );
  return [
    {
      href: '/system?tab=outbox&status=dead',
      label: t('Messages that failed'),
      count: failedMails.data?.entries.total ?? 0,
    },
    {
      href: '/system?tab=inbox&in-status=dead',
      label: t('Shop events that failed'),
      count: failedDeliveries.data?.deliveries.total ?? 0,
    },
    { href: '/settings/sites', label: t('Connected sites that stopped reporting'), count: silent.length },
  ];
}
