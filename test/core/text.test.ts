import { describe, expect, it } from '@jest/globals';
import { fc } from '../support/random.js';

import { escField, guardCell } from '../../src/core/csv.js';
import { cleanText, cleanTextarea, cut, emailKey, escapeHtml, nameKey } from '../../src/core/text.js';
import { stopwatch } from '../support/cpu.js';

const TAG = /<[a-z/!?]/iu;
const nasty = fc
  .array(
    fc.constantFrom(
      '<',
      '>',
      '</',
      'script',
      'style',
      'b',
      '!--',
      '?',
      '/',
      ' ',
      '\n',
      '\0',
      '\t',
      '"',
      '=',
      'é',
      '😀',
      'x',
    ),
  )
  .map((parts) => parts.join(''));

describe('cleanText', () => {
  it.each([
    ['  Jo  ', 'Jo'],
    ['<b>Jo</b> Doe', 'Jo Doe'],
    ['a\r\nb\n\nc', 'a b c'],
    ['a\tb', 'a b'],
    ['a\u0000b\u001Fc\u007Fd\u0085e', 'abcde'],
    ['<script>alert(1)</script>Hi', 'Hi'],
    ['<STYLE media="x">p{}</style >Hi', 'Hi'],
    ['<script>open', 'open'],
    ['<scripted>kept</scripted>', 'kept'],
    ['<script>a<script>b', 'ab'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['I <3 you', 'I <3 you'],
    ['<img src=x onerror=alert(1)', 'img src=x onerror=alert(1)'],
    ['<<b>img src=x>', 'img src=x>'],
    ['<scr<b>ipt>x', 'ipt>x'],
    ['<!-- note -->text', 'text'],
    ['<?php echo 1 ?>text', 'text'],
    ['<\u0000img>', ''],
    ['\uD800x\uDC00', 'x'],
    ['😀 é', '😀 é'],
    ['<<<<', '<<<<'],
    ['a\u2028b', 'a b'],
    ['', ''],
  ])('%j becomes %j', (text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });

  it('leaves nothing that starts a tag and nothing to clean again', () => {
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
        const cleaned = cleanText(text);
        expect(cleaned).not.toMatch(TAG);
        expect(cleaned).not.toMatch(/\p{Cc}/u);
        expect(cleanText(cleaned)).toBe(cleaned);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['<', '<a', '<a>', '<script>', '</script', '<script></', '\n', '<<a'])(
    'takes a megabyte of %j in a moment',
    (unit) => {
      const ms = stopwatch();
      cleanText(unit.repeat(1_048_576 / unit.length));
      expect(ms()).toBeLessThan(5000);
    },
  );
});

describe('cleanTextarea', () => {
  it.each([
    [' a\r\nb\rc\u2028d\n ', 'a\nb\nc\nd'],
    ['<p>one</p>\n\ttwo', 'one\n\ttwo'],
    ['a\u0000b', 'ab'],
  ])('%j becomes %j', (text, cleaned) => {
    expect(cleanTextarea(text)).toBe(cleaned);
  });
});

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['😀😀😀', 2, '😀😀'],
    ['a😀b', 2, 'a😀'],
    ['😀', 1, '😀'],
    ['abc', 0, ''],
  ])('%j to %i is %j', (text, length, expected) => {
    expect(cut(text, length)).toBe(expected);
  });
});

it('compares names and addresses by their key', () => {
  expect(nameKey('  ＶＩＰ Ⅳ ')).toBe('vip iv');
  expect(emailKey(' Jo@X.org ')).toBe('jo@x.org');
});

it('escapes HTML', () => {
  expect(escapeHtml(`<a href="x" title='y'>&</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;',
  );
});

describe('guardCell', () => {
  it.each(['=1+1', '+1', '-1', '@sum', '\t=1', '\r', '\nx', '\0=1', ' =1', '＝1', '＋1', '－1', '＠x'])(
    'guards %j',
    (text) => {
      expect(guardCell(text)).toBe(`'${text}`);
    },
  );

  it.each(['', 'a=1', 'Jo', '1-2', "'=1"])('leaves %j', (text) => {
    expect(guardCell(text)).toBe(text);
  });
});

describe('escField', () => {
  it.each([
    ['Smith, J', '"Smith, J"'],
    ['say "hi"', '"say ""hi"""'],
    ['=1+1', "'=1+1"],
    ['=1,2', `"'=1,2"`],
    ['<b>a</b>\nb', '<b>a</b> b'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j becomes %j', (text, field) => {
    expect(escField(text)).toBe(field);
  });

  it('never lets a field start a formula or break its line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '=', '+', '-', '@', '\t', '"='),
        (text, start) => {
          const field = escField(start + text);
          expect(field).not.toMatch(/^"?[=+\-@\t\r]/u);
          expect(field).not.toMatch(/[\r\n]/u);
        },
      ),
    );
  });
});
