// Keyboard shortcuts: `g` and a letter opens a page, `?` shows them all. Keys typed into a field are text.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { after } from './browser-clock.ts';
import { PAGES } from './pages.ts';
import { navigate } from './router.ts';
import { chooseTheme, theme } from './theme.ts';
import './shortcuts.css';

const isHelpOpen = signal(false);
const SECOND_KEY_MS = 1500;

export function openHelp(): void {
  isHelpOpen.value = true;
}

export function Shortcuts() {
  useEffect(() => {
    let isAfterG = false;
    let cancel = (): void => {};
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const page = isAfterG ? PAGES.find(({ shortcut }) => shortcut === event.key) : undefined;
      isAfterG = false;
      if (page) navigate(page.id);
      else if (event.key === 'g') {
        isAfterG = true;
        cancel();
        cancel = after(SECOND_KEY_MS, () => {
          isAfterG = false;
        });
      } else if (event.key === '?') openHelp();
      else if (event.key === 'd') chooseTheme(theme.peek() === 'dark' ? 'light' : 'dark');
    };
    window.addEventListener('keydown', press);
    return () => {
      cancel();
      window.removeEventListener('keydown', press);
    };
  }, []);
  return isHelpOpen.value ? <Help /> : null;
}

function Help() {
  const keys = PAGES.map(({ shortcut, title }) => ({ keys: ['g', shortcut], text: title }));
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <dl class="shortcuts">
        {[...keys, { keys: ['d'], text: 'Light or dark' }, { keys: ['?'], text: 'This list' }].map(
          (row) => (
            <div key={row.text}>
              <dt>{row.text}</dt>
              <dd>
                {row.keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ),
        )}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
