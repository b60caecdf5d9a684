import { describe, expect, it } from '@jest/globals';
import { AffiliateError, ERRORS, fail, failFields, FieldCheck, type ErrorCode } from '../src/errors.js';
import { sources } from './support/sources.js';

const code = sources()
  .filter(({ path }) => path !== 'src/errors.ts')
  .map(({ text }) => text)
  .join('\n');
const entries = Object.entries(ERRORS) as [ErrorCode, readonly [number, string]][];

// That docs/reference.md names each code and no other is in docs.test.ts.
describe('the table of errors', () => {
  it('has no code that nothing throws', () => {
    expect(Object.keys(ERRORS).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('knows every code that is thrown', () => {
    const thrown = [...code.matchAll(/\b(?:fail|new AffiliateError)\('(\w+)'/g)].map(([, name = '']) => name);
    expect(thrown.length).toBeGreaterThan(50);
    expect([...new Set(thrown)].filter((name) => !(name in ERRORS))).toEqual([]);
  });

  it.each(entries)('%s has a status of an error and a plain sentence', (name, [status, text]) => {
    expect(name).toMatch(/^[a-z][a-z_]+$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(text).toMatch(/^[A-Z][^<>{}%]+\.$/);
  });
});

describe('errors', () => {
  it('tell a sentence that several fields share once', () => {
    const each = { required: 'Enter a title or a description.' };
    const error = caught(() => failFields({ title: each, description: each }));
    expect(error).toMatchObject({
      message: 'Enter a title or a description.',
      fields: { title: each, description: each },
    });
  });

  it('carry code, status, text and cause', () => {
    const cause = new Error('driver text');
    const error = caught(() => fail('busy', { cause, retryAfter: 5 }));
    expect(error).toMatchObject({
      code: 'busy',
      status: 503,
      message: ERRORS.busy[1],
      cause,
      retryAfter: 5,
      data: {},
      extra: {},
    });
    expect(error).toBeInstanceOf(Error);
  });

  it('take another status where a field says so', () => {
    expect(caught(() => fail('group_not_found', { status: 422 })).status).toBe(422);
  });

  it('collect the rules of several fields', () => {
    const check = new FieldCheck();
    check.throwIfAny();
    check
      .add('rate', 'min', 'Rate must be 0 or more.')
      .add('rate', 'numeric', 'Rate must be a number.')
      .add('name', 'required', 'Name is required.');
    const fields = {
      rate: { min: 'Rate must be 0 or more.', numeric: 'Rate must be a number.' },
      name: { required: 'Name is required.' },
    };
    expect(caught(() => check.throwIfAny())).toMatchObject({
      code: 'validation_failed',
      status: 422,
      fields,
    });
    expect(caught(() => failFields(fields)).message).toBe(
      'Rate must be 0 or more. Rate must be a number. Name is required.',
    );
  });
});

function caught(work: () => unknown): AffiliateError {
  try {
    work();
  } catch (error) {
    if (error instanceof AffiliateError) return error;
  }
  throw new Error('nothing was thrown');
}
