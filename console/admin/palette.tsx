import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useBoot } from '../shared/boot.js';
import { useRead } from '../shared/data.js';
import { money } from '../shared/money.js';
import { t } from '../shared/texts.js';
import { navigation } from './screens.js';

interface Hit {
  readonly href: string;
  readonly title: string;
  readonly kind: string;
}

/** Finds screens, affiliates, referrals by order number, and payouts. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, go] = useLocation();
  const hits = useHits(text.trim());
  const open = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    onClose();
    go(hit.href);
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
      <TextInput
        className="fa-palette-input"
        variant="unstyled"
        leftSection={<IconSearch size={18} />}
        leftSectionWidth={48}
        placeholder={t('Screens, affiliates, orders, payouts')}
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
        {hits.length === 0 && <div className="fa-menu-note">{t('Nothing matches')}</div>}
      </div>
    </Modal>
  );
}

function useHits(text: string): readonly Hit[] {
  const { rights } = useBoot();
  const [search] = useDebouncedValue(text, 200);
  const enabled = search.length > 0;
  const query = { search, per_page: 5 };
  const affiliates = useRead(
    'affiliates.list',
    { query },
    { enabled: enabled && rights.affiliates !== 'none' },
  );
  const referrals = useRead('referrals.list', { query }, { enabled: enabled && rights.referrals !== 'none' });
  const payouts = useRead('payouts.list', { query }, { enabled: enabled && rights.payouts !== 'none' });
  const screens = navigation(rights)
    .flatMap(({ items }) => items)
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ href, label }) => ({ href, title: label, kind: t('Screen') }));
  if (!enabled) return screens;
  return [
    ...screens,
    ...(affiliates.data?.affiliates.data ?? []).map(({ id, user, payment_email }) => ({
      href: `/affiliates/${id}`,
      title: `${user?.full_name || payment_email || ''} #${id}`,
      kind: t('Affiliate'),
    })),
    ...(referrals.data?.referrals.data ?? []).map(({ id, description, amount, currency, provider_id }) => ({
      href: `/referrals/${id}`,
      title: `${description || `#${id}`}${provider_id ? ` · ${String(provider_id)}` : ''} · ${money(amount, currency)}`,
      kind: t('Referral'),
    })),
    ...(payouts.data?.payouts.data ?? []).map(({ id, title }) => ({
      href: `/payouts/${id}`,
      title,
      kind: t('Payout'),
    })),
  ];
}
