/** The drawing of CONTRIBUTING.md: each row uses the rows below it. */

interface Room {
  readonly name: string;
  readonly about: string;
}

const ROWS: readonly (readonly Room[])[] = [
  [
    { name: 'frameworks', about: 'Koa, Next, Payload …' },
    { name: 'testing', about: 'programs for tests' },
    { name: 'cli', about: 'commands' },
  ],
  [{ name: 'console', about: 'the pages: admin and portal' }],
  [{ name: 'src/service', about: 'createAffiliateService: starts, mounts, closes' }],
  [{ name: 'hooks', about: 'the actions and filters of all modules' }],
  [{ name: 'src/app', about: 'the list of the modules, and what follows from it' }],
  [{ name: 'src/channels', about: 'shops, sites, mails, portal, payers, reports, imports' }],
  [{ name: 'src/attribution', about: 'clicks, orders’ credit, rules, fraud, creatives, links' }],
  [{ name: 'src/accounting', about: 'orders and what is due, ledger, referrals, payouts' }],
  [{ name: 'src/program', about: 'settings, groups, affiliates, managers, keys' }],
  [
    { name: 'src/platform', about: 'HTTP, database, access, jobs' },
    { name: 'src/records', about: 'lists of records' },
  ],
  [
    { name: 'client', about: 'typed client' },
    { name: 'connected-site', about: 'for other sites' },
    { name: 'adapters', about: 'host, shops, payers …' },
  ],
  [{ name: 'src/core', about: 'money, dates, text: pure functions' }],
];

const BOX = { height: 50, gap: 10, margin: 12 };
const WIDTH = 760;
const height = 2 * BOX.margin + ROWS.length * (BOX.height + BOX.gap) - BOX.gap;

const STYLE = `
  text { font-family: system-ui, sans-serif; fill: #1f2937; text-anchor: middle; font-size: 13px; }
  .name { font-family: ui-monospace, monospace; font-weight: 600; font-size: 14px; }
  rect { fill: #f8fafc; stroke: #64748b; }
  .module { fill: #e0ecff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e5e7eb; }
    rect { fill: #1e293b; stroke: #94a3b8; }
    .module { fill: #1e3a5f; }
  }`;

const MODULES = /src\/(?:program|accounting|attribution|channels)/;

function drawRow(rooms: readonly Room[], row: number): string {
  const y = BOX.margin + row * (BOX.height + BOX.gap);
  const width = (WIDTH - 2 * BOX.margin - (rooms.length - 1) * BOX.gap) / rooms.length;
  return rooms
    .map(({ name, about }, at) => {
      const x = BOX.margin + at * (width + BOX.gap);
      const middle = x + width / 2;
      const kind = MODULES.test(name) ? ' class="module"' : '';
      return [
        `  <rect${kind} x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="8"/>`,
        `  <text class="name" x="${middle}" y="${y + 21}">${name}</text>`,
        `  <text x="${middle}" y="${y + 39}">${about}</text>`,
      ].join('\n');
    })
    .join('\n');
}

/** Their folders, from the bottom to the top. */
export const drawnRooms = ROWS.toReversed().flatMap((rooms) => rooms.map(({ name }) => name));

export const structurePicture = (): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The folders of the code; each row uses the rows below it">`,
    `<style>${STYLE}\n</style>`,
    ...ROWS.map(drawRow),
    '</svg>',
    '',
  ].join('\n');
