import type { Line } from '../src/platform/hooks/line.js';
import { catalog, hookNames } from './catalog.js';

const INTRO = `# Hooks

Listen to actions, and change values with filters. This file is generated from each module's \`hooks.ts\` by \`npm run docs\`.

\`\`\`ts
service.hooks.addFilter('commission.amount', (minor, { affiliate }) => (affiliate.id === 7 ? minor * 2 : minor), { name: 'double-seven', priority: 20 });
const untap = service.hooks.addAction('affiliate_service/referral.created', (referral, ctx) => queue.push(referral.id));
service.hooks.addAction('group.deleting', (group) => {
  if (group.meta_key === 'VIP') throw new HookVeto('The VIP group stays.');
});
\`\`\`

| Question | Answer |
|---|---|
| Names | Use the first name of a row. It follows the naming of docs/events.md. The second name is older, often from the WordPress plugin FluentAffiliate, and still works. You can prefix both with \`<hookPrefix>/\`. An unknown name throws an error that suggests the nearest known name. Add your own hooks with \`hooks.declare({ 'shop/packed': after<[id: number]>(['id'], '…') })\`. |
| Order | Taps with a lower \`priority\` run first (default 10). Taps with the same priority run in the order they were added. |
| Arguments | Arguments are frozen copies. The last argument is \`ctx\`: \`{ user, requestId, source, access?, counts?, service }\`. |
| Before actions, filters | They run before anything is written. If a tap throws, the operation stops. \`HookVeto(message, status = 422)\` returns \`hook_aborted\` with its message; any other error returns 500. |
| After actions | They run after the commit. If a tap throws, the error is logged with the names of the hook and the tap. The next tap still runs, and the response doesn't change. |
| Filter results | \`undefined\` keeps the value, \`null\` replaces it. Return a new value instead of changing the argument. A result of the wrong type stops the operation (\`HookResultError\`); access filters ignore it. |
| Display filters | They are marked *shown*. If a tap throws or returns the wrong type, the error is logged and the tap is skipped. |
| Amounts | Amounts are integers in minor units (cents). Rates are × 10,000: 12.5% is 125000. |
| Removal | \`add…\` returns a function that removes the tap. \`removeAction(name, tapName or function)\` does the same. |
| Nesting | A tap can call the service, which can call more hooks, up to 10 levels deep. |
| Node | tapable compiles the hooks, so don't run Node with \`--disallow-code-generation-from-strings\`. |
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
