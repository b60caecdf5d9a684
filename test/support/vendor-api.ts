import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Row = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export interface Asked {
  readonly host: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** A vendor on this machine: answers over HTTP as its documentation says, from rows a test puts there. */
export class VendorApi {
  readonly asked: Asked[] = [];
  /** Objects by their path, and lists of them; lists are read in pages. */
  readonly objects = new Map<string, unknown>();
  readonly lists = new Map<string, Row[]>();
  /** Rows of a page the vendor gives at most. */
  pageMax = 100;
  /** What it answers in place of its rows; null lets the request through. */
  interfere: (asked: Asked, count: number) => Answer | null = () => null;
  readonly #server: Server;

  constructor(private readonly read: (api: VendorApi, asked: Asked) => Answer) {
    this.#server = createServer((req, res) => {
      const url = new URL(req.url ?? '/', 'http://vendor');
      const asked: Asked = {
        host: String(req.headers['x-asked-host']),
        path: url.pathname,
        query: url.searchParams,
        headers: req.headers,
      };
      this.asked.push(asked);
      const {
        status = 200,
        headers = {},
        body,
      } = this.interfere(asked, this.asked.length) ?? this.read(this, asked);
      res
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return this;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The host's own `fetch`: the vendor's names lead here. */
  get fetch(): typeof fetch {
    return (input, init) => {
      const { host, pathname, search } = input as URL;
      const { port } = this.#server.address() as AddressInfo;
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, {
        ...init,
        headers: { ...(init?.headers as Record<string, string>), 'X-Asked-Host': host },
      });
    };
  }
}

const found = (api: VendorApi, path: string, wrap: (value: unknown) => unknown = (value) => value): Answer =>
  api.objects.has(path) ? { body: wrap(api.objects.get(path)) } : { status: 404 };

/** `has_more` and `starting_after`, newest first. */
export const stripeVendor = (): VendorApi =>
  new VendorApi((api, { path, query, headers }) => {
    const rows = api.lists.get(`${String(headers['stripe-account'] ?? '')}${path}`);
    if (!rows)
      return found(api, path + (query.has('payment_intent') ? `?${query.get('payment_intent')}` : ''));
    const [limit, after, since] = [
      Math.min(api.pageMax, Number(query.get('limit'))),
      query.get('starting_after'),
      Number(query.get('created[gte]') ?? 0),
    ];
    const types = query.getAll('types[]');
    const all = rows.filter(
      (row) =>
        Number(row['created'] ?? since) >= since &&
        (types.length === 0 || types.includes(String(row['type']))),
    );
    const from = after === null ? 0 : all.findIndex((row) => row['id'] === after) + 1;
    return {
      body: { object: 'list', data: all.slice(from, from + limit), has_more: from + limit < all.length },
    };
  });

/** `offset` and `per_page`, by id. */
export const wooVendor = (): VendorApi =>
  new VendorApi((api, { host, path, query }) => {
    const rows = api.lists.get(host + path) ?? api.lists.get(path);
    if (!rows) return found(api, path);
    const [limit, offset] = [Number(query.get('per_page') ?? 10), Number(query.get('offset') ?? 0)];
    const all = rows
      .filter((row) => String(row['date_modified_gmt'] ?? '9') > (query.get('modified_after') ?? ''))
      .toSorted((a, b) => Number(a['id']) - Number(b['id']));
    return { body: all.slice(offset, offset + limit) };
  });

/** A `Link` header names the next page; with `page_info` no filter may be sent. */
export const shopifyVendor = (): VendorApi =>
  new VendorApi((api, { host, path, query }) => {
    const name = path.split('/').at(-1)?.replace('.json', '') ?? '';
    const rows = api.lists.get(path);
    if (!rows)
      return found(api, path, (value) => (Array.isArray(value) ? { [name]: value } : { order: value }));
    const info = query.get('page_info');
    if (info !== null && (query.has('status') || query.has('updated_at_min')))
      return { status: 400, body: { errors: 'page_info with filters' } };
    const [since, offset] =
      info === null
        ? [query.get('updated_at_min') ?? '', 0]
        : [info.split('~')[0]!, Number(info.split('~')[1])];
    const limit = Math.min(api.pageMax, Number(query.get('limit')));
    const all = rows.filter((row) => Date.parse(String(row['updated_at'])) >= Date.parse(since));
    const next =
      offset + limit < all.length
        ? `<https://${host}${path}?limit=${limit}&page_info=${encodeURIComponent(`${since}~${offset + limit}`)}>; rel="next"`
        : '';
    // Ids longer than a number can be are sent as numbers all the same.
    const body = JSON.stringify({ [name]: all.slice(offset, offset + limit) }).replaceAll(/"#(\d+)"/g, '$1');
    return {
      body,
      ...(next && {
        headers: { Link: `<https://${host}${path}?page_info=before>; rel="previous", ${next}` },
      }),
    };
  });
