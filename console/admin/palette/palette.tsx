import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useBoot, type Boot } from '../../shared/boot.js';
import { useRead } from '../../shared/data.js';
import { money } from '../../shared/money.js';
import { lazyPart } from '../../shared/lazy-component.js';
import type { NavGroup } from '../../shared/navigation.js';
import { t } from '../../shared/texts.js';
import type { Hit } from './hit.js';

// Loaded after the window is open.
const LaterHits = lazyPart(() => import('./later-hits.js'), 'LaterHits', null);

/** Searches screens, settings, actions, affiliates, customers, commissions by order number, and payouts. */
export function Palette({
  groups,
  onClose,
}: {
  readonly groups: readonly NavGroup[];
  readonly onClose: () => void;
}): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const [later, setLater] = useState<readonly Hit[]>([]);
  const hits = useHits(text.trim(), groups, later);
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    onClose();
    if (hit.run) hit.run();
    else go(hit.href);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={560}
      centered={false}
      yOffset="12vh"
      title={<span className="fa-hidden">{t('Search everything')}</span>}
      classNames={{ header: 'fa-no-head' }}
    >
      <LaterHits onFound={setLater} />
      <TextInput
        className="fa-palette-input"
        variant="unstyled"
        leftSection={<IconSearch size={18} />}
        leftSectionWidth={48}
        placeholder={t('Screens, actions, affiliates, orders, payouts')}
        aria-label={t('Search everything')}
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="fa-palette-hits"
        aria-activedescendant={hits.length > 0 ? `fa-hit-${Math.min(at, hits.length - 1)}` : undefined}
        data-autofocus
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt((now) => Math.min(hits.length - 1, now + 1));
          else if (event.key === 'ArrowUp') setAt((now) => Math.max(0, now - 1));
          else if (event.key === 'Enter') open(hits[Math.min(at, hits.length - 1)]);
          else return;
          event.preventDefault();
        }}
      />
      <div className="fa-palette-list" role="listbox" id="fa-palette-hits" aria-label={t('Found')}>
        {hits.map((hit, index) => (
          <div
            key={hit.href}
            id={`fa-hit-${index}`}
            role="option"
            aria-selected={index === Math.min(at, hits.length - 1)}
            tabIndex={-1}
            className="fa-palette-item"
            onMouseMove={() => setAt(index)}
            onClick={() => open(hit)}
            onKeyDown={() => {}}
          >
            {hit.title} <span className="fa-palette-kind">{hit.kind}</span>
          </div>
        ))}
        {hits.length === 0 && <div className="fa-menu-note">{t('No matches')}</div>}
      </div>
    </Modal>
  );
}

function useHits(text: string, groups: readonly NavGroup[], later: readonly Hit[]): readonly Hit[] {
  const { rights } = useBoot();
  const [search] = useDebouncedValue(text, 200);
  const records = useRecords(search, rights);
  const screens = [...screenHits(groups), ...actions(rights)];
  if (text === '') return screens;
  const named = ({ title, words = '' }: Hit): boolean =>
    `${title}\n${words}`.toLowerCase().includes(text.toLowerCase());
  return [...[...screens, ...later].filter(named), ...(search === '' ? [] : records)];
}

interface Named {
  readonly user?: { readonly full_name: string } | null;
}

/** "Customer · Alice Doe": a search for an affiliate finds the records of the affiliate, too. */
const kindOf = (kind: string, affiliate: Named | null | undefined): string =>
  affiliate?.user?.full_name ? `${kind} · ${affiliate.user.full_name}` : kind;

/** Matching affiliates, commissions, customers and payouts. */
function useRecords(search: string, rights: Rights): readonly Hit[] {
  const query = { search: search.replace(/^#/, ''), per_page: 5 }; // shops write order numbers as "#1042"
  const when = (may: boolean): { enabled: boolean } => ({ enabled: search !== '' && may });
  const seesAffiliates = rights.affiliates !== 'none';
  const seesReferrals = rights.referrals !== 'none';
  const affiliates = useRead('affiliates.list', { query }, when(seesAffiliates));
  const referrals = useRead('referrals.list', { query }, when(seesReferrals));
  const customers = useRead('customers.list', { query }, when(seesAffiliates && seesReferrals));
  const payouts = useRead('payouts.list', { query }, when(rights.payouts !== 'none'));
  return [
    ...rowsOf(affiliates.data?.affiliates).map(({ id, user, payment_email }) => ({
      href: `/affiliates/${id}`,
      title: `${user?.full_name || payment_email || ''} #${id}`,
      kind: t('Affiliate'),
    })),
    ...rowsOf(referrals.data?.referrals).map((row) => ({
      href: `/referrals/${row.id}`,
      title: [row.provider_id, row.description, money(row.amount, row.currency)].filter(Boolean).join(' · '),
      kind: kindOf(t('Commission {id}', { id: row.id }), row.affiliate),
    })),
    ...rowsOf(customers.data?.customers).map(({ id, full_name: name, email, affiliate }) => ({
      href: `/customers/${id}`,
      title: name || email || `#${id}`,
      kind: kindOf(t('Customer'), affiliate),
    })),
    ...rowsOf(payouts.data?.payouts).map(({ id, title }) => ({
      href: `/payouts/${id}`,
      title,
      kind: t('Payout'),
    })),
  ];
}

const rowsOf = <Row,>(page: { readonly data: readonly Row[] } | undefined): readonly Row[] =>
  page?.data ?? [];

type Rights = Boot['rights'];

const screenHits = (groups: readonly NavGroup[]): Hit[] =>
  groups.flatMap(({ items }) => items).map(({ href, label }) => ({ href, title: label, kind: t('Screen') }));

/** Actions available on every screen. */
function actions(rights: Rights): Hit[] {
  const kind = t('Action');
  const [affiliates, referrals, payouts] = (['affiliates', 'referrals', 'payouts'] as const).map(
    (section) => rights[section] === 'write',
  );
  return [
    ...(payouts ? [{ href: '/payouts/new', title: t('New payout'), kind }] : []),
    ...(rights.messages
      ? [
          { href: '/messages?tab=invitations&open=invite', title: t('Invite affiliates'), kind },
          { href: '/messages?open=new', title: t('New message'), kind },
        ]
      : []),
    ...(affiliates
      ? [
          { href: '/affiliates?open=new', title: t('New affiliate'), kind },
          {
            href: '/affiliates?status=pending',
            title: t('Applications to decide'),
            words: `${t('Approve')}\n${t('Reject')}`,
            kind,
          },
          { href: '/coupons?open=new', title: t('Assign a coupon'), words: t('New coupon'), kind },
        ]
      : []),
    ...(referrals ? [{ href: '/referrals?open=new', title: t('New commission'), kind }] : []),
    ...(rights.settings
      ? [
          { href: '/groups?open=new', title: t('New group'), kind },
          { href: '/creatives?open=new', title: t('New creative'), kind },
          { href: '/links?open=new', title: t('New short link'), kind },
          { href: '/guide', title: t('Going live'), kind },
        ]
      : []),
  ];
}
