import { chapters } from './catalog/index.js';
import type { Line } from './line.js';

const INTRO = `# Hooks

Extensions listen to actions and change values through filters. This file is written from \`hooks/catalog\` by \`npm run docs\`.

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
