// The gallery: every component of web/ui in both themes, side by side. A developer opens it at `#/components`.

import { theme } from '../../app/theme.ts';
import { PageHead } from '../../ui/card.tsx';
import { Actions, Feedback, Fields, Figures, States, Tables } from './gallery-parts.tsx';
import './gallery.css';

const THEMES = ['light', 'dark'] as const;

export default function ComponentsPage() {
  // The viewer's theme comes first, so that the page begins in the colours around it.
  const themes = THEMES.toSorted((one) => (one === theme.value ? -1 : 1));
  return (
    <>
      <PageHead title="Components" />
      <div class="gallery">
        {themes.map((name) => (
          <section key={name} class="gallery-theme" data-theme={name} aria-label={`${name} theme`}>
            <h2>{name}</h2>
            <States />
            <Actions name={name} />
            <Figures />
            <Fields />
            <Tables name={name} />
            <Feedback />
          </section>
        ))}
      </div>
    </>
  );
}
