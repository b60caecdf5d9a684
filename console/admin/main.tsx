import './admin.css';
import { mount } from '../shared/mount.js';
import { Console } from './console.js';
import { loadScreen } from './screens.js';

void mount(() => <Console />, import.meta.glob('./texts/*.json') as never, loadScreen);
