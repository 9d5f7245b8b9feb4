// The runbook inside the dashboard, for reading while an alert fires. The address names the section.

import { useEffect } from 'preact/hooks';
import runbook from '../../../../../../docs/runbook.md?raw';
import { route } from '../../../app/router.ts';
import { CopyText } from '../../../ui/copyable.tsx';
import { type Block, type Inline, readMarkdown } from './read-markdown.ts';
import './runbook.css';

const blocks = readMarkdown(runbook);

export default function Runbook() {
  const { section } = route.value.params;
  useEffect(() => {
    if (section) document.getElementById(`runbook-${section}`)?.scrollIntoView();
  }, [section]);
  return (
    <article class="runbook">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} isSelected={isSelected(block, section)} />
      ))}
    </article>
  );
}

function isSelected(block: Block, section: string | undefined): boolean {
  return block.kind === 'heading' && block.id === section;
}

function BlockView({ block, isSelected }: { readonly block: Block; readonly isSelected: boolean }) {
  if (block.kind === 'heading') {
    const props = { id: `runbook-${block.id}`, class: isSelected ? 'runbook-selected' : undefined };
    return block.level <= 2 ? <h2 {...props}>{block.text}</h2> : <h3 {...props}>{block.text}</h3>;
  }
  if (block.kind === 'paragraph') {
    return (
      <p>
        <Inlines inlines={block.inlines} />
      </p>
    );
  }
  if (block.kind === 'list') {
    return (
      <ul class="runbook-list">
        {block.items.map((item, index) => (
          <li key={index}>
            <Inlines inlines={item} />
          </li>
        ))}
      </ul>
    );
  }
  if (block.kind === 'table') return <TableView rows={block.rows} />;
  return (
    <div class="runbook-code">
      <pre tabIndex={0}>{block.text}</pre>
      <CopyText text={block.text} label="Copy the command" />
    </div>
  );
}

function TableView({ rows }: { readonly rows: readonly (readonly (readonly Inline[])[])[] }) {
  const [head = [], ...body] = rows;
  const first = body[0]?.[0]?.map(({ text }) => text).join('') ?? '';
  return (
    <section class="runbook-table" tabIndex={0} aria-label={`Table, beginning with ${first}`}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <td key={index}>
                <Inlines inlines={cell} />
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Inlines({ inlines }: { readonly inlines: readonly Inline[] }) {
  return (
    <>
      {inlines.map(({ kind, text }, index) => {
        if (kind === 'code') return <code key={index}>{text}</code>;
        return kind === 'strong' ? <strong key={index}>{text}</strong> : text;
      })}
    </>
  );
}
