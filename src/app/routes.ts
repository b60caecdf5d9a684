import type { App } from './app.js';
import { userRoutes } from '../channels/users/index.js';
import { MODULES } from './modules.js';
import type { Route } from '../platform/http/define-route.js';

/** Every endpoint of the service, module by module; nothing else is mounted. */
export const allRoutes = (): readonly Route<App>[] => [
  ...MODULES.flatMap((module): readonly Route<App>[] => module.routes),
  ...userRoutes,
];
