import { handlers } from '../../../program.js';

export const { DELETE, GET, PATCH, POST, PUT } = handlers;
