import { isMap } from '../../core/is-map.js';
import { cleanHtml } from '../../core/html.js';
import { cut, LINE, LINES, nameKey } from '../../core/text.js';
import { FieldCheck } from '../../errors.js';
import { asList } from '../../platform/http/form.js';
import { type Plain } from '../../platform/http/limits.js';
import { normalize } from '../../platform/http/normalize.js';
import { builtIn, BUILT_IN, HONEYPOT } from './built-in.js';
import { CUSTOM_TYPES, type CustomType, type Flag, type RegistrationField } from './types.js';

// Rules for saving the list of fields (docs/settings.md §8).

const MAX_CUSTOM = 50;
const MAX_OPTIONS = 100;
const LENGTHS = { label: 191, placeholder: 255, help_text: 1000, option: 100, html: 65_535 } as const;
const NAME = /^[a-z]\w{0,63}$/i;
const WITH_OPTIONS = new Set<string>(['select', 'radio', 'multiselect']);

/** The list in stored form: in the given order, with built-in fields restored; throws every failed rule. */
export function readFieldList(
  given: readonly unknown[],
  current: readonly RegistrationField[],
  defaultTerms: string,
): RegistrationField[] {
  const reader = new FieldListReader(current, defaultTerms);
  const fields = given.flatMap((item, index) => reader.read(item, index) ?? []);
  return reader.finish(fields);
}

class FieldListReader {
  readonly #check = new FieldCheck();
  readonly #names = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(
    private readonly current: readonly RegistrationField[],
    private readonly defaultTerms: string,
  ) {
    for (const { name } of [...current, ...BUILT_IN]) this.#names.add(name);
  }

  read(item: unknown, index: number): RegistrationField | null {
    const path = `fields.${index}`;
    if (!isMap(item)) {
      this.#check.add(path, 'array', 'The field must be an object.');
      return null;
    }
    const name = typeof item['name'] === 'string' ? item['name'].trim() : '';
    const known = builtIn(name);
    if (known && normalize({ flag: true }, item['custom']) !== 'yes') return this.#builtIn(known, item, path);
    if (known || name === HONEYPOT)
      this.#check.add(`${path}.name`, 'distinct', 'The form already has a field with this name.');
    else if (name !== '' && !NAME.test(name))
      this.#check.add(
        `${path}.name`,
        'format',
        'Use letters, digits and underscores in the name. Begin with a letter.',
      );
    return this.#custom(name, item, path);
  }

  finish(fields: readonly RegistrationField[]): RegistrationField[] {
    if (fields.filter((field) => field.custom === 'yes').length > MAX_CUSTOM)
      this.#check.add('fields', 'max', `Use at most ${MAX_CUSTOM} fields of your own.`);
    this.#check.throwIfAny();
    const missing = BUILT_IN.filter(({ name }) => !fields.some((field) => field.name === name));
    return [...fields, ...missing.map((field) => this.#stored(field.name) ?? field)];
  }

  #builtIn(known: RegistrationField, item: Plain, path: string): RegistrationField {
    this.#once(known.name, path);
    const before = this.#stored(known.name) ?? known;
    const locked = known.disable_alter === 'yes';
    return {
      ...known,
      label: this.#text(item, 'label', path, before.label) || known.label,
      placeholder: this.#text(item, 'placeholder', path, before.placeholder),
      help_text: this.#text(item, 'help_text', path, before.help_text),
      required:
        locked || known.type === 'raw_html'
          ? known.required
          : this.#flag(item, 'required', path, before.required),
      enabled: locked ? known.enabled : this.#flag(item, 'enabled', path, before.enabled),
      ...(known.html === undefined ? {} : { html: this.#html(item, 'html', path, before.html) }),
      ...(known.inline_label === undefined
        ? {}
        : { inline_label: this.#termsText(item, path, before.inline_label) }),
    };
  }

  #custom(given: string, item: Plain, path: string): RegistrationField {
    const label = this.#text(item, 'label', path, '');
    if (label === '') this.#check.add(`${path}.label`, 'required', 'The label is required.');
    const name = given === '' ? this.#newName(label) : given;
    this.#once(name, path);
    const type = this.#type(name, item['type'], path);
    return {
      name,
      type,
      label,
      placeholder: this.#text(item, 'placeholder', path, ''),
      help_text: this.#text(item, 'help_text', path, ''),
      required: this.#flag(item, 'required', path, 'no'),
      enabled: this.#flag(item, 'enabled', path, 'yes'),
      readonly: 'no',
      value: '',
      system_defined: 'no',
      disable_alter: 'no',
      public_only: 'no',
      is_hidden: 'no',
      custom: 'yes',
      options: WITH_OPTIONS.has(type) ? this.#options(item['options'], path) : [],
    };
  }

  #type(name: string, given: unknown, path: string): CustomType {
    const type = CUSTOM_TYPES.find((known) => known === given);
    const before = this.#stored(name)?.type;
    if (given === undefined || given === null || given === '')
      this.#check.add(`${path}.type`, 'required', 'The type is required.');
    else if (type === undefined)
      this.#check.add(`${path}.type`, 'in', `The type must be one of: ${CUSTOM_TYPES.join(', ')}.`);
    else if (before !== undefined && before !== type)
      this.#check.add(`${path}.type`, 'in', 'The type of a field cannot be changed.');
    return type ?? 'text';
  }

  #options(given: unknown, path: string): string[] {
    const list = asList(given ?? []);
    if (!Array.isArray(list)) {
      this.#check.add(`${path}.options`, 'array', 'The options must be a list.');
      return [];
    }
    const options = list.map((option: unknown) =>
      typeof option === 'string' || typeof option === 'number' ? String(option).trim() : '',
    );
    if (options.length === 0) this.#check.add(`${path}.options`, 'required', 'The options are required.');
    if (options.length > MAX_OPTIONS)
      this.#check.add(`${path}.options`, 'max', `Use at most ${MAX_OPTIONS} options.`);
    options.forEach((option, at) => {
      if (option === '')
        this.#check.add(`${path}.options.${at}`, 'required', 'The option must not be empty.');
      if (!LINE.fits(option)) this.#check.add(`${path}.options.${at}`, LINE.rule, LINE.says);
      if (cut(option, LENGTHS.option) !== option)
        this.#check.add(
          `${path}.options.${at}`,
          'max',
          `The option must have at most ${LENGTHS.option} characters.`,
        );
    });
    if (new Set(options.map(nameKey)).size < options.length)
      this.#check.add(`${path}.options`, 'distinct', 'The options must differ.');
    return options;
  }

  /**
   * The label with the link is made again whenever it is shown, unless an administrator wrote another text.
   */
  #termsText(item: Plain, path: string, before: string | undefined): string {
    const text = this.#html(item, 'inline_label', path, before);
    return text === cleanHtml(this.defaultTerms) ? '' : text;
  }

  #html(item: Plain, key: 'html' | 'inline_label', path: string, before = ''): string {
    const given = item[key];
    if (given === undefined) return before;
    if (typeof given !== 'string' && given !== null)
      this.#check.add(`${path}.${key}`, 'string', 'This must be text.');
    const html = cleanHtml(typeof given === 'string' ? given : '');
    if (typeof given === 'string' && !LINES.fits(given))
      this.#check.add(`${path}.${key}`, LINES.rule, LINES.says);
    if (html.length > LENGTHS.html) this.#check.add(`${path}.${key}`, 'max', 'The text is too long.');
    return html;
  }

  #text(item: Plain, key: 'label' | 'placeholder' | 'help_text', path: string, before: string): string {
    const given = item[key];
    if (given === undefined) return before;
    if (given !== null && typeof given !== 'string' && typeof given !== 'number')
      this.#check.add(`${path}.${key}`, 'string', 'This must be text.');
    const text = typeof given === 'string' || typeof given === 'number' ? String(given).trim() : '';
    if (!LINE.fits(text)) this.#check.add(`${path}.${key}`, LINE.rule, LINE.says);
    if (cut(text, LENGTHS[key]) !== text)
      this.#check.add(`${path}.${key}`, 'max', `Use at most ${LENGTHS[key]} characters.`);
    return text;
  }

  #flag(item: Plain, key: 'required' | 'enabled', path: string, before: Flag): Flag {
    const flag = normalize({ flag: true }, item[key]) ?? before;
    if (flag === 'yes' || flag === 'no') return flag;
    this.#check.add(`${path}.${key}`, 'in', 'This must be yes or no.');
    return before;
  }

  #once(name: string, path: string): void {
    if (this.#seen.has(name)) this.#check.add(`${path}.name`, 'distinct', 'Two fields have the same name.');
    this.#seen.add(name);
    this.#names.add(name);
  }

  #newName(label: string): string {
    const slug =
      label
        .normalize('NFKD')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replaceAll(/^_+|_+$/g, '')
        .slice(0, 40) || 'field';
    for (let number = 1; ; number++) {
      const name = `custom_${slug}${number === 1 ? '' : `_${number}`}`;
      if (!this.#names.has(name)) return name;
    }
  }

  #stored(name: string): RegistrationField | undefined {
    return this.current.find((field) => field.name === name);
  }
}
