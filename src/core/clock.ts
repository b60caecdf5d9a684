// The one place that reads the system's time. Everything else asks app.clock.

export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
