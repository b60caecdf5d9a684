export { commerceContract, type CommerceFixture, type CommerceSubject } from './commerce.js';
export { dialectContract, type DialectSubject } from './dialect.js';
export { hostContract, type HostFixture } from './host.js';
export type { TestApi } from './test-api.js';
