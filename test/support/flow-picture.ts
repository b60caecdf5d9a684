/** The drawing of docs/how-it-works.md: from the click to the payout. */

interface Step {
  readonly title: string;
  readonly lines: readonly string[];
  readonly code: string;
}

const STEPS: readonly Step[] = [
  { title: 'Click', lines: ['Someone follows', 'a referral link.'], code: 'attribution/tracking' },
  { title: 'Visit', lines: ['The click is stored,', 'a cookie names it.'], code: 'accounting/visits' },
  {
    title: 'Order',
    lines: ['A shop or your code', 'reports what was sold.'],
    code: 'attribution/conversions',
  },
  { title: 'Commission', lines: ['Facts decide what', 'is due.'], code: 'accounting/orders' },
  { title: 'Payout', lines: ['Payable commissions', 'become payments.'], code: 'accounting/payouts' },
];
const LATER = 'Refund, dispute, edit: one more fact, and what is due is computed again.';

const BOX = { width: 164, height: 112, gap: 28, top: 24, left: 12 };
const xOf = (at: number): number => BOX.left + at * (BOX.width + BOX.gap);
const width = xOf(STEPS.length) - BOX.gap + BOX.left;
const bottom = BOX.top + BOX.height;
const height = bottom + 92;

const STYLE = `
  text { font-family: system-ui, sans-serif; fill: #1f2937; text-anchor: middle; }
  .title { font-size: 17px; font-weight: 600; }
  .line { font-size: 13px; }
  .code { font-family: ui-monospace, monospace; font-size: 11px; fill: #4b5563; }
  rect { fill: #f8fafc; stroke: #64748b; }
  path { fill: none; stroke: #64748b; stroke-width: 1.5; marker-end: url(#tip); }
  #tip path { fill: #64748b; stroke: none; marker-end: none; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb; }
    .code { fill: #9ca3af; }
    rect { fill: #1e293b; stroke: #94a3b8; }
    path { stroke: #94a3b8; }
    #tip path { fill: #94a3b8; }
  }`;

function box({ title, lines, code }: Step, at: number): string {
  const x = xOf(at);
  const middle = x + BOX.width / 2;
  const text = (kind: string, y: number, words: string): string =>
    `  <text class="${kind}" x="${middle}" y="${y}">${words}</text>`;
  return [
    `  <rect x="${x}" y="${BOX.top}" width="${BOX.width}" height="${BOX.height}" rx="10"/>`,
    text('title', BOX.top + 30, title),
    ...lines.map((line, row) => text('line', BOX.top + 56 + row * 18, line)),
    text('code', BOX.top + 100, code),
  ].join('\n');
}

const arrow = (at: number): string => {
  const y = BOX.top + BOX.height / 2;
  return `  <path d="M${xOf(at) + BOX.width + 3} ${y}H${xOf(at + 1) - 9}"/>`;
};

/** From below the commission back into it. */
function loop(): string {
  const middle = xOf(3) + BOX.width / 2;
  return [
    `  <path d="M${middle - 50} ${bottom + 3}v26h100v-17"/>`,
    `  <text class="line" x="${middle}" y="${bottom + 56}">${LATER}</text>`,
  ].join('\n');
}

export const flowPicture = (): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Click, visit, order, commission, payout">`,
    `<style>${STYLE}\n</style>`,
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>`,
    ...STEPS.map(box),
    ...STEPS.slice(1).map((_step, at) => arrow(at)),
    loop(),
    '</svg>',
    '',
  ].join('\n');
