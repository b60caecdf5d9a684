import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  after,
  before,
  catalog,
  filter,
  hookNames,
  HookError,
  HookRegistry,
  HookResultError,
  HookVeto,
  type HookContext,
  type Lines,
  type RegistryOptions,
} from '../hooks/index.js';
import { hooksReadme } from '../hooks/readme.js';
import { MODULES } from '../src/app/modules.js';
import { platformHooks } from '../src/platform/hooks/own.js';

const context = { user: null, requestId: 'r1', source: 'code', service: {} } as unknown as HookContext;

interface Logged {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

function registry(options: Partial<RegistryOptions> = {}): { hooks: Loose; logged: Logged[] } {
  const logged: Logged[] = [];
  const write =
    (level: string) =>
    (message: string, fields = {}) =>
      void logged.push({ level, message, fields: { ...fields } });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return {
    hooks: new HookRegistry({ prefix: 'shop', log, context: () => context, ...options }) as unknown as Loose,
    logged,
  };
}

/** The registry without its compile-time names, to try wrong ones. */
interface Loose {
  addAction(name: string, fn: (...args: never[]) => unknown, options?: object): () => boolean;
  addFilter(name: string, fn: (...args: never[]) => unknown, options?: object): () => boolean;
  removeAction(name: string, tap: unknown): boolean;
  removeFilter(name: string, tap: unknown): boolean;
  has(name: string): boolean;
  isUsed(name: string): boolean;
  declare(lines: Lines): void;
  doAction(name: string, ...args: unknown[]): Promise<void>;
  applyFilters(name: string, ...args: unknown[]): Promise<unknown>;
  with(extras: object): {
    doAction(name: string, ...args: unknown[]): Promise<void>;
    applyFilters(name: string, ...args: unknown[]): Promise<unknown>;
  };
}

let hooks: Loose;
let logged: Logged[];
beforeEach(() => {
  ({ hooks, logged } = registry());
});

describe('order and names', () => {
  it('runs taps by priority, then in order of arrival', async () => {
    const seen: string[] = [];
    hooks.addAction('referral_created', () => void seen.push('late'), { priority: 20 });
    hooks.addAction('referral_created', () => void seen.push('first ten'));
    hooks.addAction('referral_created', async () => void seen.push('second ten'));
    hooks.addAction('referral_created', () => void seen.push('early'), { priority: -1 });

    await hooks.doAction('referral_created', { id: 1 });

    expect(seen).toEqual(['early', 'first ten', 'second ten', 'late']);
  });

  it.each([
    ['commission', 'commission'],
    ['shop/commission', 'commission'],
    ['shop_tracker_vars', 'tracker_vars'],
    ['shop/portal/additional_sites', 'portal/additional_sites'],
    ['affiliate_status_to_active', 'affiliate_status_to_active'],
    ['shop/payout/transaction/transaction_updated_to_paid', 'payout/transaction/transaction_updated_to_paid'],
    ['shop_dashboard_woo_stats', 'dashboard_woo_stats'],
  ])('takes a tap on %s as one on %s', (given, name) => {
    const line = Object.entries(catalog as Lines).find(([key]) => key === name)?.[1];
    const add =
      line?.kind === 'filter' || name.startsWith('dashboard_')
        ? hooks.addFilter.bind(hooks)
        : hooks.addAction.bind(hooks);
    const off = add(given, () => undefined);

    expect([hooks.has(given), hooks.has(name), hooks.isUsed(name)]).toEqual([true, true, true]);
    expect(off()).toBe(true);
    expect([hooks.has(given), hooks.isUsed(name), off()]).toEqual([false, false, false]);
  });

  it.each([
    ['addAction', 'affiliate_craeted', /Did you mean "affiliate_created"/],
    ['addAction', 'affiliate_status_to_banned', /Unknown hook/],
    ['addAction', 'other/commission', /Unknown hook/],
    ['addFilter', 'xyzzy', /Unknown hook "xyzzy"\.$/],
    ['addAction', 'commission', /is a filter/],
    ['addFilter', 'referral_created', /is an action/],
  ] as const)('%s refuses %s', (method, name, message) => {
    expect(() => hooks[method](name, () => undefined)).toThrow(message);
  });

  it('refuses what is no function and a priority that is no number', () => {
    expect(() => hooks.addAction('loaded', 'x' as never)).toThrow(/not a function/);
    expect(() => hooks.addAction('loaded', () => undefined, { priority: Number.NaN })).toThrow(/priority/);
  });

  it('takes unknown names with a warning when not strict', async () => {
    const loose = registry({ strict: false });
    loose.hooks.addFilter('my_value', (value: number, a: number) => value + a);

    await expect(loose.hooks.applyFilters('my_value', 1, 2)).resolves.toBe(3);
    expect(loose.logged).toMatchObject([{ level: 'warn' }]);
  });
});

describe('names by subject', () => {
  it('exist once for every hook, in one form', () => {
    expect(Object.values(hookNames).toSorted()).toEqual(Object.keys(catalog).toSorted());
    expect(Object.keys(hookNames).filter((name) => !/^[a-z_]+\.[a-z_]+(?:\.\{\w+\})?$/.test(name))).toEqual(
      [],
    );
  });

  it.each(Object.entries(hookNames))('%s is the hook %s', async (name, fired) => {
    const { kind, options } = (catalog as Lines)[fired]!;
    const value = (text: string): string => text.replace(/\{\w+\}/, options.values?.[0] ?? 'x');
    const tap = jest.fn(() => undefined);
    if (kind === 'filter') {
      hooks.addFilter(value(name), tap);
      await hooks.applyFilters(value(fired), 1);
    } else {
      hooks.addAction(`shop/${value(name)}`, tap);
      await hooks.doAction(value(fired), 1);
    }
    expect(tap).toHaveBeenCalledTimes(1);
    expect(hooks.has(value(name))).toBe(true);
    expect(
      kind === 'filter' ? hooks.removeFilter(value(fired), tap) : hooks.removeAction(value(name), tap),
    ).toBe(true);
    expect(hooks.has(value(fired))).toBe(false);
  });

  it('suggest the near one, and cannot be declared again', () => {
    expect(() => hooks.addAction('affiliate.craeted', () => undefined)).toThrow('"affiliate.created"');
    expect(() => hooks.declare({ 'affiliate.created': after([], '') })).toThrow('exists already');
  });
});

describe('removal', () => {
  it('removes by name, by function and by the returned function, and keeps the others in order', async () => {
    const seen: string[] = [];
    const one = (): void => void seen.push('one');
    hooks.addAction('loaded', one);
    hooks.addAction('loaded', () => void seen.push('two'), { name: 'two' });
    const off = hooks.addAction('loaded', () => void seen.push('three'));
    hooks.addAction('loaded', () => void seen.push('four'), { priority: 1 });

    expect([
      hooks.removeAction('shop/loaded', one),
      hooks.removeAction('loaded', 'two'),
      hooks.removeAction('loaded', 'two'),
      off(),
      off(),
    ]).toEqual([true, true, false, true, false]);
    await hooks.doAction('loaded', {});

    expect(seen).toEqual(['four']);
  });

  it('removes a filter', async () => {
    const double = (value: number): number => value * 2;
    hooks.addFilter('commission', double);

    expect(hooks.removeFilter('commission', double)).toBe(true);
    await expect(hooks.applyFilters('commission', 5, {})).resolves.toBe(5);
  });
});

describe('failures', () => {
  it('logs a failing after-action and runs the next tap', async () => {
    const next = jest.fn();
    hooks.addAction(
      'referral_created',
      () => {
        throw new Error('no');
      },
      { name: 'broken' },
    );
    hooks.addAction('referral_created', next);

    await hooks.doAction('referral_created', { id: 41 });

    expect(next).toHaveBeenCalledTimes(1);
    expect(logged).toMatchObject([
      { level: 'error', fields: { hook: 'referral_created', tap: 'broken', record: 41 } },
    ]);
  });

  it('stops at a failing before-action', async () => {
    const next = jest.fn();
    hooks.addAction(
      'before_delete_affiliate',
      async () => {
        throw new Error('no');
      },
      { name: 'broken' },
    );
    hooks.addAction('before_delete_affiliate', next);

    await expect(hooks.doAction('before_delete_affiliate', { id: 1 })).rejects.toBeInstanceOf(HookError);
    expect(next).not.toHaveBeenCalled();
  });

  it.each([
    [
      'a before-action',
      (loose: Loose, stop: () => never) => {
        loose.addAction('before_delete_affiliate_group', stop);
        return loose.doAction('before_delete_affiliate_group', {});
      },
    ],
    [
      'a filter',
      (loose: Loose, stop: () => never) => {
        loose.addFilter('payout/before_processing', stop);
        return loose.applyFilters('payout/before_processing', {}, [], {});
      },
    ],
  ])('answers a veto in %s with its text and status', async (_, fire) => {
    const veto = (): never => {
      throw new HookVeto('Not on Sundays.', 409);
    };
    await expect(fire(hooks, veto)).rejects.toMatchObject({
      code: 'hook_aborted',
      status: 409,
      message: 'Not on Sundays.',
    });
  });

  it.each([
    [422, undefined],
    [403, 403],
    [422, 500],
    [422, 200],
  ])('uses status %s for a veto with %s', (status, given) => {
    expect(new HookVeto('x', given).status).toBe(status);
  });

  it('passes the veto of a nested operation on', async () => {
    hooks.addAction('before_delete_affiliate', () => {
      throw new HookVeto('inner');
    });
    hooks.addFilter('create_creative_data', () => hooks.doAction('before_delete_affiliate', {}));
    await expect(hooks.applyFilters('create_creative_data', {})).rejects.toMatchObject({
      code: 'hook_aborted',
      message: 'inner',
    });
  });

  it('refuses to run inside an open transaction', async () => {
    const { hooks: inside } = registry({ inTransaction: () => true });
    await expect(inside.doAction('loaded', {})).rejects.toThrow(/open transaction/);
    await expect(inside.applyFilters('commission', 1, {})).rejects.toThrow(/open transaction/);
  });

  it('stops hooks that call each other without end', async () => {
    let calls = 0;
    hooks.addAction('before_delete_affiliate', async () => {
      calls++;
      await hooks.doAction('before_delete_affiliate', {});
    });
    await expect(hooks.doAction('before_delete_affiliate', {})).rejects.toThrow();
    expect(calls).toBe(10);
  });
});

describe('filters', () => {
  it.each([
    ['undefined keeps the value', () => undefined, { a: 1 }],
    ['null replaces it', () => null, null],
    ['a value replaces it', () => ({ b: 2 }), { b: 2 }],
  ])('%s', async (_, tap, expected) => {
    hooks.addFilter('formatted_order_data_by_woo', tap);
    await expect(hooks.applyFilters('formatted_order_data_by_woo', { a: 1 }, {})).resolves.toEqual(expected);
  });

  it.each([
    ['portal/additional_sites', [], [{}, 'x', null]],
    ['default_share_url', '', ['javascript:alert(1)', 'ftp://x', '//x', 7]],
  ])('leaves out wrong answers of %s, which is only shown', async (name, value, answers) => {
    for (const answer of answers) hooks.addFilter(name, () => answer);
    hooks.addFilter(name, () => {
      throw new HookVeto('no');
    });
    await expect(hooks.applyFilters(name, value, {})).resolves.toEqual(value);
  });

  it.each([
    ['commission', 100, [-1, 1.5, Number.NaN, '5', null, 1e15, {}]],
    ['affiliate_by_param', null, [0, {}, { id: '7' }, []]],
    ['should_process_referral', true, ['yes', 1, null]],
    ['commission_rate', {}, [{ type: 'percentage', value: -1 }, { type: 'other', value: 1 }, {}]],
    ['recurring_commission', {}, [5, { amount: -1 }, null]],
    ['auth/signup_fields', [], [{}, 'x', null]],
  ])('refuses wrong answers of %s', async (name, value, answers) => {
    for (const answer of answers) {
      const off = hooks.addFilter(name, () => answer, { name: 'liar' });
      const failure = await hooks.applyFilters(name, value, {}).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(HookResultError);
      expect(failure).toMatchObject({ hook: name, tap: 'liar' });
      off();
    }
  });

  it('ignores a wrong answer where the line says so', async () => {
    hooks.addFilter('has_all_visit_access', () => true);
    hooks.addFilter('has_all_visit_access', () => 'junk');
    await expect(hooks.applyFilters('has_all_visit_access', false, {})).resolves.toBe(true);
  });
});

describe('what a tap receives', () => {
  it('gets frozen copies and, last, the context', async () => {
    const record = { id: 1, list: [{ a: 1 }], when: new Date(0) };
    const tap = jest.fn();
    hooks.addAction('affiliate_status_to_active', tap);

    await hooks.with({ counts: { visits: 3 } }).doAction('affiliate_status_to_active', record);

    const [given, previous, ctx] = tap.mock.calls[0] as [typeof record, unknown, HookContext];
    expect(given).toEqual(record);
    expect(given).not.toBe(record);
    expect([Object.isFrozen(given), Object.isFrozen(given.list[0]), Object.isFrozen(ctx)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(previous).toBeUndefined();
    expect(ctx).toMatchObject({ requestId: 'r1', source: 'code', counts: { visits: 3 } });
    expect(Object.isFrozen(record)).toBe(false);
  });

  it('hands the caller a value of its own, without prototype keys', async () => {
    const kept: Record<string, unknown>[] = [];
    hooks.addFilter('tracker_vars', () => {
      const value = JSON.parse('{"a":{"b":1},"__proto__":{"admin":true}}') as Record<string, unknown>;
      kept.push(value);
      return value;
    });

    const value = (await hooks.applyFilters('tracker_vars', {})) as Record<string, unknown> & {
      admin?: boolean;
    };

    expect(Object.isFrozen(value)).toBe(false);
    expect(value['a']).not.toBe(kept[0]?.['a']);
    expect(value.admin).toBeUndefined();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('gets the service itself when it is loaded', async () => {
    const service = { list: [] };
    const tap = jest.fn();
    hooks.addAction('loaded', tap);
    await hooks.doAction('loaded', service);
    expect(tap.mock.calls[0]?.[0]).toBe(service);
  });

  it('passes things with a class as they are, and follows cycles', async () => {
    class Request {
      url = '/';
    }
    const request = new Request();
    const loop: Record<string, unknown> = { request };
    loop['self'] = loop;
    let given: Record<string, unknown> = {};
    hooks.addAction('visit_ignored', (value: Record<string, unknown>) => {
      given = value;
    });

    await hooks.doAction('visit_ignored', loop);

    expect(given['request']).toBe(request);
    expect(given['self']).toBe(given);
  });
});

describe('declared hooks', () => {
  it('work like our own', async () => {
    hooks.declare({
      'shop/packed': after<[id: number]>(['id'], 'An order was packed.'),
      before_packing: before<[id: number]>(['id'], 'An order will be packed.'),
      box_size: filter<number, [id: number]>(['id'], 'The size of the box.', {
        check: (value) => typeof value === 'number',
      }),
    });
    const seen: unknown[] = [];
    hooks.addAction('packed', (id: number) => void seen.push(id));
    hooks.addFilter('shop/box_size', (size: number, id: number) => size + id);

    await hooks.doAction('packed', 7);

    expect(seen).toEqual([7]);
    await expect(hooks.applyFilters('box_size', 1, 2)).resolves.toBe(3);
  });

  it.each([
    ['an existing name', { commission: after([], '') }],
    ['a strange name', { 'a b': after([], '') }],
    ['no line', { mine: { kind: 'sync', args: [], summary: '', options: {} } as never }],
  ])('refuses %s', (_, lines: Lines) => {
    expect(() => hooks.declare(lines)).toThrow();
  });
});

describe('the catalog', () => {
  it('has a sentence and argument names for every hook', () => {
    for (const line of Object.values(catalog as Lines)) {
      expect(line.summary).toMatch(/[.?]$/);
      expect(new Set(line.args).size).toBe(line.args.length);
    }
  });

  it('has each hook once', () => {
    const declared = [platformHooks, ...MODULES.map(({ hooks: own }) => own)];
    expect(declared.flatMap(({ lines }) => Object.keys(lines)).toSorted()).toEqual(
      Object.keys(catalog).toSorted(),
    );
    expect(declared.flatMap(({ names }) => Object.keys(names)).toSorted()).toEqual(
      Object.keys(hookNames).toSorted(),
    );
  });

  it('is what hooks/README.md shows', () => {
    expect(readFileSync(new URL('../hooks/README.md', import.meta.url), 'utf8')).toBe(hooksReadme());
  });
});
