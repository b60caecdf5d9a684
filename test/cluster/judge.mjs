// What a shop's visitors, payers and clerks were told, against the rows.

/**
 * What was edited holds the value acknowledged last, or one sent after it; asked while nothing is underway.
 */
export async function judgedEdits(rows, affiliate, { edits }) {
  const [option] = await rows("select value from fa_options where name = 'referral_config'");
  const [{ note }] = await rows(`select note from fa_affiliates where id = ${affiliate}`);
  const config = typeof option?.value === 'string' ? JSON.parse(option.value) : option?.value;
  return Object.entries({ cookie_duration: config?.cookie_duration ?? null, note })
    .filter(([name, value]) => !edits[name].includes(value))
    .map(([name, value]) => `${name} is ${value}, not one of ${edits[name].join(', ')}`);
}

/** `rows(sql)` reads one database or one node of a cluster. */
export async function judged(rows, shop) {
  const problems = [];
  const referrals = new Map(
    (
      await rows(
        'select id, provider_id, affiliate_id, amount_minor from fa_referrals where parent_id is null',
      )
    ).map((row) => [row.provider_id, row]),
  );
  const orders = [...shop.orders].filter(([reference, { id, affiliate }]) => {
    const row = referrals.get(reference);
    // Half of the money back: of a paid or rejected commission the amount stays.
    const amounts = shop.refunds.has(reference) ? [1000, 2000] : [2000];
    return (
      Number(row?.id) !== id ||
      Number(row.affiliate_id) !== affiliate ||
      !amounts.includes(Number(row.amount_minor))
    );
  });
  const refunds = new Map(
    (
      await rows(
        'select o.reference, count(*) as n from fa_order_facts f join fa_orders o on o.id = f.order_id ' +
          "where f.kind = 'refund' group by o.reference",
      )
    ).map((row) => [row.reference, Number(row.n)]),
  );
  const refundsLost = [...shop.refunds].filter((reference) => refunds.get(reference) !== 1);
  const visits = await missing('fa_visits', shop.visits);
  const payouts = await missing('fa_payouts', shop.payouts.keys());
  const [books] = await rows(
    'select (select count(*) from fa_payout_items) as items, ' +
      '(select count(distinct referral_id) from fa_payout_items) as once, ' +
      '(select coalesce(sum(amount_minor), 0) from fa_payout_items) as item_sum, ' +
      '(select coalesce(sum(total_amount_minor), 0) from fa_payouts) as payout_sum, ' +
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
  if (refundsLost.length > 0)
    problems.push(
      `${refundsLost.length} acknowledged refunds lost or doubled: ${refundsLost.slice(0, 3).join()}`,
    );
  if (visits.lost.length > 0)
    problems.push(`${visits.lost.length} acknowledged visits lost: ${visits.lost.slice(0, 3).join()}`);
  if (payouts.lost.length > 0) problems.push(`${payouts.lost.length} acknowledged payouts lost`);
  if (items !== once || itemSum !== payoutSum || itemSum !== paidSum)
    problems.push(`the books: ${JSON.stringify(books)}`);
  return {
    problems,
    stored: {
      orders: referrals.size,
      visits: visits.rows,
      payouts: payouts.rows,
      refunds: refunds.size,
      items,
    },
    told: {
      orders: shop.orders.size,
      visits: shop.visits.size,
      payouts: shop.payouts.size,
      refunds: shop.refunds.size,
    },
  };

  async function missing(table, told) {
    const stored = new Set((await rows(`select id from ${table}`)).map(({ id }) => Number(id)));
    return { rows: stored.size, lost: [...told].filter((id) => !stored.has(id)) };
  }
}
