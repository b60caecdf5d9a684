import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PATH = process.env['CHROMIUM'] || '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

/** Debian's Chromium; a machine without it fails these tests. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(PATH))
    throw new Error(
      `There is no Chromium at ${PATH}: apt-get install chromium, or set CHROMIUM to its path.`,
    );
  return chromium.launch({ executablePath: PATH, args: FLAGS });
}
