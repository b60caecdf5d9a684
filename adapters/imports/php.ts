/** The values that are read from serialized PHP: scalars and arrays, never objects. */
export type PhpValue =
  string | number | boolean | null | readonly PhpValue[] | { readonly [key: string]: PhpValue };

export type PhpReading =
  | { readonly ok: true; readonly value: PhpValue }
  | { readonly ok: false; readonly reason: 'serialized_object_refused' | 'serialized_malformed' };

export interface PhpOptions {
  /** Objects become maps of their scalar values; without this, a text with an object is refused. */
  readonly objectsAsMaps?: boolean;
}

const MAX_BYTES = 1_048_576;
const MAX_DEPTH = 20;
const MAX_VALUES = 50_000;
/** Kinds that are objects, or refer to one. */
const OBJECTS = ['O', 'C', 'E', 'r', 'R'];

class Refusal extends Error {
  constructor(readonly reason: 'serialized_object_refused' | 'serialized_malformed') {
    super(reason);
  }
}

export const looksSerialized = (text: string): boolean => /^(?:[aOCsidbrR]:\d|N;|E:\d)/u.test(text);

/**
 * Reads serialized PHP without evaluating anything: a plain parser over bytes,
 * since PHP counts lengths in bytes.
 */
export function readPhp(text: string, { objectsAsMaps = false }: PhpOptions = {}): PhpReading {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_BYTES) return { ok: false, reason: 'serialized_malformed' };
  try {
    const reader = new Reader(bytes, objectsAsMaps);
    const value = reader.value(0);
    return reader.atEnd ? { ok: true, value } : { ok: false, reason: 'serialized_malformed' };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.reason };
    throw error;
  }
}

class Reader {
  #at = 0;
  #values = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly objectsAsMaps: boolean,
  ) {}

  get atEnd(): boolean {
    return this.#at === this.bytes.length;
  }

  value(depth: number): PhpValue {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES) throw new Refusal('serialized_malformed');
    const kind = this.#take(1);
    if (kind === 'N') return this.#expect(';', null);
    if (kind === 'O' && this.objectsAsMaps) return this.#object(depth);
    if (OBJECTS.includes(kind)) throw new Refusal('serialized_object_refused');
    this.#expect(':', null);
    switch (kind) {
      case 'i':
        return this.#number(/^[+-]?\d{1,19}$/u);
      case 'd':
        return this.#number(/^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:E[+-]?\d{1,3})?)$/iu);
      case 'b':
        return this.#number(/^[01]$/u) === 1;
      case 's':
        return this.#string();
      case 'a':
        return this.#array(depth);
      default:
        throw new Refusal('serialized_malformed');
    }
  }

  #number(form: RegExp): number {
    const text = this.#until(';');
    if (!form.test(text)) throw new Refusal('serialized_malformed');
    return Number(text);
  }

  #length(): number {
    const text = this.#until(':');
    if (!/^\d{1,7}$/u.test(text)) throw new Refusal('serialized_malformed');
    return Number(text);
  }

  #string(): string {
    const length = this.#length();
    this.#expect('"', null);
    const text = this.#take(length);
    this.#expect('"', null);
    return this.#expect(';', text);
  }

  /** Reads the plain values of an object as a map; nothing is done with its class. */
  #object(depth: number): PhpValue {
    this.#expect(':', null);
    this.#length();
    this.#expect('"', null);
    this.#className();
    this.#expect(':', null);
    const fields = this.#array(depth);
    return Object.fromEntries(
      Object.entries(fields as Readonly<Record<string, PhpValue>>)
        .map(([name, value]) => [name.replace(/^\0[^\0]*\0/u, ''), value] as const)
        .filter(([, value]) => value === null || typeof value !== 'object'),
    );
  }

  /** Skips to the closing quote: the name is not needed, and its stored length is not always right. */
  #className(): void {
    const end = this.bytes.indexOf('"', this.#at);
    if (end < 0 || end - this.#at > 255) throw new Refusal('serialized_malformed');
    this.#take(end - this.#at + 1);
  }

  #array(depth: number): PhpValue {
    const length = this.#length();
    this.#expect('{', null);
    const entries: [string, PhpValue][] = [];
    for (let at = 0; at < length; at++) {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' && typeof key !== 'number') throw new Refusal('serialized_malformed');
      entries.push([String(key), this.value(depth + 1)]);
    }
    this.#expect('}', null);
    const isList = entries.every(([key], at) => key === String(at));
    return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }

  #take(length: number): string {
    const end = this.#at + length;
    if (end > this.bytes.length) throw new Refusal('serialized_malformed');
    const text = this.bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  #until(mark: string): string {
    const end = this.bytes.indexOf(mark, this.#at);
    if (end < 0 || end - this.#at > 40) throw new Refusal('serialized_malformed');
    const text = this.#take(end - this.#at);
    this.#at += 1;
    return text;
  }

  #expect<T>(text: string, then: T): T {
    if (this.#take(text.length) !== text) throw new Refusal('serialized_malformed');
    return then;
  }
}

/** Reads a stored structure, serialized or JSON; plain text and null do not change. */
export function readStructure(stored: unknown, options: PhpOptions = {}): PhpReading {
  if (typeof stored !== 'string' || stored.trim() === '') return { ok: true, value: null };
  const text = stored.trim();
  if (looksSerialized(text)) return readPhp(text, options);
  if (!/^[[{]/u.test(text)) return { ok: true, value: text };
  try {
    return { ok: true, value: JSON.parse(text) as PhpValue };
  } catch {
    return { ok: true, value: text };
  }
}
