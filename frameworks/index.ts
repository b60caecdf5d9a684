export { toFastify } from './fastify.js';
export { toKoa } from './koa.js';
export { toNode } from './node.js';
export { originalOf, type BridgedService, type Mounts } from './service.js';
export { plainRequest, toWeb, type WebPage } from './web.js';
export type { WebClient } from './web-message.js';
