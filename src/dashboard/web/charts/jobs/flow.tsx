// The flow picture of jobs: boxes filled by their share of the unfinished jobs, links as wide as their rate. Jobs that
// pile up show as a full box, a stall as a thin link after a wide one.

import type { JobFlow } from '../../../api/jobs.ts';
import { ChartFrame, type ChartState } from '../chart-frame.tsx';
import { toneColor } from '../tone.ts';
import { useWidth } from '../use-width.ts';
import { type FlowNode, type FlowPicture, flowLayout, flowSentence } from './flow-layout.ts';
import '../charts.css';
import './flow.css';

export type FlowProps = {
  /** Undefined while the first reading loads. */
  readonly flow: JobFlow | undefined;
};

const HEIGHT = 168;

export function Flow({ flow }: FlowProps) {
  const [host, width] = useWidth<HTMLDivElement>();
  const state: ChartState = flow === undefined ? 'loading' : 'ready';
  const sentence = flow ? flowSentence(flow) : '';
  const picture = flow && width > 0 ? flowLayout(flow, width) : undefined;
  return (
    <div ref={host} class="flow">
      <ChartFrame
        title="Flow of jobs"
        description={sentence}
        state={state}
        height={HEIGHT}
        note={sentence}
        table={() => ({
          columns: ['Stage', 'Figure'],
          rows: (picture?.nodes ?? []).map(({ label, figure, unit }) => [
            label,
            `${figure} ${unit}`,
          ]),
        })}
      >
        {picture ? <Picture picture={picture} /> : null}
      </ChartFrame>
    </div>
  );
}

function Picture({ picture }: { readonly picture: FlowPicture }) {
  const { width, height, nodes, links } = picture;
  const description = nodes.map(({ label, figure, unit }) => `${label}: ${figure} ${unit}`);
  return (
    <svg
      class="flow-picture"
      role="img"
      aria-label={description.join(', ')}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
    >
      {links.map(({ id, path, widthPx, tone, isEmpty, label }) => (
        <path
          key={id}
          class={isEmpty ? 'flow-link flow-link-empty' : 'flow-link'}
          d={path}
          stroke={isEmpty ? undefined : toneColor(tone)}
          stroke-width={widthPx}
        >
          <title>{label}</title>
        </path>
      ))}
      {nodes.map((node) => (
        <Stage key={node.id} node={node} picture={picture} />
      ))}
    </svg>
  );
}

function Stage({ node, picture }: { readonly node: FlowNode; readonly picture: FlowPicture }) {
  const { boxWidth, boxHeight } = picture;
  const filled = Math.round(boxHeight * node.share);
  return (
    <g class="flow-stage" transform={`translate(${node.x} ${node.y})`}>
      <rect class="flow-box" width={boxWidth} height={boxHeight} rx="8" />
      <rect
        class="flow-fill"
        y={boxHeight - filled}
        width={boxWidth}
        height={filled}
        rx="8"
        fill={toneColor(node.tone)}
      />
      <text class="flow-label" x="12" y="22">
        {node.label}
      </text>
      <text class="flow-figure" x="12" y="48">
        {node.figure}
        <tspan class="flow-unit" dx="6">
          {node.unit}
        </tspan>
      </text>
    </g>
  );
}
