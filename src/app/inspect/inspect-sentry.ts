// Whether the optional package of the reports of failures is installed. It is found, not loaded.

export function isSentryInstalled(): boolean {
  try {
    return import.meta.resolve('@sentry/node') !== '';
  } catch {
    return false;
  }
}
