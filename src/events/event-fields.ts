// The field names of an event's view. `classic` adds the names that the product's readers used before the migration, beside
// the current ones, and shows the creation time as ISO 8601. Pure.

import type { BuildEventView } from './build-event-view.ts';

export const EVENT_FIELDS = ['current', 'classic'] as const;
export type EventFields = (typeof EVENT_FIELDS)[number];

/** The current name of each classic field. */
export const CLASSIC_NAMES = {
  eventType: 'type',
  eventData: 'data',
  eventPhase: 'phase',
  eventTitle: 'title',
  eventDescription: 'description',
} as const;

export function withFields<V extends BuildEventView>(view: V, fields: EventFields) {
  return fields === 'classic' ? toClassicView(view) : view;
}

function toClassicView<V extends BuildEventView>(view: V) {
  const { type, data, phase, title, description } = view;
  return {
    ...view,
    createdAt: new Date(view.createdAt).toISOString(),
    eventType: type,
    eventData: data,
    eventPhase: phase,
    eventTitle: title,
    eventDescription: description,
  };
}
