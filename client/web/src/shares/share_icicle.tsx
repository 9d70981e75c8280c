// The association tree as an icicle: a column for each level, the children of a node beside it.
import { useMemo } from 'preact/hooks';
import { percent } from '../parts/format';
import { go } from '../parts/route';
import { type Node, saying, service, shade } from './share_data';
import { laidOut } from './share_shapes';

const kHeight = 380;
const kLevels = 4;
const kLeastPixels = 3;

export interface PartsProps {
  root: Node;
  length: (node: Node) => number;
  value: (node: Node) => number; // The figure that is shown.
  title: string;
  to: (node: Node) => string; // The address that opens it.
}

export function Icicle({ root, length, value, title, to }: PartsProps) {
  const laid = useMemo(() => laidOut(root, length, kHeight, kLevels), [root, length]);
  const shown = laid.filter((node) => node.x1 - node.x0 >= kLeastPixels);
  const width = 100 / (laid[0].height + 1);
  return (
    <div class="plot" style={{ height: `${kHeight}px` }} role="group" aria-label={title}>
      {shown.map((node) => {
        const how = service(node.data);
        const text = `${node.data.label} ${percent(value(node.data))}, ${saying(how)}`;
        const hasRoom = node.x1 - node.x0 >= 16;
        return (
          <button
            type="button"
            class={`cell ${shade(how)} ${node.data === root ? 'chosen' : ''}`}
            tabIndex={node.x1 - node.x0 >= 12 ? 0 : -1}
            style={{
              top: `${node.x0}px`,
              height: `${Math.max(1, node.x1 - node.x0 - 1)}px`,
              left: `${node.depth * width}%`,
              width: `calc(${width}% - 1px)`,
            }}
            aria-label={hasRoom ? undefined : text}
            title={text}
            onClick={() => go(to(node.data))}
          >
            {hasRoom && (
              <>
                <span>{node.data.label}</span>{' '}
                <em>
                  {percent(value(node.data))}
                  <small class="unseen">, {saying(how)}</small>
                </em>
              </>
            )}
          </button>
        );
      })}
    </div>
  );
}
