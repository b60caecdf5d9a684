// The part of @nestjs/core that frameworks/nest.ts uses. Nest is a package of the host and is not installed here.
export declare class HttpAdapterHost {
  readonly httpAdapter: unknown;
}
