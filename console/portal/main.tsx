import './portal.css';
import { mount } from '../shared/mount.js';
import { Portal } from './portal.js';
import { loadScreen } from './screens.js';

void mount(() => <Portal />, import.meta.glob('./texts/*.json') as never, loadScreen);
