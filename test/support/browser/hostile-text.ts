// Texts that would become markup, a script or a terminal sequence on a page that does not treat them as text.

export const MARKUP = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';
/** Also sequences that terminals, JavaScript and JSON interpret, and a text wider than any column. */
export const HOSTILE = `${MARKUP}\u001b[31m\u2028"}]'\n\${7*7} ${'x'.repeat(3000)}`;

/** Evaluated on a page: elements and attributes that markup in a text would create; the pages themselves have none of them. */
export const CREATED = `JSON.stringify({
  owned: window.owned ?? null,
  title: document.title,
  elements: [...document.querySelectorAll('img, iframe, object, embed, script:not([src]), [onerror], [onload]')]
    .map((element) => element.outerHTML.slice(0, 200)),
})`;
