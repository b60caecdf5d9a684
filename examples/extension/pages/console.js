/**
 * The page "Points" of the console. Console and portal import this file in the browser; it is one file without imports.
 *
 * @type {import('affiliate-service/console').DrawPage}
 */
export async function draw(element, { call, locale }) {
  const { affiliates } = await call('affiliates.list', { query: { per_page: 50 } });
  const list = document.createElement('ul');
  for (const affiliate of affiliates.data) {
    const item = document.createElement('li');
    const points = Math.floor(affiliate.total_earnings).toLocaleString(locale);
    item.textContent = `${affiliate.user_details.full_name}: ${points}`;
    list.append(item);
  }
  element.append(list);
}
