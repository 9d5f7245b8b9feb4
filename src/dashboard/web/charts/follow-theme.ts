// Calls back when the theme changes, by the attribute on the document or by the system. SVG follows the theme
// automatically; a canvas has to be drawn again.

export function followTheme(changed: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)');
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  media.addEventListener('change', changed);
  return () => {
    watch.disconnect();
    media.removeEventListener('change', changed);
  };
}
