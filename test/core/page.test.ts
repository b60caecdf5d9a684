import { describe, expect, it } from '@jest/globals';

import { offsetOf, pageEnvelope } from '../../src/core/page.js';

const URL = 'https://site.test/affiliate/v2/visits';
const rows = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('pageEnvelope', () => {
  it('answers all keys in the order of the contract', () => {
    const envelope = pageEnvelope(URL, { rows: rows(10), total: 25, page: 2, per_page: 10 });

    expect(JSON.stringify(envelope)).toBe(
      JSON.stringify({
        current_page: 2,
        data: rows(10),
        first_page_url: `${URL}/?page=1`,
        from: 11,
        last_page: 3,
        last_page_url: `${URL}/?page=3`,
        links: [
          { url: `${URL}/?page=1`, label: 'pagination.previous', active: false },
          { url: `${URL}/?page=1`, label: '1', active: false },
          { url: `${URL}/?page=2`, label: '2', active: true },
          { url: `${URL}/?page=3`, label: '3', active: false },
          { url: `${URL}/?page=3`, label: 'pagination.next', active: false },
        ],
        next_page_url: `${URL}/?page=3`,
        path: URL,
        per_page: 10,
        prev_page_url: `${URL}/?page=1`,
        to: 20,
        total: 25,
      }),
    );
  });

  it('has one empty page when nothing matches', () => {
    expect(pageEnvelope(URL, { rows: [], total: 0, page: 1, per_page: 10 })).toMatchObject({
      current_page: 1,
      data: [],
      from: null,
      to: null,
      last_page: 1,
      next_page_url: null,
      prev_page_url: null,
      total: 0,
    });
  });

  it('does not clamp a page past the end', () => {
    expect(pageEnvelope(URL, { rows: [], total: 20, page: 9, per_page: 10 })).toMatchObject({
      current_page: 9,
      data: [],
      from: null,
      to: null,
      last_page: 2,
      next_page_url: null,
      prev_page_url: `${URL}/?page=8`,
    });
  });

  it('does not repeat the query or a slash at the end', () => {
    expect(
      pageEnvelope(`${URL}/?status=all&page=2`, { rows: [1], total: 1, page: 1, per_page: 10 }).path,
    ).toBe(URL);
  });

  it.each([
    [1, 13, '1 2 3 4 5 6 7 8 9 10 11 12 13'],
    [1, 14, '1 2 3 4 5 6 7 8 9 10 ... 13 14'],
    [7, 20, '1 2 3 4 5 6 7 8 9 10 ... 19 20'],
    [8, 20, '1 2 ... 5 6 7 8 9 10 11 ... 19 20'],
    [13, 20, '1 2 ... 10 11 12 13 14 15 16 ... 19 20'],
    [14, 20, '1 2 ... 11 12 13 14 15 16 17 18 19 20'],
    [20, 20, '1 2 ... 11 12 13 14 15 16 17 18 19 20'],
    [99, 20, '1 2 ... 11 12 13 14 15 16 17 18 19 20'],
  ])('page %i of %i links to %s', (page, last, labels) => {
    const { links } = pageEnvelope(URL, { rows: [1], total: last, page, per_page: 1 });

    expect(
      links
        .slice(1, -1)
        .map((link) => link.label)
        .join(' '),
    ).toBe(labels);
    expect(links.filter((link) => link.label === '...').every((link) => link.url === null)).toBe(true);
    expect(links.filter((link) => link.active).map((link) => link.label)).toEqual(
      page > last ? [] : [String(page)],
    );
  });
});

it('skips the rows of the pages before', () => {
  expect(offsetOf({ page: 3, per_page: 150 })).toBe(300);
});
