export { messageRoutes } from './routes.js';
export { MessagesService } from './service.js';
