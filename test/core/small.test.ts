import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { systemClock } from '../../src/core/clock.js';
import { readJson } from '../../src/core/json.js';
import { consoleLogger, silentLogger } from '../../src/core/logger.js';
import { randomDigits, randomToken } from '../../src/core/random.js';
import { sameText } from '../../src/core/constant-time.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('tells the time', () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});

describe('readJson', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['null', 'fallback'],
    ['', 'fallback'],
    ['{broken', 'fallback'],
    [null, 'fallback'],
    [undefined, 'fallback'],
    [{ a: 1 }, { a: 1 }],
    ['0', 0],
    ['false', false],
  ])('%j is %j', (stored, value) => {
    expect(readJson<unknown>(stored, 'fallback')).toEqual(value);
  });
});

describe('random', () => {
  it('makes tokens of letters and digits, all different', () => {
    const tokens = Array.from({ length: 1000 }, () => randomToken(20));

    expect(new Set(tokens).size).toBe(1000);
    expect(tokens.every((token) => /^[A-Za-z0-9]{20}$/u.test(token))).toBe(true);
  });

  it('makes digits', () => {
    expect(randomDigits(6)).toMatch(/^\d{6}$/u);
  });

  it('compares text of any length', () => {
    expect([
      sameText('abc', 'abc'),
      sameText('abc', 'abd'),
      sameText('abc', 'abcd'),
      sameText('', ''),
    ]).toEqual([true, false, false, true]);
  });
});

describe('loggers', () => {
  const lines = (work: () => void): unknown[] => {
    const written: string[] = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    work();
    jest.restoreAllMocks();
    return written.map((line) => JSON.parse(line));
  };

  it('writes warnings and errors as JSON lines', () => {
    const written = lines(() => {
      consoleLogger.debug('d');
      consoleLogger.info('i');
      consoleLogger.warn('slow', { ms: 12, id: 5n });
      consoleLogger.error('failed', {
        level: 'x',
        error: Object.assign(new Error('boom', { cause: 'disk' }), { code: 'EIO' }),
      });
    });

    expect(written).toEqual([
      { time: expect.any(String), level: 'warn', message: 'slow', ms: 12, id: '5' },
      {
        time: expect.any(String),
        level: 'error',
        message: 'failed',
        error: expect.objectContaining({ name: 'Error', message: 'boom', cause: 'disk', code: 'EIO' }),
      },
    ]);
  });

  it('still writes when the fields cannot be written', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;

    expect(lines(() => consoleLogger.warn('odd', { loop }))).toEqual([
      { level: 'warn', message: 'odd', fields: 'not serializable' },
    ]);
  });

  it('can be silent', () => {
    expect(
      lines(() => {
        silentLogger.warn('w');
        silentLogger.error('e');
      }),
    ).toEqual([]);
  });
});

it('finds that URL.parse of this Node reads letters beyond ASCII however often it is asked', () => {
  const hosts = new Set(
    Array.from({ length: 20_000 }, () => URL.parse('https://b\u00fccher.test/\u00fc')?.href),
  );

  expect([...hosts]).toEqual(['https://xn--bcher-kva.test/%C3%BC']);
  expect([URL.parse('no address'), URL.parse('//'), URL.parse('/a', 'https://shop.test')?.href]).toEqual([
    null,
    null,
    'https://shop.test/a',
  ]);
});
