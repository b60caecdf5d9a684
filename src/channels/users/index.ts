export { userRoutes } from './routes.js';
export { UsersService } from './service.js';
