import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordLayout } from './record-layout.ts';

type Shelf = {
  readonly name: string;
  readonly books: number;
  readonly owner: string | undefined;
  readonly isFull: boolean;
};

const KINDS = { name: 'text', books: 'count', owner: 'optionalText', isFull: 'flag' } as const;

const LAYOUT = new RecordLayout<Shelf>(KINDS, ({ name, books, owner, isFull }, values) => {
  values.push(name, books, owner, isFull);
});

test('values are appended in the order of the fields, as texts, whole numbers and null', () => {
  const shelf = { name: 'a', books: 2.6, owner: undefined, isFull: true };
  assert.deepEqual(LAYOUT.values(shelf, ['shelf']), ['shelf', 'a', 3, null, 1]);
});

test('a record that is parsed from values equals the record of these values', () => {
  const shelf = { name: 'a', books: 2, owner: 'b', isFull: false };
  assert.deepEqual(LAYOUT.parse(LAYOUT.values(shelf)), shelf);
});

test('a value of the wrong kind and a value too many parse to nothing', () => {
  assert.equal(LAYOUT.parse(['a', -1, null, 0]), undefined);
  assert.equal(LAYOUT.parse(['a', 1, null, 0, 'more']), undefined);
});

test('a layout with a function that reads the fields in another order is refused', () => {
  const inOtherOrder = ({ name, books, owner, isFull }: Shelf, values: unknown[]) => {
    values.push(books, name, owner, isFull);
  };
  assert.throws(() => new RecordLayout<Shelf>(KINDS, inOtherOrder), /books,name,owner,isFull/);
});
