// The fenced blocks of a document, in order. A block after `<!-- not run: reason -->` is not run, and says why.

export type FencedBlock = {
  readonly line: number;
  /** '' for a block without a mark: a diagram or an output. */
  readonly language: string;
  readonly text: string;
  /** Why the block is not run. */
  readonly notRun: string | undefined;
};

export function fencedBlocks(document: string): readonly FencedBlock[] {
  const lines = document.split('\n');
  const fences = [...lines.entries()].filter(([, line]) => line.startsWith('```'));
  return fences.flatMap(([start, fence], index) => {
    if (index % 2 === 1) return [];
    const text = lines.slice(start + 1, fences[index + 1]?.[0]).join('\n');
    const notRun = /^<!-- not run: (.+) -->$/.exec(lines[start - 1] ?? '')?.[1];
    return [{ line: start + 1, language: fence.slice(3).trim(), text, notRun }];
  });
}

/** Lines of unmarked blocks that look like commands: they need the mark `sh`. */
export function unmarkedCommands(document: string): readonly string[] {
  const unmarked = fencedBlocks(document).filter(({ language }) => language === '');
  const lines = unmarked.flatMap(({ text }) => text.split('\n'));
  return lines.filter((line) => /^(?:\w+=\S+ )*(?:npx |npm |spillway |curl |git )/.test(line));
}

/** A command ends with its line, unless the line ends with a backslash or within quotes. */
export function splitCommands(text: string): readonly string[] {
  const commands: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    open = open === '' ? line : `${open}\n${line}`;
    if (line.endsWith('\\') || open.split("'").length % 2 === 0) continue;
    if (open.trim() !== '' && !open.startsWith('#')) commands.push(open);
    open = '';
  }
  return commands;
}
