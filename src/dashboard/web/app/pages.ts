// The pages: address, title, shortcut and code. Each page's code is loaded when the page is first opened.

import type { ComponentType } from 'preact';

export type PageId =
  | 'overview'
  | 'capacity'
  | 'jobs'
  | 'money'
  | 'cluster'
  | 'logs'
  | 'try'
  | 'components';

export type Page = {
  readonly id: PageId;
  readonly title: string;
  /** Pressed after `g`. */
  readonly shortcut: string;
  /** Not in the rail: reached by its address. */
  readonly isHidden?: true;
  load(): Promise<{ readonly default: ComponentType }>;
};

export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    title: 'Overview',
    shortcut: 'o',
    load: () => import('../pages/overview/overview-page.tsx'),
  },
  {
    id: 'capacity',
    title: 'Capacity',
    shortcut: 'c',
    load: () => import('../pages/capacity/capacity-page.tsx'),
  },
  { id: 'jobs', title: 'Jobs', shortcut: 'j', load: () => import('../pages/jobs/jobs-page.tsx') },
  {
    id: 'money',
    title: 'Money',
    shortcut: 'm',
    load: () => import('../pages/money/money-page.tsx'),
  },
  {
    id: 'cluster',
    title: 'Cluster',
    shortcut: 's',
    load: () => import('../pages/cluster/cluster-page.tsx'),
  },
  {
    id: 'logs',
    title: 'Logs and alerts',
    shortcut: 'l',
    load: () => import('../pages/logs/logs-page.tsx'),
  },
  { id: 'try', title: 'Try it', shortcut: 't', load: () => import('../pages/try/try-page.tsx') },
  {
    id: 'components',
    title: 'Components',
    shortcut: 'x',
    isHidden: true,
    load: () => import('../pages/components/components-page.tsx'),
  },
];

export function pageOf(id: string): Page | undefined {
  return PAGES.find((page) => page.id === id);
}
