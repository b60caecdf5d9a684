const POINTS = { de: 'Punkte', es: 'puntos', fr: 'points', ar: 'نقطة' };

/**
 * The page "Points" of the portal.
 *
 * @type {import('affiliate-service/console').DrawPage}
 */
export function draw(element, context) {
  const { locale } = context;
  const text = document.createElement('p');
  element.append(text);
  const load = async () => {
    // an endpoint of the extension's own: server.ts
    const response = await fetch('/loyalty/points', { headers: { 'X-WP-Nonce': context.nonce() ?? '' } });
    const { points } = await response.json();
    text.textContent = `${points.toLocaleString(locale)} ${POINTS[locale] ?? 'points'}`;
  };
  void load();
  const timer = setInterval(() => void load(), 60_000);
  return () => clearInterval(timer); // called when the page is left
}
