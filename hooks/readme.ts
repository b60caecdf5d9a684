import type { Line } from '../src/platform/hooks/line.js';
import { catalog, hookNames } from './catalog.js';

const INTRO = `# Hooks

Extensions listen to actions and change values through filters. This file is written from each module's \`hooks.ts\` by \`npm run docs\`.

\`\`\`ts
service.hooks.addFilter('commission.amount', (minor, { affiliate }) => (affiliate.id === 7 ? minor * 2 : minor), { name: 'double-seven', priority: 20 });
const untap = service.hooks.addAction('affiliate_service/referral.created', (referral, ctx) => queue.push(referral.id));
service.hooks.addAction('group.deleting', (group) => {
  if (group.meta_key === 'VIP') throw new HookVeto('The VIP group stays.');
});
\`\`\`

| Question | Answer |
|---|---|
| Names | Use the first name of a row: it reads like the events of docs/events.md. The second one is the older name, often that of the WordPress plugin FluentAffiliate. It works too. Both can begin with \`<hookPrefix>/\`. An unknown name is refused with the nearest known one; \`hooks.declare({ 'shop/packed': after<[id: number]>(['id'], '…') })\` adds your own. |
| Order | Lower \`priority\` runs first (default 10); equal ones run in the order they were added. |
| Arguments | Frozen copies; the last argument is \`ctx\`: \`{ user, requestId, source, access?, counts?, service }\`. |
| Before actions, filters | Run before anything is written. A throw stops the operation: a \`HookVeto(message, status = 422)\` is answered as \`hook_aborted\` with its text, any other error as a 500. |
| After actions | Run after the commit. A failure is logged with the names of hook and tap; the next tap still runs and the answer does not change. |
| Filter answers | \`undefined\` keeps the value, \`null\` replaces it. Return a new value instead of changing the one you got. An answer in another form than documented stops the operation (\`HookResultError\`); access filters ignore it. |
| Filters of what is only shown | Marked *shown*. A tap that throws, or answers in another form than documented, is logged and left out. |
| Amounts | Whole numbers of minor units (cents); rates are × 10 000, so 12.5 % is 125000. |
| Removal | \`add…\` returns a function that removes the tap; \`removeAction(name, tapName or function)\` does the same. |
| Nesting | A tap may call the service, which may fire further hooks; more than 10 levels are refused. |
| Node | The hooks are compiled (by tapable), so Node must not run with \`--disallow-code-generation-from-strings\`. |
`;

/** The chapters, and the subjects with which the names of their hooks begin. */
const CHAPTERS: readonly (readonly [title: string, ...subjects: string[]])[] = [
  ['Affiliates and customers', 'affiliate', 'customer'],
  ['Groups', 'group'],
  ['Referrals and commissions', 'referral', 'balance', 'order', 'commission'],
  ['Payouts', 'payout', 'payout_transaction'],
  ['Creatives', 'creative'],
  ['Portal and registration', 'portal', 'screen', 'registration'],
  ['Tracking', 'tracking', 'visit', 'fraud'],
  ['Access', 'access', 'manager', 'audit'],
  ['Integrations and imports', 'provider', 'import', 'site'],
];
/** For all other subjects. */
const LAST_CHAPTER = 'Settings, mails and reports';

/** The text of hooks/README.md. */
export function hooksReadme(): string {
  const names = Object.keys(hookNames) as HookName[];
  const taken = CHAPTERS.flatMap(([, ...subjects]) => subjects);
  const others = [...new Set(names.map(subjectOf))].filter((subject) => !taken.includes(subject));
  const parts = [...CHAPTERS, [LAST_CHAPTER, ...others]].map(([title, ...subjects]) => {
    const rows = subjects.flatMap((subject) => names.filter((name) => subjectOf(name) === subject)).map(row);
    return `\n## ${title}\n\n| Name | Kind | Arguments | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRO + parts.join('');
}

const subjectOf = (name: string): string => name.split('.')[0] ?? name;

type HookName = keyof typeof hookNames;

function row(name: HookName): string {
  const fired = hookNames[name];
  const line: Line = catalog[fired];
  const summary = line.summary + values(line) + shown(line);
  return `| \`${name}\`<br>\`${fired}\` | ${line.kind} | ${args(line)} | ${summary} |`;
}

const args = (line: Line): string =>
  [...(line.kind === 'filter' ? ['value'] : []), ...line.args].map((name) => `\`${name}\``).join(', ') || '–';

const values = ({ options }: Line): string =>
  options.values === undefined ? '' : ` One of: ${options.values.map((value) => `\`${value}\``).join(', ')}.`;

const shown = (line: Line): string =>
  line.kind === 'filter' && line.options.shown === true ? ' *Shown.*' : '';
