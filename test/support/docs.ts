import type { TSchema } from 'typebox';
import type { Policy } from '../../src/platform/access/policies.js';
import { ERRORS } from '../../src/errors.js';
import type { Route } from '../../src/platform/http/define-route.js';
import { EVENT_TYPES, EVENTS } from '../../src/program/event-log/types.js';
import { allRoutes } from '../../src/app/routes.js';
import { optionSchema } from '../../src/options.js';

type Schema = TSchema & {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
};

/** The generated tables of docs/reference.md by the name of their marker. */
export const tables = (): Readonly<Record<string, string>> => ({
  options: optionTable(),
  endpoints: endpointTable(),
  errors: errorTable(),
});

const withTable = (text: string, name: string, table: string): string => {
  const marked = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
  if (!marked.test(text)) throw new Error(`The text has no place for the table ${name}`);
  return text.replace(marked, () => `<!-- ${name} -->\n${table}\n<!-- /${name} -->`);
};

/** docs/events.md with the table of all events. */
export const withEvents = (text: string): string =>
  withTable(
    text,
    'events',
    [
      '| Event | Sent when | `data` |',
      '|---|---|---|',
      ...EVENT_TYPES.map((type) => {
        const { object, summary: tells } = EVENTS[type];
        return `| \`${type}\` | ${tells} | ${object.replaceAll('_', ' ')} |`;
      }),
    ].join('\n'),
  );

/** A text with every `<!-- name -->…<!-- /name -->` filled; throws when a marker is missing. */
export function withTables(text: string): string {
  return Object.entries(tables()).reduce((result, [name, table]) => withTable(result, name, table), text);
}

/** Where the programs are that are no server of a framework. */
const FOLDERS: Readonly<Record<string, string>> = {
  people: 'shop',
  host: 'shop',
  affiliates: 'shop',
  html: 'shop',
  medusa: 'medusa',
  subscriber: 'medusa',
  middleware: 'medusa',
  vendure: 'vendure',
  plugin: 'vendure',
};

/**
 * A text with the programs of examples/hosts in its blocks with a file name; on the page all files are
 * in one folder.
 */
export const withPrograms = (text: string, read: (path: string) => string): string =>
  text.replaceAll(/(```js file=(\w+)\.mjs\n)[\s\S]*?```/g, (_, head: string, name: string) => {
    const folder = FOLDERS[name];
    const file = folder === undefined ? `${name}/server.mjs` : `${folder}/${name}.mjs`;
    return `${head}${read(`examples/hosts/${file}`).replaceAll("'../shop/", "'./")}\`\`\``;
  });

/** Every option by its full name, as in `tracking.cookie.name`. */
export function optionRows(schema: Schema = optionSchema, prefix = ''): { name: string; schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    inner.properties ? optionRows(inner, `${prefix}${key}.`) : [{ name: prefix + key, schema: inner }],
  );
}

function optionTable(): string {
  const rows = optionRows().map(({ name, schema }) => [
    code(name),
    defaultOf(schema),
    oneOf(schema) + cell(schema.description ?? ''),
  ]);
  return table(['Option', 'Default', 'Meaning'], rows);
}

const oneOf = ({ enum: words }: Schema): string => (words ? `${words.map(code).join(' or ')}. ` : '');

function defaultOf({ default: value }: Schema): string {
  return value === undefined || value === '' ? '' : code(JSON.stringify(value).replaceAll('"', "'"));
}

function endpointTable(): string {
  const sorted = allRoutes().toSorted((a, b) => key(a).localeCompare(key(b), 'en'));
  return table(
    ['Method', 'Path', 'Also at', 'Who', 'What'],
    sorted.map((route) => {
      const [path, ...aliases] = route.paths;
      return [
        route.method.toUpperCase(),
        code(path),
        aliases.map(code).join(' '),
        who(route.access),
        // A second sentence needs the full stop of the first one.
        cell(route.summary.replace(/\. .*$/, '$&.')),
      ];
    }),
  );
}

const METHODS = ['get', 'post', 'patch', 'delete'];
const key = (route: Route): string => `${route.paths[0]} ${METHODS.indexOf(route.method)}`;

function who(policy: Policy): string {
  switch (policy.kind) {
    case 'section':
      if (policy.sends) return `${policy.section}, to send, no keys`;
      return policy.also ? `${policy.section}, ${policy.also}` : policy.section;
    case 'signed_in':
      return 'signed in';
    case 'admin':
      return policy.peopleOnly ? 'settings, no keys' : (policy.delegable ?? 'administrator');
    default:
      return policy.kind;
  }
}

function errorTable(): string {
  return table(
    ['Code', 'Status', 'Text'],
    Object.entries(ERRORS).map(([name, [status, text]]) => [code(name), String(status), cell(text)]),
  );
}

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
