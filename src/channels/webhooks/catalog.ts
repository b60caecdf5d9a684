import { EVENTS, type EventLine, type EventType } from '../../program/event-log/types.js';

export const PING = 'test.ping';

export const isEventType = (value: unknown): value is EventType =>
  typeof value === 'string' && Object.hasOwn(EVENTS, value);

export const lineOf = (type: EventType): EventLine => EVENTS[type];
