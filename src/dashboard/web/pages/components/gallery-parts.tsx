// The parts of the gallery, one per family of components.

import { useState } from 'preact/hooks';
import { now, nowMs } from '../../app/browser-clock.ts';
import { BreakerDiagram } from '../../charts/breaker-diagram.tsx';
import { countText, moneyText, percentText } from '../../charts/figure-text.ts';
import { HeadroomBar } from '../../charts/headroom-bar.tsx';
import { Ring } from '../../charts/ring.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Checkbox, Input, Select, Suggest, TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Stat } from '../../ui/stat.tsx';
import { Badge, type State, Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Segments, Tabs } from '../../ui/tabs.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

const STATES: readonly State[] = ['good', 'degraded', 'bad', 'unknown'];
const SWATCHES = [
  'surface-0',
  'surface-1',
  'text-0',
  'text-1',
  'text-2',
  'accent',
  'good',
  'degraded',
  'bad',
  'unknown',
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
];
const SIZES = [12, 14, 16, 20, 28];

export function States() {
  return (
    <Card title="Tokens and states">
      <div class="gallery-swatches">
        {SWATCHES.map((name) => (
          <div key={name}>
            <div class="gallery-swatch" style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
      <p class="gallery-sizes">
        {SIZES.map((size) => (
          <span key={size} style={{ fontSize: `var(--size-${size})` }}>
            {size} px
          </span>
        ))}
      </p>
      <div class="gallery-row">
        {STATES.map((state) => (
          <Status key={state} state={state} />
        ))}
        {STATES.map((state) => (
          <Badge key={state} state={state}>
            {state}
          </Badge>
        ))}
        <Badge>neutral</Badge>
      </div>
    </Card>
  );
}

export function Actions({ name }: { readonly name: string }) {
  const [open, setOpen] = useState<'dialog' | 'question'>();
  const [tab, setTab] = useState('one');
  const close = (): void => setOpen(undefined);
  return (
    <Card title="Actions">
      <div class="gallery-row">
        <Button kind="primary">Primary</Button>
        <Button>Default</Button>
        <Button kind="danger" icon="trash" onPress={() => setOpen('question')}>
          Danger
        </Button>
        <Button kind="quiet" onPress={() => setOpen('dialog')}>
          Quiet
        </Button>
        <Button isDisabled>Disabled</Button>
        <Button isBusy>Busy</Button>
        <Button isSmall icon="plus">
          Small
        </Button>
        <Button icon="copy" label="Copy" />
      </div>
      <br />
      <Segments
        label={`Segments, ${name}`}
        choices={[
          { value: 'one', text: 'One' },
          { value: 'two', text: 'Two' },
        ]}
        value={tab}
        onChange={setTab}
      />
      <Tabs
        label={`Tabs, ${name}`}
        tabs={[
          { id: 'one', title: 'First' },
          { id: 'two', title: 'Second' },
        ]}
        selected={tab}
        onSelect={setTab}
      >
        <p>The panel of tab {tab}.</p>
      </Tabs>
      {open === 'dialog' ? (
        <Dialog title="A dialog" onClose={close}>
          <p>Escape closes it and returns the focus.</p>
        </Dialog>
      ) : null}
      {open === 'question' ? (
        <Confirm
          title="Delete the example?"
          action="Delete it"
          isDanger
          onConfirm={async () => notify('The example is deleted.')}
          onClose={close}
        >
          <p>Nothing will happen: this is the gallery.</p>
        </Confirm>
      ) : null}
    </Card>
  );
}

export function Figures() {
  const [begunAt] = useState(now);
  return (
    <Card title="Figures">
      <div class="gallery-row">
        <Stat label="Requests" value={1_284_213} format={countText} note="42 this minute" />
        <Stat label="Spend" value={0.000_321} format={moneyText} note="per request" />
        <Stat label="Loading" value={undefined} format={countText} />
        <Stat label="None" value={null} format={countText} />
      </div>
      <div class="gallery-row">
        <Ring
          label="example"
          nowMs={nowMs.value}
          resetsAtMs={begunAt + 252_000}
          sinceMs={begunAt - 60_000}
        />
        <BreakerDiagram label="example" state="open" nowMs={nowMs.value} />
      </div>
      <HeadroomBar
        label="Headroom"
        remaining={0.62}
        limit={1}
        forecast={0.3}
        format={percentText}
      />
      <p>
        <Copyable value="req_0123456789" />, <RelativeTime at={begunAt - 240_000} />,{' '}
        <Tooltip text="The 95th percentile: 19 of 20 requests are faster.">p95</Tooltip>
      </p>
    </Card>
  );
}

export function Fields() {
  const [text, setText] = useState('');
  const [isOn, setIsOn] = useState(true);
  const choices = [
    { value: '', text: 'All' },
    { value: 'a', text: 'anthropic' },
  ];
  return (
    <Card title="Fields">
      <Input label="Input" value={text} onInput={setText} hint="A hint." placeholder="empty" />
      <Input label="With an error" value={text} onInput={setText} error="It must not be empty." />
      <Select label="Select" value={text} choices={choices} onChange={setText} />
      <Suggest label="Suggest" value={text} suggestions={['fast', 'smart']} onInput={setText} />
      <TextArea label="Text area" value={text} onInput={setText} rows={2} />
      <Checkbox label="Checkbox" isChecked={isOn} onChange={setIsOn} />
    </Card>
  );
}

type Example = { readonly name: string; readonly count: number | null };
const EXAMPLES: readonly Example[] = [
  { name: 'anthropic', count: 12 },
  { name: 'openai', count: 7 },
  { name: '<script>alert(1)</script>', count: null },
];
const COLUMNS: readonly Column<Example>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name, render: ({ name }) => name },
  {
    id: 'count',
    title: 'Count',
    align: 'right',
    value: ({ count }) => count,
    render: ({ count }) => count ?? '–',
  },
];

export function Tables({ name }: { readonly name: string }) {
  const [sort, setSort] = useState('-count');
  const table = {
    columns: COLUMNS,
    keyOf: (row: Example) => row.name,
    empty: <Empty title="None" />,
  };
  return (
    <Card title="Tables" isFlush>
      <Table
        {...table}
        label={`Rows, ${name}`}
        rows={EXAMPLES}
        sort={sort}
        onSort={setSort}
        onMore={() => notify('The next page.')}
      />
      <Table {...table} label={`Loading, ${name}`} rows={undefined} skeletonRows={2} />
      <Table
        {...table}
        label={`Empty, ${name}`}
        rows={[]}
        empty={
          <Empty title="No job yet" command="curl -X POST http://127.0.0.1:8787/v1/jobs">
            A job appears here when a caller submits one.
          </Empty>
        }
      />
    </Card>
  );
}

export function Feedback() {
  return (
    <Card title="Feedback">
      <Notice failure="The example could not be read." />
      <div class="gallery-row">
        <Button onPress={() => notify('The limit is cleared.')}>Notice</Button>
        <Button onPress={() => notifyFailure('The limit could not be cleared.')}>Failure</Button>
        <Skeleton width="160px" />
      </div>
    </Card>
  );
}
