import { describe, expect, it } from '@jest/globals';
import { mailbox } from '../../src/core/mailbox.js';

describe('mailbox', () => {
  it.each([
    ['jo@shop.test', 'jo@shop.test'],
    ['  JO@Shop.TEST ', 'jo@shop.test'],
    ['jo+news@shop.test', 'jo@shop.test'],
    ['"jo"@shop.test', 'jo@shop.test'],
    ['"j\\o"@shop.test', 'jo@shop.test'],
    ['jo(me)@shop.test', 'jo@shop.test'],
    ['(a(b)c)jo@(x)shop.test', 'jo@shop.test'],
    ['jo@shop.test.', 'jo@shop.test'],
    ['jo@shop.test...', 'jo@shop.test'],
    ['ｊｏ＠ｓｈｏｐ．ｔｅｓｔ', 'jo@shop.test'],
    ['j\u200Bo@sh\u00ADop.test', 'jo@shop.test'],
    ['\uFEFFjo@shop.test\u2060', 'jo@shop.test'],
    ['jo@shop。test', 'jo@shop.test'],
    ['jo@müller.test', 'jo@xn--mller-kva.test'],
    ['jo@XN--MLLER-KVA.test', 'jo@xn--mller-kva.test'],
    ['j.o+x@googlemail.com', 'jo@gmail.com'],
    ['"j.o"@gmail.com.', 'jo@gmail.com'],
  ])('reads %j as %s', (email, box) => {
    expect(mailbox(email)).toBe(box);
  });

  it.each([
    '',
    '   ',
    'jo',
    '@shop.test',
    'jo@',
    'jo@shop.test, al@shop.test',
    'jo@shop.test;al@shop.test',
    'jo@shop.test al@shop.test',
    'jo@al@shop.test',
    'Jo <jo@shop.test>',
    'jo@shop.test\nBcc: al@shop.test',
    'jo@-shop.test',
    'jo@sh op.test',
    'jo@[127.0.0.1]',
    '+@shop.test',
    '""@shop.test',
    'jo\u0000@shop.test',
    `${'x'.repeat(400)}@shop.test`,
    'jo@shop..test',
    'jo(@shop.test',
  ])('takes %j for no mailbox', (email) => {
    expect(mailbox(email)).toBeNull();
  });

  it('takes no time for nested comments', () => {
    expect(mailbox(`${'('.repeat(300)}@x`)).toBeNull();
    expect(mailbox('('.repeat(400_000))).toBeNull();
  });
});
