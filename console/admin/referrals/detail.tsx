import { Button, Select, TextInput } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useOpenRecord } from '../../shared/address.js';
import { confirmFirst } from '../../shared/confirm.js';
import { useBoot, useMay } from '../../shared/boot.js';
import { ConfirmButton } from '../../shared/buttons.js';
import { useWrite } from '../../shared/data.js';
import { DateTime } from '../../shared/dates.js';
import { FormFrame, useForm } from '../../shared/form.js';
import { lazyPart } from '../../shared/lazy-component.js';
import { money, Money } from '../../shared/money.js';
import { CommissionAmount, settableChoices, StateMark, stateText } from '../../shared/money-states.js';
import { UrlDialog } from '../../shared/url-dialog.js';
import { QueryView } from '../../shared/query-view.js';
import { DialogSum } from '../../shared/sums.js';
import { AmountInput, parseInput, formatInput } from '../../shared/typed.js';
import { ActionMenuButton } from '../../shared/lazy-menu.js';
import { AppLink, Facts, PageHead, Panel, Waiting } from '../../shared/parts.js';
import { Sheet } from '../../shared/sheet.js';
import { subIdFacts } from '../../shared/sub-ids.js';
import { t, word } from '../../shared/texts.js';
import { hostOf, pathOf } from '../affiliates/tabs.js';
import { AffiliateLink } from '../people.js';
import { reasonText } from '../reasons.js';
import { loadGiving } from '../lazy-parts.js';
import { referralName } from './name.js';
import { productsOf, type ReferralView } from './view.js';

// Loaded after the rest of the page.
const RuleList = lazyPart(() => import('../rule-list.js'), 'RuleList', <Waiting lines={2} />);
const Explanation = lazyPart(() => import('./explanation.js'), 'Explanation', <Waiting />);
const Timeline = lazyPart(() => import('./timeline.js'), 'Timeline', <Waiting />);
const GiveDialog = lazyPart(loadGiving, 'GiveDialog');
const History = lazyPart(() => import('../history.js'), 'History', <Waiting />);

export function Referral(): ReactNode {
  const { id } = useParams<{ id: string }>();
  return (
    <QueryView of="referrals.get" input={{ params: { id } }} fresh lines={8} page>
      {({ referral }) => <Detail referral={referral} />}
    </QueryView>
  );
}

const isOpen = (status: string): boolean => ['pending', 'unpaid', 'rejected'].includes(status);

/** The rules and rates that applied, in their version at that time. */
function Rules({ rules }: { rules: NonNullable<ReferralView['rules']> }): ReactNode {
  const { version } = rules;
  return (
    <Panel
      title={t('Rules and rates')}
      about={
        version === null
          ? t('As of the time the order was recorded.')
          : t('Version {version}, active when the order was recorded.', { version })
      }
    >
      <RuleList rules={rules} />
    </Panel>
  );
}

function Detail({ referral }: { referral: ReferralView }): ReactNode {
  const writes = useMay('referrals', 'write');
  const given = givenOf(referral);
  const may = writes && given.to === null && (isOpen(referral.status) || canGive(referral));
  const { administrator } = useBoot().rights;
  return (
    <>
      <PageHead
        back={{ href: '/referrals', label: t('Commissions') }}
        title={referralName(referral)}
        badge={<StateMark of={referral.state} />}
        about={sentenceOf(referral)}
        actions={may && <Actions referral={referral} />}
      />
      <div className="fa-split-wide">
        <div className="fa-stack">
          <Panel title={t('Why this amount')} about={t('How the commission was calculated, step by step.')}>
            <Explanation referral={referral} />
          </Panel>
          {referral.order !== null && (
            <Panel title={t('What happened')}>
              <Timeline order={referral.order} />
            </Panel>
          )}
          {referral.rules !== null && <Rules rules={referral.rules} />}
          {referral.products !== null && referral.products.length > 0 && (
            <Panel title={t('Products')} flush>
              <Sheet
                plain
                rows={[...productsOf(referral).entries()]}
                rowKey={([at]) => at}
                columns={[
                  { label: t('Product'), cell: ([, { title, item_id: id }]) => title || String(id ?? '') },
                  {
                    label: t('Total'),
                    end: true,
                    cell: ([, { total, subtotal }]) => (
                      <Money amount={total ?? subtotal ?? null} currency={referral.currency} />
                    ),
                  },
                ]}
              />
            </Panel>
          )}
        </div>
        <div className="fa-stack">
          <Panel title={t('Commission')}>
            <Facts facts={factsOf(referral)} />
          </Panel>
          {referral.customer !== null && <Customer customer={referral.customer} />}
          {referral.visit !== null && <Click visit={referral.visit} />}
        </div>
      </div>
      {administrator && (
        <div className="fa-below">
          <Panel title={t('History')} about={t('Who changed this commission, and when.')} flush>
            <History object="referral" id={String(referral.id)} currency={referral.currency} />
          </Panel>
        </div>
      )}
    </>
  );
}

const canGive = ({ order, status }: ReferralView): boolean =>
  order !== null && (isOpen(status) || status === 'paid');

interface Side {
  readonly affiliate_id: number;
  readonly referral_id?: number;
}
/** The other commission of an order that was moved to another affiliate. */
function givenOf({ settings }: ReferralView): { readonly from: Side | null; readonly to: Side | null } {
  const side = (name: string): Side | null => (settings?.[name] as Side | undefined) ?? null;
  return { from: side('given_from'), to: side('given_to') };
}

function MovedCommission({ of: { affiliate_id: id, referral_id: referral } }: { of: Side }): ReactNode {
  return (
    <>
      <AffiliateLink id={id} />
      {referral !== undefined && (
        <>
          {' · '}
          <AppLink href={`/referrals/${referral}`}>#{referral}</AppLink>
        </>
      )}
    </>
  );
}

/** Why the commission is rejected or on hold. */
function sentenceOf(referral: ReferralView): string | undefined {
  if (givenOf(referral).to !== null) return t('The order belongs to another affiliate.');
  const { settings } = referral;
  const why = settings?.['reason'] ?? settings?.['rejected_reason'] ?? settings?.['waits_for'];
  return typeof why === 'string' ? reasonText(why) : undefined;
}

const factsOf = (
  referral: ReferralView,
  { from, to } = givenOf(referral),
): ComponentProps<typeof Facts>['facts'] => [
  {
    label: t('Commission'),
    value: (
      <strong>
        <CommissionAmount of={referral} />
      </strong>
    ),
  },
  {
    label: t('Affiliate'),
    value: referral.affiliate_id === null ? t('Removed') : <AffiliateLink id={referral.affiliate_id} />,
  },
  to !== null && { label: t('Moved to'), value: <MovedCommission of={to} /> },
  from !== null && { label: t('Moved from'), value: <MovedCommission of={from} /> },
  { label: t('Type'), value: word(referral.type) },
  referral.provider !== null && { label: t('Shop'), value: word(referral.provider) },
  referral.provider_id !== null && { label: t('Order number'), value: <OrderLink referral={referral} /> },
  cameBy(referral),
  { label: t('Created'), value: <DateTime at={referral.created_at} full /> },
  referral.payable_at !== null && {
    label: t('Payable from'),
    value: <DateTime at={referral.payable_at} full />,
  },
  referral.payout !== null && {
    label: t('Payout'),
    value: <AppLink href={`/payouts/${referral.payout.id}`}>{referral.payout.title}</AppLink>,
  },
  referral.parent_id !== null && {
    label: t('First order'),
    value: <AppLink href={`/referrals/${referral.parent_id}`}>#{referral.parent_id}</AppLink>,
  },
];

/** What credits the affiliate with the order. */
function cameBy({ settings }: ReferralView): { readonly label: string; readonly value: ReactNode } | null {
  const source = settings?.['source'];
  const coupon = settings?.['coupon'];
  if (source === 'coupon' && typeof coupon === 'string')
    return {
      label: t('Came by'),
      value: (
        <AppLink href={`/coupons?q=${encodeURIComponent(coupon)}`}>
          {t('Coupon {code}', { code: coupon })}
        </AppLink>
      ),
    };
  const texts: Readonly<Record<string, string>> = {
    explicit: t('The shop named the affiliate'),
    coupon: t('A coupon'),
    visit: t('A click'),
    cookie: t('A click'),
    lifetime: t('A customer of the affiliate'),
    lead: t('A lead of the affiliate'),
  };
  const text = texts[typeof source === 'string' ? source : ''];
  return text === undefined ? null : { label: t('Came by'), value: text };
}

function Customer({ customer }: { customer: NonNullable<ReferralView['customer']> }): ReactNode {
  const mayOpen = useMay('affiliates', 'read');
  const name = customer.full_name || `#${customer.id}`;
  return (
    <Panel title={t('Customer')}>
      <Facts
        facts={[
          {
            label: t('Name'),
            value: mayOpen ? <AppLink href={`/customers/${customer.id}`}>{name}</AppLink> : name,
          },
          { label: t('Email'), value: customer.email },
          { label: t('Since'), value: <DateTime at={customer.created_at} /> },
        ]}
      />
    </Panel>
  );
}

function Click({ visit }: { visit: NonNullable<ReferralView['visit']> }): ReactNode {
  return (
    <Panel title={t('Click')}>
      <Facts
        facts={[
          { label: t('Page'), value: <span className="fa-wrap">{pathOf(visit.url)}</span> },
          { label: t('Came from'), value: hostOf(visit.referrer) },
          { label: t('Campaign'), value: visit.utm_campaign },
          ...subIdFacts(visit),
          { label: t('Time'), value: <DateTime at={visit.created_at} full /> },
        ]}
      />
    </Panel>
  );
}

function OrderLink({ referral }: { referral: ReferralView }): ReactNode {
  const text = String(referral.provider_id);
  return /^https?:/.test(referral.provider_url) ? (
    <a href={referral.provider_url} target="_blank" rel="noopener">
      {text}
    </a>
  ) : (
    text
  );
}

function Actions({ referral }: { referral: ReferralView }): ReactNode {
  const approve = useWrite('referrals.update', { quiet: true, done: t('Commission approved') });
  const reject = useWrite('referrals.update', { quiet: true, done: t('Commission rejected') });
  const askDelete = useDeleting(referral);
  const [opened, setOpened] = useOpenRecord();
  const open = isOpen(referral.status);
  const params = { id: referral.id };
  const sum = money(referral.amount, referral.currency);
  return (
    <>
      {open && referral.status !== 'unpaid' && (
        <ConfirmButton
          question={{
            title: t('Approve this commission?'),
            text: <DialogSum sum={sum}>{t('It becomes payable with the next payout.')}</DialogSum>,
            yes: t('Approve'),
            run: () => approve.run({ params, body: { status: 'unpaid' } }),
          }}
        >
          {t('Approve')}
        </ConfirmButton>
      )}
      {open && referral.status !== 'rejected' && (
        <ConfirmButton
          variant="default"
          question={{
            title: t('Reject this commission?'),
            danger: true,
            text: <DialogSum sum={sum}>{t('It is not paid. It can be approved again later.')}</DialogSum>,
            yes: t('Reject'),
            ...(referral.order !== null && {
              reason: {
                label: t('Reason, stored with the order'),
                share: t('Show the reason to the affiliate'),
              },
            }),
            run: (reason, isShared) =>
              reject.run({
                params,
                body: { status: 'rejected', ...(reason !== '' && { reason, show_reason: isShared }) },
              }),
          }}
        >
          {t('Reject')}
        </ConfirmButton>
      )}
      <ActionMenuButton
        button={
          <Button variant="default" px={9} aria-label={t('More')}>
            <IconDots size={16} />
          </Button>
        }
        actions={[
          ...(open ? [{ label: t('Edit'), run: () => setOpened('edit') }] : []),
          ...(referral.order === null
            ? []
            : [{ label: t('Move this order to …'), run: () => setOpened('give') }]),
          ...(open ? [{ label: t('Delete'), run: askDelete, danger: true }] : []),
        ]}
      />
      <UrlDialog name="edit" title={t('Edit commission')}>
        {(close) => <EditForm referral={referral} onClose={close} />}
      </UrlDialog>
      {opened === 'give' && <GiveDialog referral={referral} />}
    </>
  );
}

/** Asks before the commission is deleted. */
function useDeleting(referral: ReferralView): () => void {
  const remove = useWrite('referrals.delete', { quiet: true });
  const [, go] = useLocation();
  return () =>
    confirmFirst({
      title: t('Delete this commission?'),
      danger: true,
      text: (
        <DialogSum sum={money(referral.amount, referral.currency)}>
          {t('The commission is permanently deleted.')}
        </DialogSum>
      ),
      yes: t('Delete'),
      run: async () => {
        await remove.run({ params: { id: referral.id } });
        go('/referrals');
      },
    });
}

/** Statuses a manager can set; others have no form. */
type SettableStatus = 'pending' | 'unpaid' | 'rejected';

/** Warns that a commission is higher than its order. */
function aboveOrder({ order_total: total, currency }: ReferralView, amount: number): string | null {
  if (total === null || amount <= total) return null;
  return t('The commission of {amount} is higher than its order of {total}. Is that what you want?', {
    amount: money(amount, currency),
    total: money(total, currency),
  });
}

function EditForm({ referral, onClose }: { referral: ReferralView; onClose: () => void }): ReactNode {
  const update = useWrite('referrals.update', { quiet: true });
  const { program } = useBoot();
  const currency = referral.currency ?? program.currency;
  const form = useForm(
    {
      amount: formatInput(referral.amount, currency),
      status: referral.status as SettableStatus,
      description: referral.description ?? '',
      reason: '',
    },
    async (_values, changed) => {
      await update.run({ params: { id: referral.id }, body: changed });
      onClose();
    },
    undefined,
    {
      figures: (values) => [
        {
          field: 'amount',
          label: t('Commission'),
          typed: values.amount,
          unit: currency,
          signed: referral.amount < 0,
        },
      ],
      asks: (values, changes) =>
        changes.length === 0
          ? null
          : { changes, warning: aboveOrder(referral, Number(parseInput(values.amount, currency))) },
    },
  );
  const amount = parseInput(form.values.amount, currency);
  const changed =
    amount !== null && Number(amount) !== referral.amount && (Number(amount) >= 0 || referral.amount < 0);
  return (
    <FormFrame
      form={form}
      yes={changed ? t('Change to {amount}', { amount: money(amount, referral.currency) }) : t('Save')}
      onCancel={onClose}
    >
      <AmountInput
        label={t('Commission')}
        {...(referral.currency && { unit: referral.currency })}
        data-autofocus
        {...form.field('amount')}
      />
      <Select
        label={t('Status')}
        data={settableChoices().map((choice) =>
          choice.value === 'unpaid' && referral.state === 'waiting'
            ? { ...choice, label: stateText('waiting') }
            : choice,
        )}
        {...form.choice('status')}
      />
      <TextInput
        label={t('Description')}
        description={t('The affiliate reads this.')}
        {...form.text('description')}
      />
      {referral.order !== null && (
        <TextInput
          label={t('Reason')}
          description={t('Stored with the order. The affiliate does not see it.')}
          {...form.text('reason')}
        />
      )}
    </FormFrame>
  );
}
