import { AsyncSeriesHook, AsyncSeriesWaterfallHook } from 'tapable';
import type { Logger } from '../src/core/logger.js';
import { Scope } from '../src/core/scope.js';
import { AffiliateError } from '../src/errors.js';
import { catalog } from './catalog.js';
import type { HookContext } from './context.js';
import { HookError, HookResultError, HookUsageError, HookVeto } from './errors.js';
import type { Fire } from './fire.js';
import type { HookExtras } from '../src/platform/hooks/fire.js';
import type { FilterLine, Line, Lines } from '../src/platform/hooks/line.js';
import {
  HookNames,
  type ActionName,
  type ActionTapName,
  type Filtered,
  type FilterName,
  type FilterTapName,
  type FilterValue,
  type FireArgs,
  type FireRest,
  type Resolved,
  type TapName,
} from './names.js';
import { copy } from './snapshot.js';
import type { ActionTap, FilterTap, TapFunction, TapOptions, Untap } from './tap.js';

/** Actions and filters of the service. Names with or without `<prefix>/`; hooks/README.md lists them. */
export interface Hooks extends Fire {
  addAction<N extends TapName<ActionTapName>>(name: N, fn: ActionTap<N>, options?: TapOptions): Untap;
  addFilter<N extends TapName<FilterTapName>>(name: N, fn: FilterTap<N>, options?: TapOptions): Untap;
  removeAction(name: TapName<ActionTapName>, tap: string | TapFunction): boolean;
  removeFilter(name: TapName<FilterTapName>, tap: string | TapFunction): boolean;
  /** Has this hook a tap? */
  has(name: string): boolean;
  /** The same for a name with which the service fires a hook. */
  isUsed(name: ActionName | FilterName): boolean;
  /** Fires with more in `ctx`. */
  with(extras: HookExtras): Fire;
  /**
   * Makes hooks of an extension known:
   * `declare({ 'shop/packed': after<[id: number]>(['id'], 'An order was packed.') })`.
   */
  declare(lines: Lines): void;
}

export interface RegistryOptions {
  readonly prefix: string;
  readonly log: Logger;
  readonly context: () => HookContext;
  /** Host code must not run while a transaction is open: on SQLite it would wait for its own connection. */
  readonly inTransaction?: () => boolean;
  /** Refuse unknown names (default). Otherwise they are logged and taken. */
  readonly strict?: boolean;
}

interface Tap {
  readonly fn: (...args: unknown[]) => unknown;
  readonly name: string;
  readonly priority: number;
}
interface Slot {
  readonly taps: readonly Tap[];
  readonly line: Line;
  readonly size: number;
  run(args: unknown[]): Promise<unknown>;
}

const MAX_DEPTH = 10;
const CUSTOM_ARGS = 6;

export class HookRegistry implements Hooks {
  readonly #names: HookNames;
  readonly #slots = new Map<string, Slot>();
  readonly #depth = new Scope<number>();

  constructor(private readonly options: RegistryOptions) {
    this.#names = new HookNames(options.prefix, catalog);
  }

  addAction<N extends TapName<ActionTapName>>(name: N, fn: ActionTap<N>, options: TapOptions = {}): Untap {
    return this.#add(name, 'action', fn, options);
  }

  addFilter<N extends TapName<FilterTapName>>(name: N, fn: FilterTap<N>, options: TapOptions = {}): Untap {
    return this.#add(name, 'filter', fn, options);
  }

  /** Adds a tap of either kind, as the catalog declares the hook. */
  add(name: string, fn: TapFunction, options: TapOptions = {}): Untap {
    const kind = this.#names.resolve(name)?.line.kind === 'filter' ? 'filter' : 'action';
    return this.#add(name, kind, fn, options);
  }

  removeAction(name: TapName<ActionTapName>, tap: string | TapFunction): boolean {
    return this.#remove(name, 'action', (each) => each.fn === tap || each.name === tap);
  }

  removeFilter(name: TapName<FilterTapName>, tap: string | TapFunction): boolean {
    return this.#remove(name, 'filter', (each) => each.fn === tap || each.name === tap);
  }

  has(name: string): boolean {
    return this.#slots.has(this.#names.resolve(name)?.name ?? this.#names.plain(name));
  }

  isUsed(name: ActionName | FilterName): boolean {
    return this.#slots.has(name);
  }

  declare(lines: Lines): void {
    for (const [given, line] of Object.entries(lines)) {
      const name = this.#names.plain(given);
      if (!/^[\w/.{}-]{1,150}$/.test(name)) throw new HookUsageError(`"${given}" is not a hook name.`);
      if (!['before', 'after', 'filter'].includes(line.kind))
        throw new HookUsageError(`Declare "${given}" with before(), after() or filter().`);
      if (this.#names.resolve(name)) throw new HookUsageError(`The hook "${given}" exists already.`);
      this.#names.add(name, line);
    }
  }

  async doAction<N extends ActionName>(name: N, ...args: FireArgs<N>): Promise<void> {
    await this.#fire(name, args, undefined);
  }

  applyFilters<N extends FilterName, V extends FilterValue<N>>(
    name: N,
    value: V,
    ...rest: FireRest<N>
  ): Promise<Filtered<N, V>> {
    return this.#fire(name, [value, ...rest], undefined) as Promise<Filtered<N, V>>;
  }

  with(extras: HookExtras): Fire {
    return {
      doAction: async (name, ...args) => {
        await this.#fire(name, args, extras);
      },
      applyFilters: <N extends FilterName, V extends FilterValue<N>>(
        name: N,
        value: V,
        ...rest: FireRest<N>
      ) => this.#fire(name, [value, ...rest], extras) as Promise<Filtered<N, V>>,
    };
  }

  /**
   * Runs the taps. Returns the last value of a filter, undefined for an action. Without a tap it costs one
   * look into a map.
   */
  async #fire(name: string, args: readonly unknown[], extras: HookExtras | undefined): Promise<unknown> {
    if (this.options.inTransaction?.() === true)
      throw new HookUsageError(`Hook "${name}" was fired inside an open transaction.`);
    const slot = this.#slots.get(name);
    if (slot === undefined) return args[0];
    const depth = (this.#depth.get() ?? 0) + 1;
    if (depth > MAX_DEPTH)
      throw new HookUsageError(`Hook "${name}": taps call each other more than ${MAX_DEPTH} levels deep.`);
    const live = slot.line.options.live === true;
    const call = Array.from({ length: slot.size }, (_, index) =>
      live ? args[index] : copy(args[index], true),
    );
    call.push(this.#context(extras));
    return this.#depth.run(depth, () => slot.run(call));
  }

  #context(extras: HookExtras | undefined): HookContext {
    const context = this.options.context();
    return Object.freeze({ ...context, user: copy(context.user, true), ...extras });
  }

  #add(given: string, kind: 'action' | 'filter', fn: TapFunction, options: TapOptions): Untap {
    if (typeof fn !== 'function') throw new HookUsageError(`The tap of "${given}" is not a function.`);
    const priority = options.priority ?? 10;
    if (!Number.isFinite(priority))
      throw new HookUsageError(`The priority of a tap of "${given}" is not a number.`);
    const hook = this.#known(given, kind);
    // Its argument types are those of the hook's line in the catalog.
    const tap: Tap = { fn: fn as Tap['fn'], priority, name: (options.name ?? fn.name).trim() || 'anonymous' };
    this.#rebuild(hook, [...(this.#slots.get(hook.name)?.taps ?? []), tap]);
    return () => this.#remove(hook.name, kind, (each) => each === tap);
  }

  #remove(given: string, kind: 'action' | 'filter', gone: (tap: Tap) => boolean): boolean {
    const hook = this.#known(given, kind);
    const taps = this.#slots.get(hook.name)?.taps ?? [];
    const left = taps.filter((tap) => !gone(tap));
    if (left.length === taps.length) return false;
    this.#rebuild(hook, left);
    return true;
  }

  #known(given: string, kind: 'action' | 'filter'): Resolved {
    const known = this.#names.resolve(given) ?? this.#lenient(given, kind);
    if ((known.line.kind === 'filter') !== (kind === 'filter')) {
      throw new HookUsageError(
        `"${given}" is ${known.line.kind === 'filter' ? 'a filter, use addFilter' : 'an action, use addAction'}.`,
      );
    }
    return known;
  }

  #lenient(given: string, kind: 'action' | 'filter'): Resolved {
    if (this.options.strict !== false) return this.#names.unknown(given);
    const name = this.#names.plain(given);
    this.options.log.warn('A tap was added to an unknown hook.', { hook: name });
    const args = Array.from(
      { length: kind === 'filter' ? CUSTOM_ARGS - 1 : CUSTOM_ARGS },
      (_, index) => `arg${index + 1}`,
    );
    const line: Line = {
      kind: kind === 'filter' ? 'filter' : 'after',
      args,
      summary: 'Not declared.',
      options: {},
    };
    this.#names.add(name, line);
    return { name, line };
  }

  /** tapable has no way to remove a tap, so the hook is rebuilt from the remaining taps. */
  #rebuild({ name, line }: Resolved, taps: readonly Tap[]): void {
    if (taps.length === 0) {
      this.#slots.delete(name);
      return;
    }
    this.#slots.set(
      name,
      line.kind === 'filter' ? this.#filterSlot(name, line, taps) : this.#actionSlot(name, line, taps),
    );
  }

  #actionSlot(name: string, line: Line, taps: readonly Tap[]): Slot {
    const size = line.args.length;
    const hook = new AsyncSeriesHook<unknown[]>(argumentNames(size + 1));
    for (const tap of taps) {
      hook.tapPromise({ name: tap.name, stage: tap.priority }, async (...args: unknown[]) => {
        try {
          await tap.fn(...args);
        } catch (error) {
          if (line.kind === 'before') throw stopped(name, tap, error);
          this.options.log.error('A tap failed after the change was stored.', {
            hook: name,
            tap: tap.name,
            record: recordId(args[0]),
            error,
          });
        }
      });
    }
    return { taps, line, size, run: (args) => hook.promise(...args) };
  }

  #filterSlot(name: string, line: FilterLine, taps: readonly Tap[]): Slot {
    const size = line.args.length + 1;
    const hook = new AsyncSeriesWaterfallHook<unknown[]>(argumentNames(size + 1));
    for (const tap of taps) {
      hook.tapPromise({ name: tap.name, stage: tap.priority }, async (...args: unknown[]) => {
        const response = await (line.options.shown === true
          ? this.#shown(name, tap, args)
          : this.#call(name, tap, args));
        if (response === undefined) return undefined;
        if (line.options.check === undefined || line.options.check(response)) return copy(response, true);
        if (line.options.shown === true) {
          this.options.log.error('An answer of a filter cannot be shown.', { hook: name, tap: tap.name });
          return undefined;
        }
        if (line.options.bad !== 'drop') throw new HookResultError(name, tap.name);
        this.options.log.debug('An answer of a filter was ignored.', { hook: name, tap: tap.name });
        return undefined;
      });
    }
    // The caller gets a copy it may change, as it would without taps; the taps have the frozen one.
    return { taps, line, size, run: async (args) => copy(await hook.promise(...args), false) };
  }

  async #shown(hook: string, tap: Tap, args: unknown[]): Promise<unknown> {
    try {
      return await tap.fn(...args);
    } catch (error) {
      this.options.log.error('A filter of something shown failed.', { hook, tap: tap.name, error });
      return undefined;
    }
  }

  async #call(hook: string, tap: Tap, args: unknown[]): Promise<unknown> {
    try {
      return await tap.fn(...args);
    } catch (error) {
      throw stopped(hook, tap, error);
    }
  }
}

/** tapable compiles these names into code, so we choose them; an extension's text must never get there. */
const argumentNames = (size: number): [string, ...string[]] => [
  'arg0',
  ...Array.from({ length: size - 1 }, (_, index) => `arg${index + 1}`),
];

const recordId = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value;

function stopped(hook: string, tap: Tap, error: unknown): Error {
  if (error instanceof HookVeto)
    return new AffiliateError('hook_aborted', { message: error.message, status: error.status, cause: error });
  if (error instanceof HookError || (error instanceof AffiliateError && error.code === 'hook_aborted'))
    return error;
  return new HookError(hook, tap.name, 'failed', error);
}
