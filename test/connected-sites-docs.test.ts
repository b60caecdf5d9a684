import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { siteKey, siteSignature } from '../src/core/site-signature.js';
import { temporaryFolder } from './support/folders.js';
import { readText } from './support/sources.js';

// docs/connected-sites.md: its vectors are what the service computes, and its programs compute them too.

const page = readText('docs/connected-sites.md');
const [, table = ''] = /<!-- vectors -->\n([\s\S]*?)\n<!-- \/vectors -->/.exec(page) ?? [];
const vectors = table
  .split('\n')
  .slice(2)
  .map((row) => {
    const [method = '', path = '', body = '', signature = ''] = row
      .replace(/^\| | \|$/g, '')
      .split(' | ')
      .map((cell) => cell.replaceAll('`', ''));
    return { method, path, body, signature };
  });
const [SITE, TOKEN, TIMESTAMP, NONCE] = ['841920', 'aBcDeF123456', '1768489200', '0123456789abcdef'];
const blockOf = (kind: string): string =>
  new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

/** A program that prints a signature per line, one for each vector, in this language. */
const PROGRAMS: Readonly<Record<string, { file: string; run: readonly string[]; text: string }>> = {
  JavaScript: {
    file: 'sign.mjs',
    run: [process.execPath],
    text: `${blockOf('js sign')}\nfor (const { method, path, body } of ${JSON.stringify(vectors)}) console.log(sign({ siteId: '${SITE}', token: '${TOKEN}', method, path, timestamp: '${TIMESTAMP}', nonce: '${NONCE}', body }));`,
  },
  Python: {
    file: 'sign.py',
    run: ['python3'],
    text: `${blockOf('python sign')}\nfor v in ${JSON.stringify(vectors)}: print(sign("${SITE}", "${TOKEN}", v["method"], v["path"], "${TIMESTAMP}", "${NONCE}", v["body"]))`,
  },
  PHP: {
    file: 'sign.php',
    run: ['php'],
    text: `<?php\n${blockOf('php sign')}\nforeach (json_decode('${JSON.stringify(vectors)}', true) as $v) echo sign('${SITE}', '${TOKEN}', $v['method'], $v['path'], '${TIMESTAMP}', '${NONCE}', $v['body']), "\\n";`,
  },
  shell: {
    file: 'sign.sh',
    run: ['sh'],
    text: `${blockOf('sh sign')}\n${vectors.map(({ method, path, body }) => `sign ${SITE} ${TOKEN} ${method} '${path}' ${TIMESTAMP} ${NONCE} '${body}'`).join('\n')}`,
  },
};
const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('docs/connected-sites.md', () => {
  it('has the vectors that the service computes', () => {
    expect(vectors).toHaveLength(3);
    for (const { signature, ...parts } of vectors)
      expect(siteSignature(siteKey(SITE, TOKEN), { ...parts, timestamp: TIMESTAMP, nonce: NONCE })).toBe(
        `v1=${signature}`,
      );
  });

  // Languages this machine lacks are not run; JavaScript and the shell always are.
  it.each(
    Object.entries(PROGRAMS).filter(
      ([name, { run }]) => ['JavaScript', 'shell'].includes(name) || isThere(run[0]!),
    ),
  )('computes them in %s', (_name, { file, run, text }) => {
    const path = join(temporaryFolder(), file);
    writeFileSync(path, text);
    const { stdout, stderr } = spawnSync(run[0]!, [...run.slice(1), path], { encoding: 'utf8' });
    expect([stderr, stdout.trim().split('\n')]).toEqual(['', vectors.map(({ signature }) => signature)]);
  });

  const script = /<script>([\s\S]*?)<\/script>/.exec(blockOf('html static'))?.[1] ?? '';
  /** What a static page is left with: its cookie and where its links lead. */
  function visit(
    search: string,
    cookie = '',
    navigator: object = {},
    broken?: string,
  ): { cookie: string; links: string[] } {
    const hrefs = ['https://shop.example/a?b=1', 'https://other.example/'];
    const links = (broken === undefined ? hrefs : [broken, 'https://shop.example/']).map((href) => ({
      href,
    }));
    const document = { cookie, querySelectorAll: () => links };
    runInNewContext(script, { navigator, document, location: { search }, URLSearchParams, URL });
    return { cookie: document.cookie, links: links.map(({ href }) => href) };
  }

  it('takes the affiliate of a static page along to the primary', () => {
    const came = visit('?ref=jo');
    expect(came).toEqual({
      cookie: 'f_aff=jo; path=/; SameSite=Lax; max-age=2592000',
      links: ['https://shop.example/a?b=1&ref=jo', 'https://other.example/'],
    });
    expect(visit('', 'x=1; f_aff=jo').links[0]).toBe('https://shop.example/a?b=1&ref=jo');
    for (const value of ['joe@mail.test', 'müller', 'a+b', "o'neil"]) {
      const encoded = encodeURIComponent(value);
      const first = visit(`?x=1&amp;REF=${encoded}`);
      expect(first.cookie).toBe(`f_aff=${encoded}; path=/; SameSite=Lax; max-age=2592000`);
      const link = visit('', `f_aff=${encoded}`, {}, 'https://[').links.at(-1)!;
      expect(new URL(link).searchParams.get('ref')).toBe(value);
    }
    const untouched = { cookie: '', links: ['https://shop.example/a?b=1', 'https://other.example/'] };
    expect([visit(''), visit('?ref=a%7Cb'), visit('?ref=jo', '', { globalPrivacyControl: true })]).toEqual([
      untouched,
      untouched,
      untouched,
    ]);
  });
});
