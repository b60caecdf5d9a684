import { expect, it } from '@jest/globals';
import express from 'express';
import express4 from 'express4';
import { startApp } from '../support/app.js';

const SENTENCE = /^A body parser runs before the affiliate service\./;

it.each([
  ['Express 5', express],
  ['Express 4', express4],
])('mount warns of a body parser that stands before it in %s', async (_, framework) => {
  const t = await startApp();
  const warnings = (): unknown[] =>
    t.log.filter(({ message }) => SENTENCE.test(message)).map(({ fields }) => fields?.['parsers']);

  const right = framework();
  t.service.mount(right);
  right.use(express.json());
  expect(warnings()).toEqual([]);

  const wrong = framework();
  wrong.use(express.json());
  t.service.mount(wrong);
  expect(warnings()).toEqual([['jsonParser']]);
});
