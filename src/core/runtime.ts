/** Node versions are compared as numbers: "24.19.0" → [24, 19, 0]. */
const parts = (version: string): number[] => version.replace(/^v/, '').split('.').map(Number);

/** True when `version` is `major.minor` or newer. */
function atLeast(version: string, major: number, minor: number): boolean {
  const [haveMajor = 0, haveMinor = 0] = parts(version);
  return haveMajor > major || (haveMajor === major && haveMinor >= minor);
}

/** Why this library cannot run on that Node, as a sentence; null when it can. */
export function nodeProblem(version: string): string | null {
  if (atLeast(version, 22, 14)) return null;
  return (
    `affiliate-service needs Node 22.14 or newer, and this is ${version}. ` +
    'Install the current LTS release of Node.'
  );
}

/**
 * Why that better-sqlite3 cannot be used on that Node, as a sentence. Versions before 13 end the whole
 * process on Node 24.19 and newer when memory with old statements is collected.
 */
export function sqliteDriverProblem(driver: string, node: string): string | null {
  if (atLeast(driver, 13, 0) || !atLeast(node, 24, 19)) return null;
  return (
    `better-sqlite3 ${driver} ends the process on Node ${node}. Install better-sqlite3 13 or newer: ` +
    'npm install better-sqlite3@13'
  );
}

/** Does the host run in production (`NODE_ENV`)? */
export const isProduction = (): boolean => process.env['NODE_ENV'] === 'production';
