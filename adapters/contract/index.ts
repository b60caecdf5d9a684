export { commerceContract, type CommerceFixture, type CommerceSubject } from './commerce.js';
export { dialectContract, type DialectSubject } from './dialect.js';
export { HOST_CHECKS, hostContract, whySkipped, type HostCheck, type HostFixture } from './host.js';
export { HOST_PARTS, hostParts, type HostPart } from '../host-parts.js';
export type { TestApi } from './test-api.js';
