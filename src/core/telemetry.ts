// The parts of `@opentelemetry/api` that are used. The host hands its copy over, so the package depends on none.

type Attributes = Record<string, string | number | boolean>;

interface Span {
  setAttribute(name: string, value: string | number | boolean): unknown;
  recordException(error: Error | string): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

interface ObservableResult {
  observe(value: number, attributes?: Attributes): void;
}
interface Observable {
  addCallback(callback: (result: ObservableResult) => void | Promise<void>): void;
}

export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): {
      startActiveSpan<T>(name: string, options: { attributes: Attributes }, work: (span: Span) => T): T;
    };
  };
  readonly metrics: {
    getMeter(name: string): {
      createObservableGauge(name: string): Observable;
      createObservableCounter(name: string): Observable;
    };
  };
}

const NAME = 'affiliate-service';
const ERROR = 2; // SpanStatusCode.ERROR

/** Spans of OpenTelemetry around work; without OpenTelemetry the work runs as it is. */
export class Telemetry {
  constructor(private readonly api: OpenTelemetry | undefined) {}

  /** Attributes name kinds and ids of the service, never persons or what was sent. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    if (this.api === undefined) return work();
    return this.api.trace.getTracer(NAME).startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.recordException(error instanceof Error ? error : String(error));
        span.setStatus({ code: ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** Figures that are read when the host's exporter asks for them. */
  observe(kind: 'counter' | 'gauge', name: string, read: () => Promise<readonly Sample[]>): void {
    const meter = this.api?.metrics.getMeter(NAME);
    const made =
      kind === 'counter' ? meter?.createObservableCounter(name) : meter?.createObservableGauge(name);
    made?.addCallback(async (result) => {
      for (const { value, attributes } of await read()) result.observe(value, attributes);
    });
  }
}

export interface Sample {
  readonly value: number;
  readonly attributes?: Attributes;
}
