import { HttpAdapterHost } from '@nestjs/core';
import {
  createAffiliateService,
  type AffiliateService,
  type AffiliateServiceOptions,
  type HostAdapter,
} from '../src/index.js';
import { pagesOf, type PageSettings } from './cms/pages.js';
import { toFastify } from './fastify.js';
import type { Mounts } from './service.js';

/** Injects the service: `@Inject(AFFILIATES) private readonly affiliates: AffiliateService`. */
export const AFFILIATES: unique symbol = Symbol('affiliate-service');
const SETTINGS = Symbol('affiliate-service settings');
const MOUNTED = Symbol('affiliate-service mounted');

/**
 * The program of a Nest application. `console` and `portal` are the paths of the pages; `false` turns one
 * off.
 */
export interface NestSettings extends PageSettings {
  readonly host: HostAdapter;
  readonly options?: AffiliateServiceOptions;
  /** Where console and portal let people sign in. Default: `site().loginUrl` of the host. */
  readonly loginUrl?: string;
}

type Token = string | symbol | (abstract new (...args: never[]) => unknown);

export interface NestAsyncSettings<Module> {
  /** Modules whose providers are injected. */
  readonly imports?: readonly Module[];
  /** What the factory is called with, in this order. */
  readonly inject?: readonly Token[];
  readonly useFactory: (...injected: never[]) => NestSettings | Promise<NestSettings>;
}

interface Provider {
  provide: symbol;
  inject: Token[];
  useFactory: (...injected: unknown[]) => unknown;
}

/** Nest's `DynamicModule`. */
export interface NestModule<Module> {
  module: typeof AffiliatesModule;
  global: boolean;
  imports: Module[];
  providers: Provider[];
  exports: symbol[];
}

/**
 * The affiliate program as a global module of Nest, on Express or Fastify (docs/hosts.md §3). It is mounted after what
 * `main.ts` uses, such as sessions, and before Nest's body parser. It closes with the application.
 */
// Nest wants a class.
// oxlint-disable-next-line typescript/no-extraneous-class
export class AffiliatesModule {
  static forRoot(settings: NestSettings): NestModule<never> {
    return AffiliatesModule.forRootAsync<never>({ useFactory: () => settings });
  }

  /** With settings that other providers take part in: `{ inject: [DataSource], useFactory: (source) => … }`. */
  static forRootAsync<Module = never>({
    imports = [],
    inject = [],
    useFactory,
  }: NestAsyncSettings<Module>): NestModule<Module> {
    return {
      module: AffiliatesModule,
      global: true,
      imports: [...imports],
      providers: [
        { provide: SETTINGS, inject: [...inject], useFactory: useFactory as Provider['useFactory'] },
        {
          provide: AFFILIATES,
          inject: [SETTINGS],
          useFactory: (settings) => {
            const { host, options } = settings as NestSettings;
            return createAffiliateService(host, options);
          },
        },
        {
          provide: MOUNTED,
          inject: [HttpAdapterHost, AFFILIATES, SETTINGS],
          useFactory: (adapters, service, settings) =>
            new Mounting(adapters as AdapterHost, service as AffiliateService, settings as NestSettings),
        },
      ],
      exports: [AFFILIATES],
    };
  }
}

// What is used of Nest 11 and 12.

interface Adapter {
  getType(): string;
  getInstance(): unknown;
  /** Called by the application just before it adds its body parser. */
  init?(): unknown;
}

interface AdapterHost {
  readonly httpAdapter: Adapter;
  /** Emits once, when there is an adapter: in tests after the providers were made. */
  readonly init$: { subscribe(next: () => void): unknown };
}

class Mounting {
  constructor(
    adapters: AdapterHost,
    private readonly service: AffiliateService,
    settings: NestSettings,
  ) {
    const { loginUrl = settings.host.site().loginUrl ?? '/login' } = settings;
    const pages = pagesOf(service, settings, loginUrl);
    adapters.init$.subscribe(() => {
      const adapter = adapters.httpAdapter;
      const init = adapter.init?.bind(adapter);
      adapter.init = async () => {
        await init?.();
        await mount(adapter, service, pages);
      };
    });
  }

  /** Called by Nest after the server has closed. */
  onApplicationShutdown(): Promise<void> {
    return this.service.close();
  }
}

interface ExpressInstance {
  use(...args: unknown[]): unknown;
}
interface FastifyInstance {
  register(plugin: unknown): PromiseLike<unknown>;
}

async function mount(adapter: Adapter, service: AffiliateService, pages: Mounts): Promise<void> {
  const instance = adapter.getInstance();
  if (adapter.getType() === 'fastify') {
    await (instance as FastifyInstance).register(toFastify(service, pages));
    return;
  }
  service.mount(instance as ExpressInstance);
  for (const [path, handler] of Object.entries(pages)) (instance as ExpressInstance).use(path, handler);
}
