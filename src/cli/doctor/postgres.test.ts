import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdicts } from './postgres.ts';

const FOUND = {
  version: '16.4',
  address: 'db:5432',
  pending: [],
  isDurable: true,
  aheadMs: 0,
  maxConnections: 100,
};

test('a usable PostgreSQL is reported with its version', () => {
  assert.deepEqual(
    verdicts(FOUND).map(({ sentence }) => sentence),
    ['PostgreSQL 16.4 at db:5432 can be used and is up to date.'],
  );
});

test('too few connections for one server are a warning with the number that the server opens', () => {
  const [verdict] = verdicts({ ...FOUND, maxConnections: 16 });
  assert.equal(verdict?.sentence, 'PostgreSQL allows 16 connections; one server may open 14.');
});
