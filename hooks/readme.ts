import { chapters } from './catalog/index.js';
import type { Line } from './line.js';

const INTRO = `# Hooks

Extensions listen to actions and change values through filters. This file is made from \`hooks/catalog\`; a test keeps it current.

\`\`\`ts
service.hooks.addFilter('commission', (minor, { affiliate }) => (affiliate.id === 7 ? minor * 2 : minor), { name: 'double-seven', priority: 20 });
const untap = service.hooks.addAction('affiliate_service/referral_created', (referral, ctx) => queue.push(referral.id));
service.hooks.addAction('before_delete_affiliate_group', (group) => {
  if (group.meta_key === 'VIP') throw new HookVeto('The VIP group stays.');
});
\`\`\`

| Question | Answer |
|---|---|
| Names | With or without \`<hookPrefix>/\`. An unknown name is refused with the nearest known one; \`hooks.declare({ 'shop/packed': after<[id: number]>(['id'], '…') })\` adds your own. |
| Order | Lower \`priority\` first (default 10), equal ones in order of arrival. |
| Arguments | Frozen copies, then \`ctx\`: \`{ user, requestId, source, access?, counts?, service }\`. |
| Before actions, filters | Run before anything is written. A throw stops the operation: \`HookVeto(message, status = 422)\` is answered as \`hook_aborted\` with its text, anything else is a 500. |
| After actions | Run after the commit. A failure is logged with hook and tap, the next tap still runs, the answer does not change. |
| Filter answers | \`undefined\` keeps the value, \`null\` replaces it. Do not change the value you got, return a new one. An answer of another form than documented stops the operation (\`HookResultError\`); access filters ignore it. |
| Filters of what is only shown | A tap that throws or answers another form than documented is logged and left out. Marked *shown*. |
| Amounts | Whole minor units (cents); rates × 10 000. |
| Removal | \`add…\` returns a function that removes the tap; \`removeAction(name, tapName or function)\` does the same. |
| Nesting | A tap may call the service; more than 10 levels of hooks in hooks are refused. |
| Host | tapable compiles its hooks, so Node must not run with \`--disallow-code-generation-from-strings\`. |
`;

/** The text of hooks/README.md. */
export function hooksReadme(): string {
  const parts = chapters.map(({ title, lines }) => {
    const rows = Object.entries(lines).map(
      ([name, line]) =>
        `| \`${name}\` | ${line.kind} | ${args(line)} | ${line.summary}${values(line)}${shown(line)} |`,
    );
    return `\n## ${title}\n\n| Name | Kind | Arguments | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return INTRO + parts.join('');
}

const args = (line: Line): string =>
  [...(line.kind === 'filter' ? ['value'] : []), ...line.args].map((name) => `\`${name}\``).join(', ') || '–';

const values = ({ options }: Line): string =>
  options.values === undefined ? '' : ` One of: ${options.values.map((value) => `\`${value}\``).join(', ')}.`;

const shown = (line: Line): string =>
  line.kind === 'filter' && line.options.shown === true ? ' *Shown.*' : '';
