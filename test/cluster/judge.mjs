// What a shop's visitors, payers and clerks were told, against the rows.

/** `rows(sql)` reads one database or one node of a cluster. */
export async function judged(rows, shop) {
  const problems = [];
  const referrals = new Map(
    (await rows('select id, provider_id, affiliate_id, amount_minor from fa_referrals')).map((row) => [
      row.provider_id,
      row,
    ]),
  );
  const orders = [...shop.orders].filter(([reference, { id, affiliate }]) => {
    const row = referrals.get(reference);
    return (
      Number(row?.id) !== id || Number(row.affiliate_id) !== affiliate || Number(row.amount_minor) !== 2000
    );
  });
  const visits = await missing('fa_visits', shop.visits);
  const payouts = await missing('fa_payouts', shop.payouts.keys());
  const [books] = await rows(
    'select (select count(*) from fa_payout_items) as items, (select count(distinct referral_id) from fa_payout_items) as once, ' +
      '(select coalesce(sum(amount_minor), 0) from fa_payout_items) as item_sum, (select coalesce(sum(total_amount_minor), 0) from fa_payouts) as payout_sum, ' +
      "(select coalesce(sum(amount_minor), 0) from fa_referrals where status = 'paid') as paid_sum",
  );
  const {
    items,
    once,
    item_sum: itemSum,
    payout_sum: payoutSum,
    paid_sum: paidSum,
  } = Object.fromEntries(Object.entries(books).map(([name, value]) => [name, Number(value)]));
  if (orders.length > 0)
    problems.push(
      `${orders.length} acknowledged orders lost or changed: ${JSON.stringify(orders.slice(0, 3))}`,
    );
  if (visits.lost.length > 0)
    problems.push(`${visits.lost.length} acknowledged visits lost: ${visits.lost.slice(0, 3).join()}`);
  if (payouts.lost.length > 0) problems.push(`${payouts.lost.length} acknowledged payouts lost`);
  if (items !== once || itemSum !== payoutSum || itemSum !== paidSum)
    problems.push(`the books: ${JSON.stringify(books)}`);
  return {
    problems,
    stored: { orders: referrals.size, visits: visits.rows, payouts: payouts.rows, items },
    told: { orders: shop.orders.size, visits: shop.visits.size, payouts: shop.payouts.size },
  };

  async function missing(table, told) {
    const stored = new Set((await rows(`select id from ${table}`)).map(({ id }) => Number(id)));
    return { rows: stored.size, lost: [...told].filter((id) => !stored.has(id)) };
  }
}
