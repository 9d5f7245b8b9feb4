// The entry of the dashboard's pages.

import { render } from 'preact';
import { App } from './app/app.tsx';
import { startClock } from './app/browser-clock.ts';
import { startRouter } from './app/router.ts';
import { readSession } from './app/sign-in.ts';
import { startTheme } from './app/theme.ts';
import './ui/tokens.css';
import './ui/base.css';

startTheme();
startClock();
startRouter();
void readSession();
const root = document.getElementById('app');
if (root) render(<App />, root);
