import { announce } from './afterwards.js';

announce();
