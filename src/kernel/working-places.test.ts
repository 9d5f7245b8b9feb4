import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type WorkingPlace, WorkingPlaces } from './working-places.ts';

test('one who leaves lets the next begin, until too many are finishing', () => {
  const places = new WorkingPlaces(1, 1);
  const first = places.enter();
  assert.equal(places.free, 0);
  first.leave();
  assert.equal(places.free, 1);
  const second = places.enter();
  second.leave();
  assert.equal(places.free, 0, 'two are in hand');
  first.end();
  assert.equal(places.free, 1);
});

test('without room for finishing, leaving frees nothing', () => {
  const places = new WorkingPlaces(2, 0);
  const [first] = [places.enter(), places.enter()];
  first.leave();
  assert.equal(places.free, 0);
  first.end();
  assert.equal(places.free, 1);
});

test('however they come, leave and end, never more work or are in hand than may', () => {
  const steps = fc.array(
    fc.record({ does: fc.constantFrom('enter', 'leave', 'end'), who: fc.nat(9) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.nat(4), steps, (most, finishing, taken) => {
      const places = new WorkingPlaces(most, finishing);
      const working = new Set<WorkingPlace>();
      const inHand: WorkingPlace[] = [];
      for (const { does, who } of taken) {
        const place = inHand[who];
        if (does === 'enter' && places.free > 0) {
          const entered = places.enter();
          inHand.push(entered);
          working.add(entered);
        }
        if (does === 'leave' && place) {
          place.leave();
          working.delete(place);
        }
        if (does === 'end' && place) {
          place.end();
          working.delete(place);
          inHand.splice(who, 1);
        }
        assert.ok(working.size <= most);
        assert.ok(inHand.length <= most + finishing);
        const room = Math.min(most - working.size, most + finishing - inHand.length);
        assert.equal(places.free, room);
      }
    }),
  );
});
