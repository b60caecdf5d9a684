import { t } from '../../shared/texts.js';
import { newDraft, type Draft } from './draft.js';

export interface Template {
  readonly key: string;
  readonly name: string;
  readonly about: string;
  readonly rules: readonly Partial<Draft>[];
}

const row = (fact: string, op: string, value: string): Draft['rows'][number] => ({ fact, op, value });

/** Templates for rules. Their numbers are examples. */
export const templates = (): readonly Template[] => [
  {
    key: 'percent',
    name: t('Percent on everything'),
    about: t('One rate for every sale and every renewal.'),
    rules: [
      { key: 'sales', title: t('Every sale'), value: '20' },
      { key: 'renewals', title: t('Every renewal'), event: 'renewal', value: '20' },
    ],
  },
  {
    key: 'renewals',
    name: t('First order and renewals for 12 months'),
    about: t('More for the first order, less for renewals of a year.'),
    rules: [
      {
        key: 'first-order',
        title: t('First order'),
        value: '30',
        rows: [row('customer.is_new', 'eq', 'yes')],
      },
      { key: 'later-orders', title: t('Later orders'), value: '10' },
      { key: 'renewals', title: t('Renewals for a year'), event: 'renewal', value: '10', months: '12' },
    ],
  },
  {
    key: 'tiers',
    name: t('Tiered by monthly sales'),
    about: t('The rate grows with the sales of the month.'),
    rules: [
      {
        key: 'from-50',
        title: t('From 50 sales'),
        value: '25',
        rows: [row('affiliate.sales_month', 'gte', '50')],
      },
      {
        key: 'from-10',
        title: t('From 10 sales'),
        value: '20',
        rows: [row('affiliate.sales_month', 'gte', '10')],
      },
      { key: 'start', title: t('To start with'), value: '15' },
    ],
  },
  {
    key: 'new-customers',
    name: t('New customers only'),
    about: t('Nothing for customers who have bought before.'),
    rules: [
      { key: 'new', title: t('New customers'), value: '20', rows: [row('customer.is_new', 'eq', 'yes')] },
      { key: 'others', title: t('Known customers'), kind: 'none' },
    ],
  },
  {
    key: 'products',
    name: t('Product exceptions'),
    about: t('Some products earn more, others nothing.'),
    rules: [
      {
        key: 'more',
        title: t('Best sellers'),
        value: '30',
        rows: [row('each_item.category', 'in', 'best-sellers')],
      },
      {
        key: 'nothing',
        title: t('Sale items'),
        kind: 'none',
        rows: [row('each_item.category', 'in', 'sale')],
      },
      { key: 'rest', title: t('Everything else'), value: '15' },
    ],
  },
  {
    key: 'leads',
    name: t('Lead and sale'),
    about: t('A fixed amount for a lead and its first payment, a share of each sale.'),
    rules: [
      { key: 'lead', title: t('Lead'), event: 'lead', kind: 'flat', value: '2' },
      { key: 'paying', title: t('Lead that pays'), event: 'activation', kind: 'flat', value: '5' },
      { key: 'sales', title: t('Every sale'), value: '15' },
    ],
  },
  {
    key: 'bonus',
    name: t('Bonus for ten sales'),
    about: t('A share of each sale and a bonus for ten sales in a month.'),
    rules: [
      { key: 'sales', title: t('Every sale'), value: '20' },
      {
        key: 'ten-sales',
        title: t('Ten sales'),
        event: 'bonus',
        kind: 'flat',
        value: '100',
        goal: { metric: 'sales', at_least: '10', window: 'month', repeat: 'each_window' },
      },
    ],
  },
];

export const draftsOfTemplate = ({ rules }: Template): readonly Draft[] =>
  rules.map((rule) => newDraft([], rule));
