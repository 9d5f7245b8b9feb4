// Bad days, played by the simulator that stands in for the provider.

import { useState } from 'react';
import { send } from 'spillway/client';

const DAYS = [
  { day: 'fine', label: 'Fine', about: 'Answers come immediately.' },
  {
    day: 'busy',
    label: 'Busy',
    about: 'The next question is refused once for 12 s; the client asks again by itself.',
  },
  {
    day: 'limit',
    label: 'Limit',
    about: 'The plan is used up for 45 s: wait, or let the question be queued.',
  },
  { day: 'broken', label: 'Broken', about: 'The next answer breaks off after a few words.' },
  { day: 'slow', label: 'Slow', about: 'Answers arrive word by word.' },
] as const;

const KEY = 'shop-day';

export function Rehearsals() {
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(KEY) ?? 'fine');
  async function choose(day: string): Promise<void> {
    setChosen(day);
    sessionStorage.setItem(KEY, day);
    await send('/rehearsals', { day }, { base: '/api' });
  }
  return (
    <section className="card" aria-labelledby="days-title">
      <h2 id="days-title">Rehearse a bad day</h2>
      <fieldset className="days">
        <legend className="hidden">How the AI provider behaves</legend>
        {DAYS.map(({ day, label }) => (
          <label key={day}>
            <input
              type="radio"
              name="day"
              value={day}
              checked={chosen === day}
              onChange={() => void choose(day)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <p className="detail" aria-live="polite">
        {DAYS.find(({ day }) => day === chosen)?.about}
      </p>
    </section>
  );
}
