import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Scope } from '../../src/core/scope.js';

describe('a scope', () => {
  it('holds its value below run only, across awaits, apart from other scopes and other calls', async () => {
    const one = new Scope<string>();
    const two = new Scope<number>();
    const seen = await Promise.all(
      ['a', 'b'].map(async (name, at) =>
        one.run(name, async () => {
          await sleep(2 - at);
          const inner = await two.run(at, async () => {
            await sleep(1);
            return [one.get(), two.get(), one.run('inner', () => [one.get(), two.get()])];
          });
          return [...inner, one.get(), two.get()];
        }),
      ),
    );
    expect(seen).toEqual([
      ['a', 0, ['inner', 0], 'a', undefined],
      ['b', 1, ['inner', 1], 'b', undefined],
    ]);
    expect([one.get(), two.get()]).toEqual([undefined, undefined]);
  });

  it('keeps nothing of earlier values when it is entered again from inside, as a timer does that sets itself anew', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const scope = new Scope<{ left: number }>();
    let first: WeakRef<object> | undefined;
    const kept = await new Promise((resolve) => {
      const enter = (left: number): void => {
        const value = { left };
        first ??= new WeakRef(value);
        scope.run(value, () =>
          setTimeout(() => {
            collect();
            if (left === 0) resolve([scope.get(), first?.deref()]);
            else enter(left - 1);
          }),
        );
      };
      enter(3);
    });
    expect(kept).toEqual([{ left: 0 }, undefined]);
  });
});
