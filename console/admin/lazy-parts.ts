import { withTexts, type Loaders } from '../shared/load-texts.js';

// Rarely opened parts with half of the texts, so their texts load with them.
const TEXTS = import.meta.glob('./settings/texts/*.json') as Loaders;

export const withLateTexts = <Part extends object>(part: Promise<Part>): Promise<Part> =>
  withTexts(part, TEXTS);

export const loadGuide = () => withLateTexts(import('./guide/guide.js'));
export const loadPalette = () => import('./palette/palette.js');
/** The application of an affiliate. */
export const loadApplication = () => withLateTexts(import('./applications/application.js'));
export const loadDeletion = () => withLateTexts(import('./applications/deletion.js'));
/** The messages to an affiliate. */
export const loadAffiliateMessages = () => withLateTexts(import('./messages/of-affiliate.js'));
/** Moves an order to another affiliate. */
export const loadGiving = () => withLateTexts(import('./giving/give.js'));
