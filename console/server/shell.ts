import type { Entry } from './assets.js';
import type { Boot, Locale } from './boot.js';

const RIGHT_TO_LEFT = new Set(['ar']);
const REPLACEMENTS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => REPLACEMENTS[sign] ?? sign);

// Inside a script element only `</script` and `<!--` matter; U+2028 and U+2029 are legal JSON.
const jsonText = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const nonceOf = (nonce: string): string => (nonce === '' ? '' : ` nonce="${escapeHtml(nonce)}"`);

/** The text of a page if its scripts do not load. */
interface Unloaded {
  readonly noScript: string;
  readonly slow: string;
  readonly again: string;
}
const UNLOADED: Readonly<Record<Locale, Unloaded>> = {
  en: {
    noScript: 'This page needs JavaScript.',
    slow: 'This page takes long to load.',
    again: 'Load it again',
  },
  de: { noScript: 'Diese Seite braucht JavaScript.', slow: 'Diese Seite lädt lange.', again: 'Neu laden' },
  es: {
    noScript: 'Esta página necesita JavaScript.',
    slow: 'Esta página tarda en cargarse.',
    again: 'Volver a cargar',
  },
  fr: {
    noScript: 'Cette page a besoin de JavaScript.',
    slow: 'Cette page est longue à charger.',
    again: 'Recharger',
  },
  ar: {
    noScript: 'تحتاج هذه الصفحة إلى JavaScript.',
    slow: 'يستغرق تحميل هذه الصفحة وقتًا طويلاً.',
    again: 'إعادة التحميل',
  },
};

/** The HTML page of an app. `assets` is the URL of its files, relative to the page or absolute. */
export function shell(boot: Boot, entry: Entry, assets: string): string {
  const nonce = nonceOf(boot.styleNonce);
  const scheme = boot.theme.scheme ?? 'auto';
  const direction = RIGHT_TO_LEFT.has(boot.locale) ? 'rtl' : 'ltr';
  const unloaded = UNLOADED[boot.locale];
  const colors = scheme === 'auto' ? '' : ` data-mantine-color-scheme="${scheme}"`;
  return `<!doctype html>
<html lang="${boot.locale}" dir="${direction}"${colors}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<meta name="color-scheme" content="${scheme === 'auto' ? 'light dark' : scheme}">
<title>${escapeHtml(boot.title)}</title>
${entry.styles.map((name) => `<link rel="stylesheet" href="${assets}${name}">`).join('\n')}
${entry.preloads.map((name) => `<link rel="modulepreload" href="${assets}${name}">`).join('\n')}
<script type="application/json" id="affiliate-boot">${jsonText(boot)}</script>
<script type="module" src="${assets}${entry.script}"${nonce}></script>
</head>
<body>
<div id="affiliate-app"><p class="fa-slow">${unloaded.slow} <a href="">${unloaded.again}</a></p></div>
<noscript>${unloaded.noScript}</noscript>
</body>
</html>
`;
}

/** HTML for a page of the host; the app renders into the shadow tree of this element. */
export function fragment(boot: Boot, entry: Entry, assets: string): string {
  const styles = escapeHtml(entry.styles.map((name) => assets + name).join(' '));
  return `<div class="affiliate-embed" data-affiliate-portal data-affiliate-app data-styles="${styles}">
<script type="application/json">${jsonText(boot)}</script>
<noscript>${UNLOADED[boot.locale].noScript}</noscript>
</div>
<script type="module" src="${assets}${entry.script}"${nonceOf(boot.styleNonce)}></script>`;
}

/** The page for a service that is unavailable. It loads no other files. */
const UNAVAILABLE: Readonly<Record<Locale, { readonly title: string; readonly text: string }>> = {
  en: { title: 'Not available right now', text: 'Please try again in a moment.' },
  de: { title: 'Zurzeit nicht erreichbar', text: 'Bitte versuchen Sie es gleich noch einmal.' },
  es: { title: 'No disponible en este momento', text: 'Vuelva a intentarlo dentro de un momento.' },
  fr: { title: 'Indisponible pour le moment', text: 'Veuillez réessayer dans un instant.' },
  ar: { title: 'غير متاح حاليًا', text: 'يُرجى إعادة المحاولة بعد قليل.' },
};

export function unavailablePage(locale: Locale): string {
  const { title, text } = UNAVAILABLE[locale];
  return `<!doctype html>
<html lang="${locale}" dir="${RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
<p>${text} <a href="">${UNLOADED[locale].again}</a></p>
</body>
</html>
`;
}
